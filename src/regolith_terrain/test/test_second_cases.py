# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of second cases: diagonals, other soils, other solids, scaled shapes, ends between nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_exchange import Site, drop, nodes, quanta
from test_relaxation import REPOSE, SPACING, Plot
from test_solid_contact import LEVEL, MU, Body, block
from test_sweep import BLADE, BUCKET, tools_of

from regolith_terrain import contact
from regolith_terrain.config import SoilRegionConfig
from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.ground_contact import PartPose, make_pose
from regolith_terrain.excavation.relaxation import face_height
from regolith_terrain.excavation.sweep import DEPTH, sweep_edge
from regolith_terrain.grid.soil_map import Region, SoilMap
from regolith_terrain.solids.contact import add_solid_wrench
from regolith_terrain.solids.polyhedron import convex_hull
from regolith_terrain.solids.rock_shapes import scaled_rock
from regolith_terrain.solids.solids import Solid, Solids


@pytest.mark.parametrize('sides', [(1, 1), (1, -1)])
def test_face_height_diagonal_uses_the_longer_step(sides: tuple[int, int]) -> None:
    """Nodes along a diagonal are sqrt 2 spacings apart: a drop of 1.2 repose steps is not a face, one of 1.5 is."""
    step = SPACING * math.tan(REPOSE)
    along = sides[0] * np.arange(21)[:, None] + sides[1] * np.arange(21)[None, :]
    assert face_height(-0.5 * 1.2 * step * along, 10, 10, step) == 0.0
    # Ten steps down to the corner, ten up to the opposite one.
    assert face_height(-0.5 * 1.5 * step * along, 10, 10, step) == pytest.approx(20 * 1.5 * step)


def test_relaxation_reports_every_changed_column() -> None:
    """For any budget of a cycle, every column with changed loose soil is reported as changed."""
    for budget in range(1, 80):
        plot = Plot(21)
        plot.pour(slice(9, 12), slice(9, 12), 0.1)
        before = plot.loose.copy()
        plot.settle(1, budget=budget)
        assert not ((plot.loose != before) & ~plot.changed).any(), budget


def test_dumped_soil_has_the_density_of_the_region() -> None:
    """1 cm of the first soil is 2 cm high on a region with half its density."""
    disc = {'center': (1.0, 0.0), 'radius_m': 0.5}
    soil = Site().ground.lying[0, 0]
    light = {
        **SoilRegionConfig.model_validate({'disc': disc, 'soil': 'lunar_nominal'}).soil.model_dump(),
        'bulk_density_kgpm3': 0.5 * soil,
    }
    site = Site(regions=(SoilRegionConfig.model_validate({'disc': disc, 'soil': light}),))
    for first, height in ((0, 1.0), (50, 2.0)):
        rows = range(first, first + 1)
        site.cycle({'amber': drop(rows, range(1), 0.005)})
        level = site.grid.records_at(*nodes(rows, range(1))).level[0]
        assert level == pytest.approx(height * quanta(0.005) / soil, rel=1e-9)


@pytest.mark.parametrize(
    ('kind', 'side', 'torque'), [(BLADE, 1.0, 1.0), (BLADE, -1.0, -1.0), (BUCKET, 1.0, 1.0), (BUCKET, -1.0, -1.0)]
)
def test_blade_with_one_sided_cut_has_a_yaw_moment(kind: int, side: float, torque: float) -> None:
    """Soil over the left half of an edge 0.5 m wide resists that half, 0.125 m from the center."""
    tools = tools_of(kind, curve=((0.0, 1.0), (0.0, 0.0)))
    y = (np.arange(tools.level.shape[1]) + tools.j0) * tools.spacing
    tools.level[:, side * y > 0.0] = 0.03
    pose, force, moment = make_pose(), np.zeros(3), np.zeros(3)
    pose.velocity[0] = 0.2
    sweep_edge(tools, 0, 1e-3, pose, force, moment)
    assert force[0] < 0.0 and moment[2] / -force[0] == pytest.approx(torque * 0.125, rel=0.1)
    assert tools.telemetry[0, DEPTH] == pytest.approx(0.5 * 0.03, rel=0.05)


@pytest.mark.parametrize('width', [0.2, 0.5, 0.8])
def test_level_cut_depth_is_independent_of_width(width: float) -> None:
    tools = tools_of(BLADE, width=width)
    pose = make_pose()
    pose.velocity[0], pose.center[2] = 0.2, -0.03
    sweep_edge(tools, 0, 1e-3, pose, np.zeros(3), np.zeros(3))
    assert tools.telemetry[0, DEPTH] == pytest.approx(0.03, rel=1e-9)


@pytest.mark.parametrize('shape', [contact.cylinder(0.25, 0.3), contact.box(0.4, 0.4, 0.5)], ids=['wheel', 'box'])
def test_solid_friction_is_unchanged_by_a_nearby_solid(shape: Shapes) -> None:
    """A solid with a lower number precedes it in the list without contact: the force is the same as without it."""
    far, under = ((3.0, -1.0, -0.5), (4.0, 1.0, 0.0)), ((-1.0, -1.0, -0.5), (1.0, 1.0, 0.0))
    corners = [
        np.array([[x, y, z] for x in (a[0], b[0]) for y in (a[1], b[1]) for z in (a[2], b[2])]) for a, b in (far, under)
    ]
    solids = Solids([convex_hull(each) for each in corners], [Solid(k, np.zeros(3), LEVEL, MU) for k in range(2)])
    inverse = np.zeros((1, 6, 6))
    inverse[0, :3, :3] = np.eye(3) / 50.0
    forces = []
    for numbers in ([1], [0, 1]):
        body = Body(solids, shape, 50.0)
        body.place[2], body.velocity[0] = 0.249, 0.05
        body.arrays = body.contact.arrays(np.array([1]), inverse)
        for _ in range(5):
            body.press()
        body.arrays = body.contact.arrays(np.array(numbers), inverse)
        forces.append(body.press())
    assert np.array_equal(*forces) and forces[0][0] < 0.0


@pytest.mark.parametrize('axis', range(3))
def test_rotated_mesh_off_its_origin_contacts_a_wall(axis: int) -> None:
    """Its center is 0.4 m along an own axis, which is rotated onto the next world axis: its face is at 0.5 m."""
    turn = np.roll(np.eye(3), 1, axis=0)  # x to y, y to z, z to x
    world = (axis + 1) % 3
    middle = 0.4 * np.eye(3)[axis]
    surface = convex_hull(middle + 0.1 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]))
    part = contact.mesh(surface.vertices[surface.triangles])
    for at, depth in ((0.45, 0.05), (0.51, 0.0)):
        low, high = np.full(3, -2.0), np.full(3, 2.0)
        low[world] = at
        body = Body(block(tuple(low), tuple(high)), part, 20.0, turn)
        force = body.press()
        add_solid_wrench(body.arrays, 1e-3, 0, PartPose(body.place, turn, body.velocity, np.zeros(3)), body.wrench)
        assert (force[world] < 0.0) == (depth > 0.0)
        assert np.delete(force, world) == pytest.approx([0.0, 0.0], abs=1e-9)
        if depth:
            assert body.arrays.found[0, 6] == pytest.approx(depth) and 0.44 < body.arrays.found[0, world] < 0.51


def test_planes_of_scaled_solids_match_their_facets() -> None:
    """A rock scaled by 1, 2 and 3 and rotated: normals and distances against cross products of its facets."""
    shape = convex_hull(scaled_rock(3)[0])
    c, s = math.cos(0.7), math.sin(0.7)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) * [1.0, 2.0, 3.0]
    near = Solids([shape], [Solid(0, np.array([0.3, -0.2, 0.5]), axes, MU)]).near(np.array([0]))
    a, b, c3 = (near.vertices[near.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c3 - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert near.planes[:, :3] == pytest.approx(normals, abs=1e-6)
    assert near.planes[:, 3] == pytest.approx(np.einsum('ij,ij->i', normals, a), abs=1e-6)


@pytest.mark.parametrize(('low', 'high'), [((0.013, 0.027), (0.475, 0.291)), ((-0.291, 0.013), (0.013, 0.475))])
def test_region_between_nodes_contains_every_node_inside(low: tuple[float, float], high: tuple[float, float]) -> None:
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    disc = Region(np.array([[0.107, -0.955]]), 0.313)
    rows = SoilMap(np.zeros((3, 1)), [Region(corners, 0.0), disc]).rows(-40, 60, -70, 60, 0.02)
    x, y = np.meshgrid(np.arange(-40, 60) * 0.02, np.arange(-70, 60) * 0.02, indexing='ij')
    inside = (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])
    around = np.hypot(x - 0.107, y + 0.955) <= 0.313
    assert np.array_equal(rows, np.where(around, 2, np.where(inside, 1, 0)))
