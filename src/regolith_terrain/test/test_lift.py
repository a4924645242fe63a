# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the lift of parts and bodies by raised ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_terrain.bodies import BodyGround, BodySteps, RigidBodies, lift_bodies, lift_height, shapes
from regolith_terrain.bodies.description import BodyDescription
from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import RAISED, SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.updates.surface_edit import Stamp, apply_edit, combined, raised_nodes, stamp_edit

SPACING = 0.02


def raise_ground(grid: SoilGrid, config: TerrainConfig, stamp: Stamp) -> None:
    """Edit the committed ground as terrain does."""
    none = NodeRecords.empty(grid.law.names)
    rows = combined([stamp_edit(stamp, SPACING)])
    edited = apply_edit(rows, grid, none, np.zeros(0, np.int16), DiggableSoil(config, 1.62))
    grid.apply(edited.records, raised_nodes(grid, edited.records, edited.owner))


def ground(model: str) -> tuple[SoilGrid, TerrainConfig]:
    config = TerrainConfig.model_validate({'source': 'flat', 'model': model, 'spacing_m': SPACING})
    return SoilGrid(FlatField(), SPACING, config.law), config


@pytest.mark.parametrize(
    ('height', 'place', 'lift'),
    [
        (0.1, 0.0, 0.3),  # it lies on the ground: the rise
        (0.25, 0.0, 0.15),  # it is above: its depth below the new level
        (0.5, 0.0, 0.0),  # it is higher than the mound
        (0.1, 2.0, 0.0),  # it is beside the mound
    ],
)
def test_lift_is_the_rise_below_a_part_or_its_depth(height: float, place: float, lift: float) -> None:
    grid, config = ground('scm')
    raise_ground(grid, config, Stamp('mound', x=0.0, y=0.0, length=1.0, depth=0.3))
    box = shapes.box([0.2, 0.1, 0.1]).solid
    parts = [(box, np.array([place, 0.0, height]), np.eye(3)), (box, np.array([5.0, 0.0, -9.0]), np.eye(3))]
    assert lift_height(parts, grid) == pytest.approx(lift, abs=1e-9)
    grid.apply(NodeRecords.empty(grid.law.names))
    assert not len(grid.raised) and lift_height(parts, grid) == 0.0


def test_raised_nodes_are_part_of_the_saved_grid() -> None:
    grid, config = ground('scm')
    raise_ground(grid, config, Stamp('crater', x=0.0, y=0.0, length=0.5, depth=0.1))
    again, _ = ground('scm')
    again.load(grid.save())
    assert len(grid.raised) and grid.raised.dtype == RAISED and (grid.raised['rise'] > 0.0).all()
    assert (again.raised == grid.raised).all()


@pytest.mark.parametrize('model', ['scm', 'rigid'])
def test_mound_lifts_a_body_with_the_body_on_it(model: str) -> None:
    """The upper box rises as much as the lower one; a box beside them stays on the ground."""
    grid, config = ground(model)
    shape = shapes.box([0.2, 0.2, 0.1])
    place = BodyGround(grid, config.soil_map(), np.array([0.0, 0.0, -1.62]))
    bodies = RigidBodies([BodyDescription(name, shape, 20.0) for name in ('lower', 'upper', 'beside')], place)
    for n, (x, z) in enumerate(((0.0, 0.1), (0.05, 0.3), (0.7, 0.1))):
        bodies.place(n, np.array([x, 0.0, z]))
    for _ in range(50):
        grid.apply(BodySteps(bodies).advance(0.02, range(3)))
    before = bodies.position[:, 2].copy()
    raise_ground(grid, config, Stamp('mound', x=0.0, y=0.0, length=0.5, depth=0.3))
    lift_bodies(bodies, range(3))
    top = before
    for _ in range(50):
        grid.apply(BodySteps(bodies).advance(0.02, range(3)))
        top = np.maximum(top, bodies.position[:, 2])
    assert top[:2] == pytest.approx(before[:2] + 0.3, abs=0.02)
    assert top[2] == pytest.approx(before[2], abs=0.002)


@pytest.mark.parametrize('model', ['scm', 'rigid'])
@pytest.mark.parametrize(
    'shape',
    [shapes.box([0.15, 0.1, 0.1]), shapes.sphere(0.15), shapes.cylinder(0.05, 0.02), shapes.capsule(0.08, 0.1)],
    ids=lambda shape: shape.kind,
)
@pytest.mark.parametrize('rise', [0.05, 0.3])
def test_mound_lifts_a_body_without_energy_beyond_its_height(model: str, shape: Any, rise: float) -> None:
    """Its center rises by the mound and at most 2 cm more.

    Without the lift, the mound of 0.3 m throws these bodies up by 0.4 to 9 m on soil and by 77 to 125 m on rigid ground.
    """
    grid, config = ground(model)
    place = BodyGround(grid, config.soil_map(), np.array([0.0, 0.0, -1.62]))
    bodies = RigidBodies([BodyDescription('body', shape, 5.0)], place)
    bodies.place(0, np.array([0.0, 0.0, -float(shape.solid.vertices[:, 2].min()) - 1e-3]))
    for _ in range(50):
        grid.apply(BodySteps(bodies).advance(0.02, [0]))
    before, energy = float(bodies.position[0, 2]), bodies.energy(0)
    raise_ground(grid, config, Stamp('mound', x=0.0, y=0.0, length=2.0, depth=rise))
    lift_bodies(bodies, [0])
    assert bodies.energy(0) - energy <= 5.0 * 1.62 * rise + 1e-9
    top = before
    for _ in range(50):
        grid.apply(BodySteps(bodies).advance(0.02, [0]))
        top = max(top, float(bodies.position[0, 2]))
    assert before + 0.8 * rise < top < before + rise + 0.02
