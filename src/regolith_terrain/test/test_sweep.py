# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil swept by tools: volumes against their paths, forces against the equation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_terrain.contact.ground_contact import PartPose, make_pose
from regolith_terrain.excavation.cutting import blade_force, cutting_factors, rupture_angle
from regolith_terrain.excavation.sweep import (
    BLADE,
    BUCKET,
    DENSITY,
    DRAFT,
    DRUM,
    HELD,
    TOOL_COLUMNS,
    ToolArrays,
    make_tools,
    sweep_drum,
    sweep_edge,
)

SPACING, STEP, GRAVITY = 0.02, 1e-3, 1.62
SOIL = np.array([[1500.0, 170.0, math.radians(35.0)]])
SIDE = 100


def tools_of(kind: int, **given: Any) -> ToolArrays:
    """Return one tool over level terrain of SIDE x SIDE nodes about the origin."""
    radius, lips, rake = given.get('radius', 0.0), given.get('lips', 0.0), given.get('rake', math.radians(50.0))
    numbers = np.array([[given.get('width', 0.5) / 2, radius, lips, rake, -1.0, 0.0, given.get('capacity', 1e4), 50.0]])
    assert numbers.shape[1] == TOOL_COLUMNS
    fill, share = (np.array([row]) for row in given.get('curve', ((0.0, 1.0), (1.0, 1.0))))
    return make_tools(
        np.array([kind]),
        numbers,
        fill,
        share,
        np.array([given.get('held', 0.0)]),
        np.full((1, 2, 3), np.nan),
        SOIL,
        np.zeros((SIDE, SIDE)),
        np.full((SIDE, SIDE), given.get('bedrock', -10.0)),
        np.zeros((SIDE, SIDE), np.uint8),
        -SIDE // 2,
        -SIDE // 2,
        SPACING,
        GRAVITY,
    )


def drive_edge(tools: ToolArrays, heading: float, depth: float, way: float, speed: float = 0.2) -> PartPose:
    """Push the edge of a tool straight ahead; return its last pose."""
    pose, force, torque = make_pose(), np.zeros(3), np.zeros(3)
    ahead, left = (math.cos(heading), math.sin(heading)), (-math.sin(heading), math.cos(heading))
    pose.rotation[:2, 0], pose.rotation[:2, 1] = ahead, left
    pose.velocity[:2] = speed * ahead[0], speed * ahead[1]
    for n in range(round(way / (speed * STEP)) + 1):
        at = -0.5 * way + n * speed * STEP
        pose.center[:] = at * ahead[0], at * ahead[1], -depth
        sweep_edge(tools, 0, STEP, pose, force, torque)
    return pose


@pytest.mark.parametrize('kind', [BLADE, BUCKET])
@pytest.mark.parametrize('heading_deg', [0.0, 37.0, 90.0, 200.0])
def test_tool_edge_removes_soil_above_its_path(kind: int, heading_deg: float) -> None:
    """Each node within the strip of 0.5 x 0.8 m is passed once, down to the path.

    The strip contains 1000 cells. The 130 cells along its rim may fall on either side.
    """
    tools = tools_of(kind)
    drive_edge(tools, math.radians(heading_deg), 0.03, 0.8)
    taken = tools.requested[0]
    assert set(np.round(taken[taken > 0.0], 12)) == {0.03}
    cells = np.count_nonzero(taken)
    assert cells == pytest.approx(0.5 * 0.8 / SPACING**2, abs=65)
    assert tools.telemetry[0, HELD] == pytest.approx(cells * SPACING**2 * 0.03 * SOIL[0, DENSITY], rel=1e-9)
    assert np.array_equal(tools.requested[0], tools.requested[1]) and (tools.path[0][taken > 0.0] == -0.03).all()


def test_tool_edge_stops_at_bedrock_and_takes_nothing_backwards() -> None:
    """Bedrock is 1 cm deep: every column loses 1 cm of 3 cm; the way back takes nothing."""
    tools = tools_of(BLADE, bedrock=-0.01)
    drive_edge(tools, 0.0, 0.03, 0.6)
    assert np.unique(tools.requested[0]).tolist() == pytest.approx([0.0, 0.01])
    fresh = tools_of(BLADE)
    drive_edge(fresh, 0.0, 0.03, 0.6, speed=0.2)
    taken = fresh.requested.copy()
    pose, force = make_pose(), np.zeros(3)
    pose.velocity[0] = -0.2
    for n in range(3000):
        pose.center[:] = 0.3 - 2e-4 * n, 0.0, -0.05
        sweep_edge(fresh, 0, STEP, pose, force, np.zeros(3))
        assert not force.any()
    assert np.array_equal(fresh.requested, taken)


def test_tool_fill_curve_limits_the_intake() -> None:
    """Half of the soil enters until the tool is full; then the terrain stays unchanged."""
    tools = tools_of(BUCKET, curve=((0.0, 1.0), (0.5, 0.5)), capacity=4.0)
    drive_edge(tools, 0.0, 0.03, 0.2)
    assert np.unique(np.round(tools.requested[0], 9)).tolist() == [0.0, 0.015]
    drive_edge(tools, 0.0, 0.06, 0.8)
    assert tools.telemetry[0, HELD] == pytest.approx(4.0, rel=1e-9)
    assert tools.requested[0].sum() * SPACING**2 * SOIL[0, DENSITY] == pytest.approx(4.0, rel=1e-9)


def test_blade_force_matches_the_earthmoving_equation() -> None:
    """On level terrain at given depth and speed; the soil that the blade raised is a surcharge of the wedge."""
    depth, speed, width, rake, friction = 0.04, 0.2, 0.5, math.radians(50.0), math.radians(35.0)
    beta = rupture_angle(rake, friction, 2.0 / 3.0 * friction)
    factors = cutting_factors(rake, friction, 2.0 / 3.0 * friction, beta)
    top = depth * (1.0 / math.tan(rake) + 1.0 / math.tan(beta))
    for kind, held in ((BUCKET, 0.0), (BUCKET, 30.0), (BLADE, 30.0)):
        tools = tools_of(kind, held=held, curve=((0.0, 1.0), (0.0, 0.0)))
        force, torque, pose = np.zeros(3), np.zeros(3), make_pose()
        pose.velocity[0] = speed
        pose.center[2] = -depth
        sweep_edge(tools, 0, STEP, pose, force, torque)
        surcharge = held * GRAVITY / (width * top) if kind == BLADE else 0.0
        against, down = blade_force(factors, depth, speed, 1500.0, GRAVITY, 170.0, surcharge, 0.0)
        # The creep speed of 5 mm/s reduces the force by a fortieth.
        full = speed / (speed + 0.005)
        assert force[0] == pytest.approx(-against * width * full, rel=1e-9)
        assert force[2] == pytest.approx(-down * width * full, rel=1e-9)
        assert abs(force[1]) < 1e-9 and abs(torque).max() < 1e-9
        assert tools.telemetry[0, DRAFT] == pytest.approx(-force[0])


def turn_drum(tools: ToolArrays, depth: float, seconds: float, spin: float = 3.0, down: float = 0.0) -> np.ndarray:
    """Turn a drum with scoops ``depth`` [m] below the surface, with a vertical speed [m/s]; return the last force."""
    pose, force, torque = make_pose(), np.zeros(3), np.zeros(3)
    radius = tools.numbers[0, 1]
    pose.velocity[2] = -down
    for n in range(round(seconds / STEP)):
        pose.center[:] = 0.003, -0.002, radius - depth - down * n * STEP
        sweep_drum(tools, 0, STEP, pose, spin, force, torque)
    return np.concatenate((force, torque))


def test_turning_drum_removes_its_circular_segment() -> None:
    """A drum at 4 cm depth removes the segment of its circle; with nodes 2 cm apart, 10 cells across, to 5 %."""
    radius, depth, width = 0.2, 0.04, 0.7
    tools = tools_of(DRUM, radius=radius, lips=12.0, width=width)
    turn_drum(tools, depth, 3.0)
    segment = radius**2 * math.acos(1.0 - depth / radius) - (radius - depth) * math.sqrt(2 * radius * depth - depth**2)
    assert tools.requested[0].sum() * SPACING**2 == pytest.approx(segment * width, rel=0.05)
    assert tools.requested[0].max() == pytest.approx(depth, rel=1e-3)
    still, backwards = (tools_of(DRUM, radius=radius, lips=12.0, width=width) for _ in range(2))
    assert not turn_drum(still, depth, 0.1, 0.0).any() and not still.requested.any()
    assert not turn_drum(backwards, depth, 0.1, -3.0).any() and not backwards.requested.any()


def test_drum_chip_thickness_follows_its_advance() -> None:
    """At a vertical speed v, the chip under the axle is v over the passes per second: 5.7 for twelve scoops at 3
    rad/s.
    """
    tools = tools_of(DRUM, radius=0.2, lips=12.0, width=0.7)
    down = 0.01
    wrench = turn_drum(tools, 0.0, 4.0, 3.0, down)
    lowest = np.nanmin(np.where(np.isfinite(tools.path[0]), tools.path[0], np.nan))
    middle = SIDE // 2
    chip = -tools.requested[0][middle, middle] - lowest
    assert chip == pytest.approx(down / (12.0 * 3.0 / (2.0 * math.pi)), rel=0.02)
    # Scoops under the axle move backward: the soil pushes the drum ahead and brakes its rotation.
    assert wrench[0] > 0.0 and wrench[4] < 0.0


def test_drum_power_is_not_negative() -> None:
    """Soil takes energy from a turning drum that rolls on: the power of the forces on all scoops is a loss."""
    tools = tools_of(DRUM, radius=0.2, lips=12.0, width=0.7)
    pose, force, torque = make_pose(), np.zeros(3), np.zeros(3)
    pose.velocity[0] = 0.1
    for n in range(200):
        pose.center[:] = -0.1 + 1e-4 * n, 0.0, 0.17
        sweep_drum(tools, 0, STEP, pose, 2.0, force, torque)
        assert force[0] * pose.velocity[0] + torque[1] * 2.0 <= 0.0


def test_tool_in_terrain_without_soil_properties_cuts_nothing() -> None:
    """Terrain of a model without soil properties gives no soil and no force."""
    tools = tools_of(DRUM, radius=0.2, lips=12.0)._replace(soils=np.full((1, 3), np.nan))
    assert not turn_drum(tools, 0.04, 0.1).any() and not tools.requested.any()
    edge = tools_of(BLADE)._replace(soils=np.full((1, 3), np.nan))
    drive_edge(edge, 0.0, 0.03, 0.2)
    assert not edge.requested.any()
