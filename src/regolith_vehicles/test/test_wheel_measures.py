# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of wheel measurements of the ground, against planes in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_vehicles.contact import wheel_state as w
from regolith_vehicles.contact.wheel_state import WheelState, measure_wheels, slip_ratio

SPACING, I0, J0 = 0.05, -40, 17
RADIUS, HALF_WIDTH = 0.25, 0.12
SLOPES = [(0.0, 0.0), (0.3, 0.0), (0.0, -0.4), (-0.25, 0.2)]


def plane(slope: tuple[float, float], ni: int = 40, nj: int = 36) -> np.ndarray:
    """Return the heights of a window of a plane, with its border of one node."""
    x, y = (np.arange(-1, n + 1) + first for n, first in ((ni, I0), (nj, J0)))
    return 0.7 + SPACING * (slope[0] * x[:, None] + slope[1] * y[None, :])


def axes(slope: tuple[float, float], heading: float, camber: float = 0.0) -> np.ndarray:
    """Return heading, axle and normal of a wheel on a plane as columns; camber tilts the axle only."""
    normal = np.array([-slope[0], -slope[1], 1.0]) / math.sqrt(1.0 + slope[0] ** 2 + slope[1] ** 2)
    ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
    ahead -= (ahead @ normal) * normal
    ahead /= np.linalg.norm(ahead)
    left = np.cross(normal, ahead)
    axle = math.cos(camber) * left + math.sin(camber) * normal
    return np.stack([ahead, axle, normal, left], axis=1)


def measured(base: np.ndarray, level: np.ndarray, center: Any, axle: Any, **given: Any) -> WheelState:
    """Measure the second of two wheels; the first is elsewhere and turns in the opposite direction."""

    def two(value: Any, other: Any) -> np.ndarray:
        return np.ascontiguousarray(np.array([other, value], dtype=float))

    velocity, spin = given.get('velocity', (0, 0, 0)), given.get('spin', 0.0)
    force, torque = given.get('force', (0, 0, 0)), given.get('torque', (0, 0, 0))
    table = np.full((2, w.COLUMNS), np.nan)
    stats = np.zeros((2, 9))
    stats[1, 0] = 13.0
    measure_wheels(
        base,
        level,
        I0,
        J0,
        SPACING,
        two(center, (-1.5, 1.2, 1.0)),
        two(axle, (0, -1, 0)),
        two(velocity, (0.2, 0.1, 0)),
        two(spin, -2.0),
        two(given.get('steer', 0.0), 0.3),
        two(RADIUS, 0.4),
        two(HALF_WIDTH, 0.3),
        two(force, (9, 9, 9)),
        two(torque, (8, 8, 8)),
        stats,
        table,
    )
    return WheelState.from_row('wheel', table[1])


@pytest.mark.parametrize('slope', SLOPES)
@pytest.mark.parametrize('heading', [0.0, 0.7, -2.4])
@pytest.mark.parametrize('camber', [0.0, 0.2])
def test_sinkage_is_the_depth_of_the_lowest_point(slope: tuple[float, float], heading: float, camber: float) -> None:
    """The depth is along the normal of the plane, at any wheel attitude; bilinear heights are exact on a plane."""
    base, turn = plane(slope), axes(slope, heading, camber)
    foot = np.array([-0.83, 1.57, 0.0])
    foot[2] = 0.7 + slope[0] * foot[0] + slope[1] * foot[1]
    reach = RADIUS * math.cos(camber) + HALF_WIDTH * math.sin(camber)
    for depth in (0.02, -0.03):
        # The center is above the plane by the distance to its lowest point, less the depth.
        center = foot + turn[:, 2] * (reach - depth)
        state = measured(base, base[1:-1, 1:-1].copy(), center, turn[:, 1])
        assert state.sinkage_total == pytest.approx(depth, abs=1e-12)
        assert state.sinkage_incremental == pytest.approx(depth, abs=1e-12)


@pytest.mark.parametrize('slope', SLOPES)
def test_ruts_ahead_count_and_ruts_behind_do_not(slope: tuple[float, float]) -> None:
    """Ground is lowered by 3 cm on one side only: it counts for a wheel that moves there, at any heading."""
    base, turn = plane(slope), axes(slope, 0.4)
    foot = np.array([-0.8, 1.6, 0.7 + slope[0] * -0.8 + slope[1] * 1.6])
    center = foot + turn[:, 2] * (RADIUS - 0.02)
    x, y = (np.arange(n) + first for n, first in ((40, I0), (36, J0)))
    there = (x[:, None] * SPACING - foot[0]) * math.cos(0.4) + (y[None, :] * SPACING - foot[1]) * math.sin(0.4) > 0.0
    level = base[1:-1, 1:-1] - np.where(there, 0.03, 0.0)
    nz = turn[2, 2]
    for speed, spin, rut in (
        (0.2, 0.8, True),
        (-0.2, -0.8, False),
        (0.0, 0.8, True),
        (0.0, -0.8, False),
        (-0.2, 0.8, False),
    ):
        state = measured(base, level, center, turn[:, 1], velocity=speed * turn[:, 0], spin=spin)
        expected = 0.02 - (0.03 * nz if rut else 0.0)
        assert state.sinkage_incremental == pytest.approx(expected, abs=1e-12), (speed, spin)
        assert state.sinkage_total == pytest.approx(0.02, abs=1e-12)


@pytest.mark.parametrize('slope', SLOPES)
@pytest.mark.parametrize('along', [0.3, -0.3])
@pytest.mark.parametrize('across', [0.1, -0.1])
def test_slip_ratio_is_along_and_slip_angle_across_the_wheel(
    slope: tuple[float, float], along: float, across: float
) -> None:
    """Forward or backward the slip angle is the acute one, positive to the left; forces use the same axes."""
    base, turn = plane(slope), axes(slope, -1.1)
    ahead, left, normal = turn[:, 0], turn[:, 3], turn[:, 2]
    spin = math.copysign(1.6, along)
    force = 3.0 * ahead - 5.0 * left + 120.0 * normal
    state = measured(
        base,
        base[1:-1, 1:-1].copy(),
        (-0.8, 1.6, 1.0),
        turn[:, 1],
        velocity=along * ahead + across * left + 0.02 * normal,
        spin=spin,
        steer=-0.2,
        force=force,
        torque=(1.0, 2.0, 3.0),
    )
    assert state.slip_angle == pytest.approx(math.atan2(across, 0.3), rel=1e-12)
    assert state.slip_ratio == pytest.approx(1.0 - 0.3 / 0.4, rel=1e-12)
    assert state.normal_load == pytest.approx(120.0) and state.drawbar_pull == pytest.approx(3.0)
    np.testing.assert_allclose(state.force, force)
    assert (state.angular_speed, state.steer_angle, state.contact_nodes) == (spin, -0.2, 13)
    assert state.torque.tolist() == [1.0, 2.0, 3.0]


def test_wheel_at_rest_has_no_slip_angle() -> None:
    base = plane((0.0, 0.0))
    slow = measured(base, base[1:-1, 1:-1].copy(), (-0.8, 1.6, 1.0), (0, 1, 0), velocity=(0.005, 0.008, 0.0))
    assert slow.slip_angle == 0.0
    moving = measured(base, base[1:-1, 1:-1].copy(), (-0.8, 1.6, 1.0), (0, 1, 0), velocity=(0.0, 0.011, 0.0))
    assert moving.slip_angle == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(
    ('speed', 'rolling', 'slip'),
    [
        (0.2, 0.4, 0.5),
        (-0.2, -0.4, 0.5),
        (0.0, 0.4, 1.0),
        (-0.1, 0.4, 1.0),  # Spinning, sliding back.
        (0.5, 0.4, -0.25),
        (2.0, 0.4, -1.0),
        (0.3, 0.0, -1.0),
        (-0.3, 0.0, -1.0),  # Braking, locked.
        (0.005, 0.005, 0.0),
        (0.4, 0.4, 0.0),
    ],
)
def test_slip_ratio_matches_wong(speed: float, rolling: float, slip: float) -> None:
    assert slip_ratio(speed, rolling) == pytest.approx(slip)


def test_wheel_on_its_side_has_no_heading() -> None:
    base = plane((0.0, 0.0))
    state = measured(
        base, base[1:-1, 1:-1].copy(), (-0.8, 1.6, 0.7 + HALF_WIDTH - 0.01), (0, 0, 1), velocity=(0.1, 0, 0)
    )
    assert state.sinkage_total == pytest.approx(0.01) and math.isfinite(state.slip_angle)
