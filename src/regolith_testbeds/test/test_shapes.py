# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of shapes in soil contact: exact rays against closed forms and against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain import contact, scm
from regolith_terrain.config import load_soil
from regolith_terrain.scm.constants import HEIGHT, SLOPE_X, SLOPE_Y
from regolith_terrain.scm.underside_heights import box_heights
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds

MODES = ('reference', 'regolith')


def quiet(soil: str = 'chrono_sandmid') -> np.ndarray:
    parameters = load_soil(soil).parameters()
    parameters[7] = 0.0
    return parameters


def turn(axis: int, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    out = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    out[a, a] = out[b, b] = c
    out[a, b], out[b, a] = -s, s
    return out


def box_triangles(length: float, width: float, height: float) -> np.ndarray:
    half = 0.5 * np.array([length, width, height])
    faces = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            corner = np.zeros((4, 3))
            corner[:, axis] = side
            corner[:, a], corner[:, b] = (-1, 1, 1, -1), (-1, -1, 1, 1)
            faces += [corner[[0, 1, 2]], corner[[0, 2, 3]]]
    return np.array(faces) * half


def drum_triangles(radius: float, width: float, count: int) -> np.ndarray:
    angle = 2.0 * math.pi * np.arange(count + 1) / count
    rim = radius * np.stack((np.cos(angle), np.zeros(count + 1), np.sin(angle)), axis=1)
    side = np.array([0.0, 0.5 * width, 0.0])
    parts = []
    for k in range(count):
        parts += [
            [rim[k] - side, rim[k + 1] - side, rim[k] + side],
            [rim[k + 1] - side, rim[k] + side, rim[k + 1] + side],
        ]
        parts += [[-side, rim[k] - side, rim[k + 1] - side], [side, rim[k] + side, rim[k + 1] + side]]
    return np.array(parts)


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('pose', [np.eye(3), turn(2, 0.4), turn(0, 0.2) @ turn(2, 1.1), turn(1, -0.3) @ turn(0, 0.15)])
def test_box_and_its_mesh_have_the_same_force(mode: str, pose: np.ndarray) -> None:
    """Two kernels for one body: rays against slabs and rays against triangles."""
    outcome = []
    for shape in (contact.box(0.21, 0.31, 0.12), contact.mesh(box_triangles(0.21, 0.31, 0.12))):
        bin_ = SoilBin(quiet(), mode=mode)
        lowest = (np.abs(pose[2]) @ np.array([0.105, 0.155, 0.06])) - 0.02
        for k in range(3):
            assert bin_.body(shape, (0.003, 0.001, lowest - 0.004 * k), pose, (0.1, 0.05, -1.0), (0.1, 0.2, 0.3)) == 0
        outcome.append(np.concatenate((bin_.force, bin_.torque)))
        assert bin_.stats[contact.STAT_LOADED_NODES] > 20
    assert np.allclose(outcome[0], outcome[1], rtol=1e-9, atol=1e-6)


def test_tilted_box_presses_its_lower_envelope() -> None:
    """A box on an edge: its lower envelope is two planes with a closed form."""
    bin_ = SoilBin(quiet(), mode='regolith')
    pose = turn(1, 0.3)  # the edge towards +x goes down
    edge = pose @ np.array([0.1, 0.0, -0.05])
    center = -edge - (0.0, 0.0, 0.012)
    assert bin_.body(contact.box(0.2, 0.2, 0.1), center, pose) == 0
    rows, cols = np.nonzero(bin_.window.touched)
    x = (rows - 45) * 0.01
    level = bin_.window.level[rows, cols]
    # From the edge at x = 0 the bottom rises by tan 0.3 backwards, the front face by 1 / tan 0.3 forwards.
    expected = -0.012 + np.where(x <= 0.0, -x * math.tan(0.3), x / math.tan(0.3))
    assert len(x) > 40 and np.allclose(level, expected, atol=1e-12)


@pytest.mark.parametrize('mode', MODES)
def test_mesh_with_many_facets_matches_a_cylinder(mode: str) -> None:
    forces = []
    for shape in (contact.cylinder(0.25, 0.21), contact.mesh(drum_triangles(0.25, 0.21, 720))):
        bin_ = SoilBin(quiet(), mode=mode)
        for k in range(10):
            bin_.body(shape, (0.002 * k, 0.0, 0.225), turn(1, 0.01 * k), (0.15, 0.0, 0.0), (0.0, 0.8, 0.0))
        forces.append(bin_.force.copy())
    # The sagitta of a facet is R (1 - cos(pi / 720)) = 2.4 um of 25 mm sinkage; p has its power 1.1.
    assert np.allclose(forces[0], forces[1], rtol=5e-3, atol=1.0)


@pytest.mark.parametrize('mode', MODES)
def test_grousers_reach_deeper_than_their_drum(mode: str) -> None:
    """Very thin grousers without a ray hit leave only the drum; one straight below is a plate that is deeper."""
    bare, thin, below = (SoilBin(quiet(), mode=mode) for _ in range(3))
    bare.body(contact.cylinder(0.238, 0.21), (0.0, 0.0, 0.23))
    # A blade 1 mm thick, 5 mm off the nodes, is between them.
    thin.body(contact.grousered_wheel(0.25, 0.21, 1, 0.012, 0.001), (0.0, 0.0, 0.23), turn(1, 1.0))
    assert thin.force.tobytes() == bare.force.tobytes()
    below.body(contact.grousered_wheel(0.25, 0.21, 4, 0.012, 0.004), (0.0, 0.0, 0.23))
    assert below.window.level.min() == pytest.approx(-0.02, abs=1e-12)  # the tip
    middle = below.window.level[45]
    assert np.count_nonzero(np.isclose(middle, -0.02)) == 21  # one row over the width of the wheel
    assert below.force[2] > bare.force[2]
    thick = SoilBin(quiet(), mode=mode)
    thick.body(contact.grousered_wheel(0.25, 0.21, 4, 0.012, 0.045), (0.0, 0.0, 0.23))
    # 45 mm thick: posts at 0, 10 and 20 mm on either side.
    assert np.count_nonzero(np.isclose(thick.window.level, -0.02)) == 5 * 21


def test_grousers_pull_more_than_a_smooth_wheel() -> None:
    """At 40 % slip under the same load; they also dig in deeper (slip sinkage)."""
    smooth, grousered = (
        roll(
            SoilBin('chrono_sandmid', 0.01, 'regolith', rolling_bounds(0.01, 0.12, 0.25, 0.21)), 500.0, 0.4, shape=shape
        )
        for shape in (None, contact.grousered_wheel(0.25, 0.21, 24, 0.01, 0.006))
    )
    assert grousered.drawbar_pull > 1.2 * smooth.drawbar_pull > 0.0
    assert grousered.sinkage > 1.2 * smooth.sinkage


def test_invalid_shapes_are_rejected() -> None:
    with pytest.raises(ValueError, match='radius -1'):
        contact.cylinder(-1.0, 0.2)
    with pytest.raises(ValueError, match=r'height 0\.3 m of the grousers; allowed: below the radius 0\.25'):
        contact.grousered_wheel(0.25, 0.2, 12, 0.3, 0.01)
    with pytest.raises(ValueError, match=r'thickness 0\.4 m of the grousers; allowed: below 0\.4'):
        contact.grousered_wheel(0.25, 0.2, 12, 0.05, 0.4)
    assert contact.reach(contact.grousered_wheel(0.25, 0.2, 12, 0.05, 0.399)) >= math.hypot(0.25, 0.1)
    with pytest.raises(ValueError, match=r'mesh of shape \(0,\)'):
        contact.mesh([])


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('moved', [(0, 0), (37, -51), (-640, 64)])
def test_scm_forces_are_independent_of_tile_borders(mode: str, moved: tuple[int, int]) -> None:
    """The same drive at another position on the tiles of the grid, starting from a grid with a rut.

    Positions are integer multiples of a binary fraction of a meter, so that their sums are exact.
    """
    from regolith_terrain.grid.soil_grid import SoilGrid
    from regolith_terrain.height_field import FlatField

    spacing = 1.0 / 64.0
    outcome = []
    for di, dj in ((0, 0), moved):
        grid = SoilGrid(FlatField(), spacing)
        for _ in range(2):
            bin_ = SoilBin(quiet('chrono_lunar'), spacing, mode)
            bin_.window = grid.window(di - 40, di + 60, dj - 30, dj + 31)
            bin_.ground = scm.scm_ground(bin_.window)
            bin_.shear = np.zeros((*bin_.window.shape, 2))
            for k in range(40):
                bin_.wheel(
                    (di * spacing + k / 512.0, dj * spacing, 0.225), velocity=(0.25, 0.0, 0.0), spin=(0.0, 1.25, 0.0)
                )
            grid.apply(bin_.window.changed())
        outcome.append((bin_.force.copy(), bin_.window.level.copy()))
    assert np.allclose(outcome[0][0], outcome[1][0], rtol=1e-12)
    assert np.allclose(outcome[0][1], outcome[1][1], rtol=0.0, atol=1e-15)


def test_box_hits_exactly_the_nodes_within_its_outline() -> None:
    """The outline is the convex hull of the corners seen from above, for any attitude; no other node is hit."""
    from scipy.spatial import ConvexHull

    generator = np.random.default_rng(4)
    bin_ = SoilBin(quiet(), mode='regolith')
    i0, i1, j0, j1 = -45, 60, -35, 36
    x, y = np.meshgrid(np.arange(i0, i1) * 0.01, np.arange(j0, j1) * 0.01, indexing='ij')
    corners = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    for _ in range(30):
        pose = turn(0, generator.normal()) @ turn(1, generator.normal()) @ turn(2, generator.normal())
        half = generator.uniform(0.01, 0.15, 3)
        floats = np.full((SLOPE_Y + HEIGHT + SLOPE_X + 1, x.size), np.inf)
        box_heights(bin_.ground, 0.003, 0.001, 0.0, pose, *half.tolist(), 9.0, 0, i1 - i0, 0, j1 - j0, floats)
        points = (corners * half) @ pose.T + (0.003, 0.001, 0.0)
        sides = ConvexHull(points[:, :2]).equations
        beyond = (sides[:, :2] @ np.stack((x.ravel(), y.ravel())) + sides[:, 2:]).max(axis=0)
        assert np.array_equal(np.isfinite(floats[HEIGHT]), beyond <= 0.0)
        assert floats[HEIGHT].min() == pytest.approx(points[:, 2].min(), abs=0.06)


@pytest.mark.parametrize(
    'shape', [contact.cylinder(0.25, 0.3), contact.mesh(drum_triangles(0.25, 0.3, 60))], ids=['cylinder', 'mesh']
)
def test_leaning_wheel_has_no_side_force_of_single_nodes(shape: contact.Shapes) -> None:
    """Nodes under the flank of a wheel that leans by half a degree press with at most the area of the flank."""
    lean, depth, spacing = math.radians(0.5), 0.02, 0.02
    pose, soil = turn(0, lean), quiet('lunar_nominal')
    low = 0.25 * math.cos(lean) + 0.15 * math.sin(lean)
    corner = pose @ np.array([0.0, 0.15, -0.25])
    worst = 0.0
    # From above, the lower flank is 0.17 mm wide: a line of nodes passes through it.
    for across in np.linspace(-2e-4, 2e-4, 41):
        bin_ = SoilBin(soil, mode='regolith', spacing=spacing)
        assert bin_.body(shape, (0.0, across - corner[1], low - depth), pose, dt=1e-6) == 0
        worst = max(worst, abs(bin_.force[1]) / bin_.force[2])
    # The flank in the soil is a circular segment of less than 2/3 of chord by depth; the barrel has its full width.
    assert 0.02 < worst < 1.5 * depth / 0.3 * 2.0 / 3.0 + math.tan(lean)
