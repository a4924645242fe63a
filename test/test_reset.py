# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is reset after use equals what was never used, field by field, in every class that can be reset.

Classes are found in the sources. An object that is used and then reset, and a new one, are compared through all
attributes that can be reached from them, so a field that a reset leaves behind is found without being listed here.
"""

from __future__ import annotations

import ast
import importlib.util
import math
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_bringup.view.terrain_mesh import TerrainMesh
from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.grid.node_records import FIELDS, NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_world.cycle.records import Command, Verdict

ROOT = Path(__file__).resolve().parent.parent
CYCLE_NS = 20_000_000
RESETS = ('reset', 'restart', 'set_epoch')
WORK_SPACE = {'_bodies', '_rooms', '_scratch', '_streams', '_tiles', '_writes'}
"""Attributes without state: arrays that every step overwrites, addresses, caches of undisturbed ground and of keys."""
NOT_STATE = {
    'RunningSimulation': 'sends a request to a running world',
    'NodeProcess': 'starts a process',
    'Runner': 'node of the world; the states it resets are those of its participants',
    'Pacer': 'holds wall time',
}
"""Classes with a method of such a name that resets no state of their own."""
MET: set[str] = set()
"""Classes of which the tests of this module have compared an object."""


def classes_that_reset() -> set[str]:
    """Return the names of all classes of the packages that define one of the methods."""
    found = set()
    for path in sorted((ROOT / 'src').glob('regolith_*/regolith_*/**/*.py')):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ClassDef):
                methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
                if methods & set(RESETS):
                    found.add(node.name)
    return found


def fields(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object, slots included."""
    found = dict(getattr(thing, '__dict__', {}))
    for kind in type(thing).__mro__:
        slots = getattr(kind, '__slots__', ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                found[name] = getattr(thing, name)
    return found


class Comparison:
    """Everything that two objects reach: where it differs, and which classes were met."""

    def __init__(self) -> None:
        self.differences: list[str] = []
        self.met: set[str] = set()
        self._seen: set[tuple[int, int]] = set()
        self._kept: list[Any] = []  # so that no id is used twice

    def compare(self, one: Any, other: Any, path: str = '') -> None:
        if (id(one), id(other)) in self._seen:
            return
        self._seen.add((id(one), id(other)))
        self._kept += [one, other]
        self.met.update(kind.__name__ for kind in type(one).__mro__)
        if one is other or type(one).__name__ == 'Neighbors':  # lists with unused space, made again in each cycle
            return
        if type(one) is not type(other):
            self.differences.append(f'{path}: {type(one).__name__}, {type(other).__name__}')
        elif isinstance(one, np.ndarray):
            same = one.shape == other.shape and one.dtype == other.dtype
            if not (same and np.array_equal(one, other, equal_nan=one.dtype.kind in 'fc')):
                self.differences.append(f'{path}: {one.ravel()[:4]}, {other.ravel()[:4]}')
        elif isinstance(one, (bool, int, float, str, bytes, type(None))):
            if one != other and not (isinstance(one, float) and math.isnan(one) and math.isnan(other)):
                self.differences.append(f'{path}: {one!r}, {other!r}')
        elif isinstance(one, (list, tuple)):
            if len(one) != len(other):
                self.differences.append(f'{path}: {len(one)} items, {len(other)}')
            for k, (a, b) in enumerate(zip(one, other, strict=False)):
                self.compare(a, b, f'{path}[{k}]')
        elif isinstance(one, dict):
            if list(one) != list(other):
                self.differences.append(f'{path}: keys {list(one)[:5]}, {list(other)[:5]}')
            for key in one.keys() & other.keys():
                self.compare(one[key], other[key], f'{path}[{key!r}]')
        elif not isinstance(one, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
            a, b = fields(one), fields(other)
            for name in sorted(a.keys() | b.keys()):
                if name not in WORK_SPACE:
                    self.compare(a.get(name), b.get(name), f'{path}.{name}')


def rig_of(path: str) -> types.ModuleType:
    """Return a test module of a package, for the rig that it drives its subject with."""
    spec = importlib.util.spec_from_file_location(Path(path).stem + '_rig', ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(ROOT / path).parent))  # for what test modules share
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


PAD = {'model': 'rigid', 'polygon': [[0.3, -3.0], [3.0, -3.0], [3.0, 3.0], [0.3, 3.0]]}
GROUNDS: dict[str, dict[str, Any]] = {
    'soil': {'source': 'flat', 'spacing_m': 0.04},
    'rigid': {'source': 'flat', 'spacing_m': 0.04, 'model': 'rigid'},
    'soil beside a pad': {'source': 'flat', 'spacing_m': 0.04, 'regions': [PAD]},
}


def vehicle_on(model: str, ground: str) -> Vehicle:
    """Return a shipped vehicle on flat terrain, placed at the origin."""
    config, mjcf = load_vehicle_model(model)
    terrain = TerrainConfig.model_validate(GROUNDS[ground])
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    digs = bool(config.tools) and ground == 'soil'
    vehicle = Vehicle(
        'v',
        config,
        mjcf,
        grid,
        terrain.soil_map(),
        1.62,
        displacement=terrain.displacement(),
        diggable=DiggableSoil(terrain, 1.62) if digs else None,
    )
    vehicle.place(0.0, 0.0, 0.0)
    return vehicle


def use(vehicle: Vehicle) -> None:
    """Drive forwards in a curve, then backwards, joints moving; leave soil in the air and payloads on board."""
    joints = {name: 0.2 for name in vehicle.config.joints}
    for command in (DriveCommand(0.4, 0.1, joints), DriveCommand(-0.3, 0.0, joints)):
        targets = vehicle.gear.targets(command)
        for _ in range(12):
            vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *targets))
            vehicle.commit()
    if vehicle.config.tools:
        place = np.array([0.5, 0.0, 2.0])
        vehicle.tools.flight.drop(1.0, place, np.zeros(3), np.array([1.0, 0.0]), (0.1, 0.1))


@pytest.mark.parametrize(
    ('model', 'ground'),
    [
        ('viper', 'soil'),
        ('viper', 'soil beside a pad'),
        ('rassor', 'soil'),
        ('rocker_bogie', 'rigid'),
        ('hmmwv', 'soil'),
        ('hmmwv', 'rigid'),
        pytest.param('m113', 'soil', marks=pytest.mark.slow),
    ],
)
def test_a_vehicle_that_is_placed_again_is_as_new(model: str, ground: str) -> None:
    used, new = vehicle_on(model, ground), vehicle_on(model, ground)
    undisturbed = new.grid.save()
    use(used)
    driven = Comparison()
    driven.compare(used, new)
    assert len(driven.differences) > 5, 'it was not used'
    used.grid.load(undisturbed)
    used.place(0.0, 0.0, 0.0)
    reset = Comparison()
    reset.compare(used, new)
    assert reset.differences == []
    MET.update(reset.met)


def test_particles_that_are_reset_are_as_new() -> None:
    crm = rig_of('src/regolith_terrain/test/test_crm_domain.py')
    used, new = crm.contact(), crm.contact()
    crm.push(used, 6)
    used.reset()
    # Neighbors and forces are found again in each cycle.
    for contact in (used, new):
        crm.push(contact, 1)
    reset = Comparison()
    reset.compare(used, new)
    assert reset.differences == []
    MET.update(reset.met)


def same(used: Any, new: Any) -> None:
    """Compare two participants that were restored and have evolved through a cycle since."""
    found = Comparison()
    found.compare(used, new)
    assert found.differences == []
    MET.update(found.met)


def test_a_vehicle_and_a_terrain_that_are_restored_are_as_new() -> None:
    """After committed and discarded attempts, with an input latched for the very cycle that comes again."""
    vehicles = rig_of('src/regolith_vehicles/test/test_agent.py')
    used, new = vehicles.Rig(driver={'type': 'external'}), vehicles.Rig(driver={'type': 'external'})
    for commit in (True, False, True):
        assert used.agent.on_command(0.3, 0.1)
        used.evolve(commit=commit)
    used.hold()
    agent, terrain, cycle, t_ns = used.agent.save(), used.terrain.save(), used.cycle, used.t_ns
    assert used.agent.on_command(0.1, 0.0)
    used.evolve(commit=False)
    for rig in (used, new):
        rig.epoch = 2
        rig.go_to(agent, terrain, cycle, t_ns)
        assert rig.agent.on_command(0.2, -0.1)
        rig.evolve()
        rig.hold()
    assert used.results[-1].state_hash == new.results[-1].state_hash
    same(used.agent, new.agent)
    same(used.terrain, new.terrain)


def test_a_comms_node_that_is_restored_is_as_new() -> None:
    comms = rig_of('src/regolith_comms/test/test_comms_participant.py')
    used, new = comms.Rig(), comms.Rig()
    for commit in (True, False, True, True):
        used.evolve(commit=commit)
    used.send(Command.HOLD, 0)
    saved, cycle, t_ns = used.comms.save(), used.cycle, used.t_ns
    used.verdict = Verdict.NONE
    used.evolve(commit=False)
    for rig in (used, new):
        rig.comms.restore(saved, 3)
        rig.epoch, rig.cycle, rig.attempt, rig.t_ns, rig.verdict = 3, cycle, 0, t_ns, Verdict.NONE
        rig.evolve()
        rig.send(Command.HOLD, 0)
    assert used.results[-1].state_hash == new.results[-1].state_hash
    same(used.comms, new.comms)


def test_a_drawn_ground_that_restarts_is_as_new() -> None:
    """After changes of the soil all tiles are undisturbed again, also the ones that the changes added."""

    def drawn() -> TerrainMesh:
        mesh = TerrainMesh(FlatField(), 0.02, 10.0, TerrainShading())
        mesh.show(mesh.patches_around(np.zeros((1, 2))), [(0, 0)])
        return mesh

    used, new = drawn(), drawn()
    node = np.array([3], np.int32)
    used.take([NodeRecords(node, node, np.full((len(FIELDS), 1), -0.02))])
    assert used._tiles[0, 0].level.min() < 0.0
    used.restart()
    np.testing.assert_array_equal(used._tiles[0, 0].level, new._tiles[0, 0].level)
    reset = Comparison()
    reset.compare(used, new)
    assert reset.differences == []
    MET.update(reset.met)


def test_every_class_that_resets_is_compared() -> None:
    """A class with a reset, whether new or renamed, is reached by one of the cases above or named with a reason."""
    found = classes_that_reset()
    assert found > {'VehicleTools', 'Car', 'VehicleAgent'} and set(NOT_STATE) <= found
    assert found - set(NOT_STATE) - MET == set()
