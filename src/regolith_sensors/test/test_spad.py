# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Photon counts of SPAD sensors against their distributions, and frames of simple scenes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.light import LIGHT_SPEED, PLANCK, Sun
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.spad.photon_counts import FWHM, add_pulses, draw_counts, estimated_rate, find_peaks
from regolith_sensors.spad.spad import PhotonFrame, Spad
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField

Floats = np.ndarray
PULSES = 60_000
SUN = Sun(math.radians(270.0), math.radians(20.0))


def config(**values: Any) -> SpadConfig:
    base = {
        'columns': 5,
        'azimuth_deg': [-2.0, 2.0],
        'rings': 5,
        'elevation_deg': [-2.0, 2.0],
        'flash': True,
        'divergence_rad': [2e-3, 2e-3],
        'beam': 'rectangular',
        'range_m': [0.5, 20.0],
        'laser': {'pulse_energy_j': 4e-11, 'aperture_m': 0.02, 'filter_width_nm': 0.01},
    }
    laser = {**base['laser'], **values.pop('laser', {})}  # type: ignore[dict-item]
    return SpadConfig.model_validate({**base, **values, 'laser': laser})


def drawn(rate: Floats, dead_bins: int | None = None, seed: int = 1, **more: float) -> Floats:
    """Return counts of the same rate in many pixels."""
    many = np.tile(np.asarray(rate, dtype=np.float32), (40, 1))
    dead = many.shape[1] if dead_bins is None else dead_bins
    return draw_counts(many, PULSES, dead, np.random.default_rng(seed), **more)


def within(found: Floats, expected: Floats, sigma: Floats) -> None:
    """Check means over the pixels: 4 standard errors everywhere, and their squares are 1 on average."""
    error = (found.mean(axis=0) - expected) / (sigma / math.sqrt(len(found)))
    assert np.abs(error).max() < 4.5, error
    assert np.mean(np.square(error)) == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / len(expected)))


def test_weak_light_gives_poisson_counts() -> None:
    rate = np.linspace(1.0, 3.0, 50)
    rate *= 0.01 / rate.sum()
    counts = drawn(rate)
    # A sum of 0.01 blinds 0.5 % of the pulses on average.
    expected = PULSES * rate * (1.0 - np.cumsum(rate) + rate)
    within(counts, expected, np.sqrt(expected))
    assert np.mean(counts.var(axis=0, ddof=1) / expected) == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / (40 * 50)))


def test_constant_light_gives_geometric_counts() -> None:
    rate = np.full(60, 0.04)
    expected = PULSES * (1.0 - math.exp(-0.04)) * np.exp(-0.04 * np.arange(60))
    within(drawn(rate), expected, np.sqrt(expected * (1.0 - expected / PULSES)))


def test_strong_light_shifts_the_peak_and_coates_recovers_it() -> None:
    bins = np.arange(80)
    rate = np.exp(-0.5 * np.square((bins - 40.0) / 8.0))
    rate *= 3.0 / rate.sum()
    counts = drawn(rate)
    assert counts.sum(axis=0).argmax() <= 34, 'early photons hide later ones'
    found, _ = estimated_rate(counts, PULSES, len(bins))
    # d rate = dH / (ready - H), with the deviation of H; only bins with ready detectors.
    ready = PULSES * np.exp(-np.cumsum(rate) + rate)
    used = ready > 3000.0
    sigma = np.sqrt(np.expm1(rate) / ready)
    within(found[:, used & (rate > 1e-3)], rate[used & (rate > 1e-3)], sigma[used & (rate > 1e-3)])


def test_dead_time_lowers_the_rate() -> None:
    # Non-paralyzable detector in equilibrium: rate / (1 + rate d), here with at most one count per bin.
    chance, dead = 0.02, 50
    rate = np.full(1500, -math.log1p(-chance))
    counts = drawn(rate, dead_bins=dead)
    assert counts[:, 600:].mean() / PULSES == pytest.approx(chance / (1.0 + chance * dead), rel=2e-3)
    found, _ = estimated_rate(counts, PULSES, dead)
    assert found[:, 600:].mean() == pytest.approx(rate[0], rel=2e-3)


def test_afterpulses_follow_dead_time() -> None:
    rate = np.zeros(400)
    rate[10] = 0.5
    counts = drawn(rate, dead_bins=50, afterpulse=0.05, afterpulse_bins=20.0)
    first = counts[:, 10].mean()
    assert (counts[:, 11:61] == 0).all()
    assert counts[:, 61:].sum(axis=1).mean() / first == pytest.approx(0.05, rel=0.06)  # and their own afterpulses
    delay = (counts[:, 61:111] * np.arange(50)).sum() / counts[:, 61:111].sum()
    decay = math.exp(-1.0 / 20.0)
    expected = sum(m * decay**m for m in range(50)) / sum(decay**m for m in range(50))
    assert delay == pytest.approx(expected, rel=0.02)


def test_pulse_has_its_photons_and_its_width() -> None:
    rate = np.zeros(400, dtype=np.float32)
    add_pulses(np.array([20e-9, 30e-9]), np.array([3.0, 1.0]), 250e-12, 0.0, 1e-10, rate)
    assert rate.sum() == pytest.approx(4.0, rel=1e-6)
    near = rate[100:250].astype(np.float64)
    middle = (near * (np.arange(100, 250) + 0.5)).sum() / near.sum()
    assert middle == pytest.approx(200.0, abs=1e-3)
    # The width of a bin adds 1/12 of its square.
    spread = (near * np.square(np.arange(100, 250) + 0.5 - middle)).sum() / near.sum()
    assert spread == pytest.approx(2.5**2 + 1.0 / 12.0, rel=1e-3)
    outside = np.zeros(50, dtype=np.float32)
    add_pulses(np.array([20e-9]), np.array([1.0]), 250e-12, 25e-9, 1e-10, outside)
    assert outside.sum() == 0.0
    sharp = np.zeros(50, dtype=np.float32)
    add_pulses(np.array([2.05e-9]), np.array([1.0]), 0.0, 0.0, 1e-10, sharp)
    assert sharp[20] == 1.0 and sharp.sum() == 1.0


def test_peak_is_the_centroid_and_needs_its_significance() -> None:
    rate = np.full((3, 200), 1e-4)
    rate[0, 80:83] += (0.01, 0.02, 0.01)
    rate[1, 150] += 0.004
    place, signal = np.empty(3), np.empty(3)
    ready = np.full(rate.shape, 1e4)
    find_peaks(rate, ready, 1, 5.0, 10_000, place, signal)
    assert place[0] == pytest.approx(81.5) and signal[0] == pytest.approx(0.04)
    assert place[1] == pytest.approx(150.5) and math.isnan(place[2]) and signal[2] == 0.0
    find_peaks(rate, ready, 1, 20.0, 10_000, place, signal)
    assert math.isnan(place[1]) and not math.isnan(place[0])


def test_photons_of_a_white_target_are_those_of_the_lidar_equation() -> None:
    made = config(laser={'pulse_energy_j': 1e-6, 'aperture_m': 0.02, 'efficiency': 0.5, 'wavelength_nm': 532.0})
    energy = PLANCK * LIGHT_SPEED / 532e-9
    # A Lambert target sends 1 / pi per steradian; the aperture has pi D^2 / 4 / R^2 steradians.
    expected = 1e-6 / 25 / energy / math.pi * (math.pi * 0.02**2 / 4.0 / 100.0) * 0.5 * 0.25
    assert Spad(made, 1, 'eye').photons_per_echo == pytest.approx(expected, rel=1e-12)
    scanning = made.model_copy(update={'flash': False})
    assert Spad(scanning, 1, 'eye').photons_per_echo == pytest.approx(25 * expected, rel=1e-12)


def test_sunlight_gives_the_counts_of_its_radiance() -> None:
    made = Spad(config(bin_s=1e-9, laser={'filter_width_nm': 2.0, 'wavelength_nm': 550.0}), 1, 'eye')
    radiance = np.array([10.0, 7.0, 5.0])  # W/m^2/sr per band of 100 nm
    power = 7.0 * 2.0 / 100.0 * math.pi * 0.01**2 * 4e-6 * 0.5
    expected = power / (PLANCK * LIGHT_SPEED / 550e-9) * 0.25 * 1e-9
    assert made.background_per_bin(radiance) == pytest.approx(expected, rel=1e-9)
    infrared = Spad(config(laser={'wavelength_nm': 905.0}), 1, 'eye')
    red = Spad(config(laser={'wavelength_nm': 650.0}), 1, 'eye')
    # Black body of 5772 K: 0.588 of the radiance per wavelength at 905 nm, times the ratio of photons.
    ratio = infrared.background_per_bin(radiance) / red.background_per_bin(radiance)
    assert ratio == pytest.approx(0.5884 * 905.0 / 650.0, rel=2e-3)


def wall(at_x: float, sun: Sun | None = SUN, **values: Any) -> tuple[PhotonFrame, Spad]:
    """Return a frame of a white wall ahead, under a sun behind the sensor."""
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.05), (-2.0, 2.0, -2.0, 2.0))
    scene = Scene(ground, [Lambert((1.0, 1.0, 1.0))])
    scene.center((0.0, 0.0, 5.0))
    thing = scene.add_object('wall', [(scene.add_mesh(box((0.5, 20.0, 20.0))), Semantic.OTHER)])
    scene.place(thing, 0, (at_x + 0.5, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    rays = scene.commit()
    made = Spad(config(**values), 7, 'rover/eye')

    def poses(moments: Floats) -> tuple[Floats, Floats]:
        return np.tile((0.0, 0.0, 5.0), (len(moments), 1)), np.tile(np.eye(3), (len(moments), 1, 1))

    return made.frame(rays, scene.origin, poses, lights(scene.origin, sun), 3), made


def test_plane_at_a_range_has_its_peak_at_the_time_of_flight() -> None:
    frame, made = wall(9.0)
    axis = made.beams.directions.reshape(5, 5, -1, 3)[:, :, 0, 0]
    expected = 9.0 / axis
    peak = frame.counts.argmax(axis=2)
    assert np.abs((peak + 0.5) * 1e-10 - 2.0 * expected / LIGHT_SPEED).max() < 1.5e-10
    # A bin is 15 mm; the centroid of some thousand counts is better by an order of magnitude.
    assert np.abs(frame.scan.range[0] - expected).max() < 5e-3


def test_frame_of_a_wall_has_its_range_and_repeats_bit_for_bit() -> None:
    first, made = wall(6.0)
    again, _ = wall(6.0)
    assert np.array_equal(first.counts, again.counts)
    middle = first.counts[2, 2]
    rate = estimated_rate(first.counts.reshape(25, -1), made.config.pulses, made.dead_bins)[0][12]
    at = int(2.0 * 6.0 / LIGHT_SPEED / 1e-10)
    signal = rate[at - 10 : at + 11].sum()
    # A white Lambert wall: intensity (10 / 6)^2; 10 000 pulses give 1 % and less.
    assert signal == pytest.approx(made.photons_per_echo * (10.0 / 6.0) ** 2, rel=0.05)
    assert first.scan.intensity[0, 2, 2] == pytest.approx((10.0 / 6.0) ** 2, rel=0.05)
    assert middle.sum() <= made.config.pulses
    assert made.sigma_s == pytest.approx(math.hypot(200e-12, 120e-12) / FWHM)


def test_background_of_the_sun_is_counted_and_a_gate_removes_the_rest() -> None:
    bright = {'laser': {'filter_width_nm': 0.1}}
    frame, made = wall(15.0, **bright)
    before = frame.counts[2, 2, :100].sum() / made.config.pulses
    # Lambert wall, the sun 20 degrees above its normal: E cos(20 deg) / pi in the green band.
    radiance = np.full(3, 174.0 * math.cos(math.radians(20.0)) / math.pi)
    expected = 100 * float(made.background_per_bin(radiance))
    assert before == pytest.approx(1.0 - math.exp(-expected), abs=4.0 * math.sqrt(expected / made.config.pulses) + 2e-3)
    gated, gate = wall(15.0, **bright, gate_m=[14.0, 16.0])
    assert gated.counts.shape[2] == gate.config.bins == math.ceil(4.0 / LIGHT_SPEED / 1e-10)
    assert gated.scan.range[0, 2, 2] == pytest.approx(15.0, abs=5e-3)
    assert gated.counts[2, 2].max() > frame.counts[2, 2].max(), 'no pile-up from nearer bins'


def test_night_sky_has_no_points() -> None:
    frame, made = wall(60.0, sun=None, detector={'dark_count_hz': 2e6})
    assert np.isinf(frame.scan.range).all() and np.isnan(frame.scan.points).all()
    rate = frame.counts.sum() / (25 * made.config.pulses * made.config.bins)
    assert rate == pytest.approx(2e6 * 1e-10, rel=0.15)  # less the counts that are hidden by earlier ones


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'gate_m': [5.0, 4.0]}, 'gate_m = .*is not increasing'),
        ({'divergence_rad': [0.0, 1e-3]}, 'is the field of view of a pixel; allowed: above 0'),
        ({'bin_s': 1e-12, 'columns': 200, 'rings': 200}, 'make .* counts; allowed: 40000000; fix: longer bins'),
        ({'pulses': 70_000}, 'pulses'),
        ({'gate_m': [5.0, 25.0]}, 'gate_m = .*ends beyond range_m; allowed: up to 20 m'),
        ({'divergence_rad': [100.0, 100.0]}, 'allowed: above 0, up to 0.5'),
        ({'bin_s': 1e-7}, 'bin_s = .*makes 2 bins; allowed: at least 8'),
        ({'rings': None}, 'rings = None: is missing; allowed: either rings or elevations_deg'),
        ({'detector': {'afterpulse_probability': 0.7}}, 'afterpulse_probability'),
        ({'laser': {'pulse_energy_j': 0.0}}, 'pulse_energy_j'),
    ],
)
def test_values_out_of_range_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config(**change)


def test_saturated_pixels_are_counted() -> None:
    frame, _ = wall(6.0, laser={'pulse_energy_j': 1e-9})
    assert frame.saturated_share == 1.0
    assert frame.scan.range[0, 2, 2] < 6.0 - 0.01, 'the range of a saturated pixel is too short'
    assert wall(9.0)[0].saturated_share == 0.0
    running, _ = wall(6.0, laser={'pulse_energy_j': 1e-9}, detector={'counting': 'free_running'})
    assert running.saturated_share == 0.0
