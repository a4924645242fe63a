# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of maps for planners on analytic ground, and their layouts: sections 5.1 and 5.2 of the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.planning_maps import (
    Limits,
    MapFrame,
    covered_share,
    drive_cost,
    grid_map_values,
    horn_slope,
    occupancy_values,
    plane_fits,
    raster_values,
    rms_deviation,
    traversability,
)

INNER = np.s_[2:-2, 2:-2]


def test_plane_has_its_slope_and_no_roughness() -> None:
    """h = 0.1 x: 5.7106 degrees; also far above zero, and on a slope across the axes."""
    frame = MapFrame(-1.0, 3.0, 0.1, (20, 15))
    x, y = frame.centers()
    for heights, slope in ((0.1 * x, 5.7106), (1e4 + 0.06 * x - 0.08 * y, 5.7106), (0.0 * x, 0.0)):
        fits = plane_fits(heights, 0.1, 0.5)
        for found in (fits.slope, horn_slope(heights, 0.1)):
            assert np.degrees(found[INNER]) == pytest.approx(np.full((16, 11), slope), abs=1e-4)
        # Heights of 1e4 m have rounding errors of 2e-12 m.
        assert np.abs(fits.rms[INNER]).max() < 1e-11 and np.abs(fits.step[INNER]).max() < 1e-11
        assert np.isnan(fits.slope[:2]).all() and np.isnan(fits.slope[:, -2:]).all()


def test_one_raised_cell_has_the_residuals_of_its_window() -> None:
    """0.2 m in the middle of a level 5 x 5 window: mean 0.008, r.m.s. 0.039192, largest 0.192; the step is 0.2."""
    heights = np.zeros((9, 9))
    heights[4, 4] = 0.2
    fits = plane_fits(heights, 0.15, 0.75)
    assert fits.rms[4, 4] == pytest.approx(0.039192, abs=1e-6) and fits.most[4, 4] == pytest.approx(0.192)
    assert fits.step[4, 4] == pytest.approx(0.2) and fits.slope[4, 4] == pytest.approx(0.0, abs=1e-12)


def test_unknown_heights_leave_their_windows_unknown() -> None:
    heights = np.zeros((12, 12))
    heights[6, 6] = np.nan
    fits = plane_fits(heights, 0.1, 0.3)
    unknown = np.isnan(fits.slope[1:-1, 1:-1])
    assert unknown.sum() == 9 and unknown[4:7, 4:7].all()
    assert np.isnan(plane_fits(heights, 0.1, 5.0).slope).all()


def fractional_motion(hurst: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return fractional Brownian motion, exact by circulant embedding (Davies and Harte 1987)."""
    k = np.arange(count + 1, dtype=float)
    power = 2.0 * hurst
    covariance = 0.5 * ((k + 1.0) ** power - 2.0 * k**power + np.abs(k - 1.0) ** power)
    eigenvalues = np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    normal = rng.standard_normal((2, len(eigenvalues)))
    noise = np.fft.fft(np.sqrt(np.maximum(eigenvalues, 0.0) / len(eigenvalues)) * (normal[0] + 1j * normal[1]))
    return np.cumsum(noise.real[:count])


def test_deviation_of_self_affine_ground_grows_with_its_hurst_exponent() -> None:
    """H = 0.8: the slope of log nu over log L is H within 0.05."""
    hurst, lags, rng, slopes = 0.8, np.array([1, 2, 4, 8]), np.random.default_rng(2), []
    for _ in range(4):
        along_x, along_y = (fractional_motion(hurst, 1000, rng) for _ in range(2))
        ground = along_x[:, None] + along_y[None, :]
        deviations = [rms_deviation(ground, 0.1, 0.1 * lag) for lag in lags]
        slopes.append(np.polyfit(np.log(lags), np.log(deviations), 1)[0])
    assert np.mean(slopes) == pytest.approx(hurst, abs=0.05)
    assert math.isnan(rms_deviation(np.full((3, 3), np.nan), 0.1, 1.0))


def test_classes_follow_the_limits() -> None:
    limits = Limits(slope=math.radians(18.0), step=0.18, roughness=0.07)
    frame = MapFrame(0.0, 0.0, 0.1, (40, 11))
    x, _ = frame.centers()
    heights = np.where(x < 1.0, 0.0, np.where(x < 2.5, math.tan(math.radians(12.0)) * (x - 1.0), np.nan))
    fits = plane_fits(heights, 0.1, 0.5)
    classes = traversability(fits, plane_fits(heights, 0.1, 0.3).step, limits)[:, 5]
    assert (classes[3:7] == 0).all() and (classes[13:21] == 1).all() and (classes[24:] == 3).all()
    wall = np.where(x < 2.0, 0.0, 0.3)
    fits, steps = plane_fits(wall, 0.1, 0.5), plane_fits(wall, 0.1, 0.5).step
    blocked = traversability(fits, steps, limits)[:, 5] == 2
    assert blocked[18:22].all() and not blocked[:17].any()
    cost = drive_cost(fits, steps, limits, 0.1, 0.3)[:, 5]
    assert np.isinf(cost[15:25]).all() and cost[10] == pytest.approx(1.0)


def test_share_of_a_disc() -> None:
    covered = np.zeros((21, 21), dtype=bool)
    covered[10, 10] = True
    share = covered_share(covered, 0.1, 0.25)
    # 21 cells have their centers within 2.5 cells.
    assert share[10, 10] == pytest.approx(1.0 / 21.0) and share[10, 12] == pytest.approx(1.0 / 21.0)
    assert share[10, 13] == 0.0
    assert covered_share(np.ones((5, 5), dtype=bool), 0.1, 0.25) == pytest.approx(np.ones((5, 5)))


def test_one_map_is_the_same_in_every_carrier() -> None:
    """Six distinct values of a 3 x 2 map are read back by x and y from each layout as its definition states it."""
    frame = MapFrame(10.0, -4.0, 0.5, (3, 2))
    layer = np.arange(6.0).reshape(3, 2)
    x, y = frame.centers()
    grid_map, raster = grid_map_values(layer), raster_values(layer)
    classes = np.array([[0, 1], [2, 3], [1, 0]], dtype=np.int8)
    occupancy, stated = occupancy_values(classes), {0: 0, 1: 50, 2: 100, 3: -1}
    (cx, cy), (lx, ly), r = frame.center, (1.5, 1.0), 0.5
    for i in range(3):
        for j in range(2):
            px, py = x[i, j], y[i, j]
            assert (px, py) == (10.25 + 0.5 * i, -3.75 + 0.5 * j)
            # OccupancyGrid: data[row * width + column], row along y, column along x, from the origin's corner.
            assert occupancy[int((py + 4.0) / r) * 3 + int((px - 10.0) / r)] == stated[int(classes[i, j])]
            # GridMap: index (a, b) lies at (cx + lx/2 - r/2 - r a, cy + ly/2 - r/2 - r b), data[b * rows + a].
            a, b = round((cx + lx / 2 - r / 2 - px) / r), round((cy + ly / 2 - r / 2 - py) / r)
            assert grid_map[b * 3 + a] == layer[i, j]
            # Raster: row (y_top - y) / r, column (x - x0) / r.
            assert raster[int((-3.0 - py) / r), int((px - 10.0) / r)] == layer[i, j]
