# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is reset after use equals what was never used, and what is restored equals what was saved, field by field.

Classes that can be reset, and those that declare their state, are found in the sources. Two objects are compared
through all attributes that can be reached from them. So a field that a reset leaves behind, and one that changes during
a run but is in no declaration, is found without being listed here.
"""

from __future__ import annotations

import ast
import importlib.util
import math
import sys
import types
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_bringup.view.terrain_mesh import TerrainMesh
from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_terrain.config import TerrainConfig
from regolith_terrain.contact import cylinder
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.grid.node_records import FIELDS, NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.solids import SolidContact
from regolith_vehicles.agent.events import EventDetector
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import ExternalDriver, PathDriver
from regolith_vehicles.drivers.config import ExternalDriverConfig, PathDriverConfig
from regolith_vehicles.drivers.dig_goals import DigGoalDriver
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import DigConfig, TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_world.config import WorldConfig
from regolith_world.cycle import StateLayout
from regolith_world.cycle.codec import decode_record, encode_record
from regolith_world.cycle.records import BodyState, Command, Verdict
from regolith_world.cycle.step_control import StepControl
from regolith_world.objects.object import SavedObject
from regolith_world.objects.object_types import make_objects, restored
from regolith_world.world import World

ROOT = Path(__file__).resolve().parent.parent
CYCLE_NS = 20_000_000
RESETS = ('reset', 'restart', 'set_epoch')
WORK_SPACE = {'_bodies', '_boxes', '_rooms', 'appearance', '_scratch', '_streams', '_tiles', '_writes'}
WORK_SPACE |= {'_last', 'soil_writes', 'revision', '_given', '_rows', '_packed_of', '_last_packed', '_hash_of'}
WORK_SPACE |= {'force_fields'}
"""Attributes without state: arrays that every step overwrites, addresses, caches of undisturbed ground, of boxes and
of keys, counts of changes and the last states received; and the appearance of objects, which the visuals of the world contain."""
NOT_STATE = {
    'RunningSimulation': 'sends a request to a running world',
    'NodeProcess': 'starts a process',
    'Runner': 'node of the world; the states it resets are those of its participants',
    'Pacer': 'holds wall time',
    'EventPixels': 'pixels of an event camera, which start again after a gap; see test_event_camera.py',
    'RegolithEnv': 'begins an episode from a checkpoint; see test_gym.py',
    'SharedWorldVectorEnv': 'begins episodes from a checkpoint; see test_gym.py',
}
"""Classes with a method of such a name that resets no state of their own."""
NOT_SAVED = {
    *(
        'BandState.' + name
        for name in ('center', 'load', 'pins', 'pull', 'radius', 'rotation', 'spin', 'velocity', 'way')
    ),
    *('BandState.discs', 'BandState.pieces'),  # poses of shoes and forces on them: found again in every substep
    *('ConstraintSystem.' + name for name in ('jacobian', 'matrix', 'right')),  # work arrays of a solution
    *('PartPose.' + name for name in ('angular_velocity', 'center', 'rotation', 'velocity')),  # of one part in the loop
    *('Vehicle._body_state', 'Wrenches.force', 'Wrenches.stats', 'Wrenches.torque'),  # results of the last cycle
    *('RigidContact._point', 'ScmContact._zeros', 'TireContact._foot'),  # work arrays of a contact
    *('RingContact._work', 'SoilRingContact._work', 'SoilRingContact._nodes'),  # the same of flexible tires
    'Shapes.profile',  # written from the deflections of a tire in every press
    *('ParticleArrays.force', 'ParticleArrays.torque', 'ParticleBed._on_markers'),  # results of the last step
    *('ParticleBed.force', 'ParticleBed.torque', 'ParticleBed.rebuilds'),
    *('Assembly._measures', 'Assembly._way', 'Assembly.rebuilt'),  # found with the next lists of pairs; a statistic
    *('BodyArrays.wrench', 'GrainArrays.built', 'GrainArrays.load'),
    *('BodyArrays.done', 'BodyArrays.force', 'BodyArrays.torque'),  # of the substep
    *(
        'BodySteps._kept',
        'BodySteps._steps',
        'BodySteps._window',
        'BodyShape.solid',
        '_Memory.dense',
    ),  # made again where they are absent
    *('DigGoalDriver._levels', 'TasksDriver._levels', 'Wheels._goal'),  # inputs of the present cycle
    *('InputLatch._latched', 'InputLatch._arrived', 'LiveInput.command', 'VehicleAgent._live'),
    'TerrainParticipant._latched',
    *('VehicleAgent._start', 'VehicleAgent._state'),
    *('VehicleAgent._samples', 'VehicleAgent._unseen'),  # what observers get
    *('VehicleAgent._Participant__result', 'VehicleAgent._last_key', 'VehicleAgent.epoch'),  # memory of the protocol
    *('TerrainParticipant._Participant__result', 'TerrainParticipant._last_key', 'TerrainParticipant.epoch'),
    *('TerrainParticipant._committed', 'TerrainParticipant.t_ns'),  # the last update, for those that lost it
    *(
        'CommsParticipant.' + name
        for name in ('_Participant__result', '_dispatched', '_last_key', 'epoch', 'positions')
    ),
    *('BodiesParticipant.' + name for name in ('_Participant__result', '_last_key', 'epoch')),
    *('BodyArrays.mobility', 'BodyArrays.rotation', 'BodyArrays.work', 'BodySetting.mobility'),  # of the orientation
    *('BodyRigidContact._found', 'BodyScmContact._point', 'BodyScmContact._zeros'),  # work arrays of a contact
    *(
        'SolidContact._work',
        'RigidBodies.start',
        'BodiesParticipant._awake',
        'BodiesParticipant._steps',
    ),  # of the cycle
    *('MovingSolids.' + name for name in ('done', 'force', 'mobility', 'torque', 'touching', 'both')),  # of the substep
    *('RigidBodies._states', 'RigidBodies.geometry', 'RigidBody._hashed', 'MemberState.kept'),  # kept results
    *('Wrench.force', 'Wrench.stats', 'Wrench.torque'),  # of one part in the loop
    *('StateManager._states', 'StateManager._times'),  # the history before the saved state
    'ThrowingRobot._before',  # for the discard of an attempt
}
"""Attributes that change during a run and are no state: caches, outputs, work arrays and inputs."""
SLOW = {'Tracks'}
"""Classes that only a slow case compares."""
WITH_STATE: set[str] = set()
"""Classes with a declared state, of which the tests of this module have restored an object."""
MET: set[str] = set()
"""Classes of which the tests of this module have compared an object."""


@cache
def classes() -> tuple[ast.ClassDef, ...]:
    """Return all classes of the packages."""
    found: list[ast.ClassDef] = []
    for path in sorted((ROOT / 'src').glob('regolith_*/regolith_*/**/*.py')):
        tree = ast.parse(path.read_text(encoding='utf-8'))
        found += [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return tuple(found)


def classes_that_reset() -> set[str]:
    """Return the names of all classes that define one of the methods."""
    return {c.name for c in classes() if {m.name for m in c.body if isinstance(m, ast.FunctionDef)} & set(RESETS)}


def classes_with_state() -> set[str]:
    """Return the names of all classes that declare fields of a state."""
    found = set()
    for node in classes():
        for item in node.body:
            targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, 'target', None)]
            if any(isinstance(t, ast.Name) and t.id == 'STATE' for t in targets) and len(item.value.args) > 1:
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
        self.attributes: set[str] = set()
        """Attributes that differ, with their classes."""
        self.met: set[str] = set()
        self.states: list[tuple[Any, Any]] = []
        """Pairs of objects with a declared state."""
        self._seen: set[tuple[int, int]] = set()
        self._kept: list[Any] = []  # so that no id is used twice

    def _differ(self, path: str, owner: str, text: str) -> None:
        self.differences.append(f'{path}: {text}')
        self.attributes.add(owner)

    def compare(self, one: Any, other: Any, path: str = '', owner: str = '') -> None:
        if (id(one), id(other)) in self._seen:
            return
        self._seen.add((id(one), id(other)))
        self._kept += [one, other]
        self.met.update(kind.__name__ for kind in type(one).__mro__)
        # Lists with unused space, made again in each cycle; and compiled functions.
        if one is other or type(one).__name__ in ('Neighbors', 'CPUDispatcher'):
            return
        if type(one) is not type(other):
            self._differ(path, owner, f'{type(one).__name__}, {type(other).__name__}')
        elif isinstance(one, np.ndarray):
            same = one.shape == other.shape and one.dtype == other.dtype
            if not (same and np.array_equal(one, other, equal_nan=one.dtype.kind in 'fc')):
                self._differ(path, owner, f'{one.ravel()[:4]}, {other.ravel()[:4]}')
        elif isinstance(one, (bool, int, float, str, bytes, type(None))):
            if one != other and not (isinstance(one, float) and math.isnan(one) and math.isnan(other)):
                self._differ(path, owner, f'{one!r:.80}, {other!r:.80}')
        elif hasattr(one, '_fields'):
            for name, a, b in zip(one._fields, one, other, strict=True):
                self.compare(a, b, f'{path}.{name}', f'{type(one).__name__}.{name}')
        elif isinstance(one, (list, tuple)):
            if len(one) != len(other):
                self._differ(path, owner, f'{len(one)} items, {len(other)}')
            for k, (a, b) in enumerate(zip(one, other, strict=False)):
                self.compare(a, b, f'{path}[{k}]', owner)
        elif isinstance(one, dict):
            if list(one) != list(other):
                self._differ(path, owner, f'keys {list(one)[:5]}, {list(other)[:5]}')
            for key in one.keys() & other.keys():
                self.compare(one[key], other[key], f'{path}[{key!r}]', owner)
        elif not isinstance(one, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
            if isinstance(getattr(type(one), 'STATE', None), StateLayout):
                self.states.append((one, other))
            a, b = fields(one), fields(other)
            record = owner and type(one).__module__.endswith('.records')
            for name in sorted(a.keys() | b.keys()):
                if name not in WORK_SPACE:
                    place = owner if record else f'{type(one).__name__}.{name}'
                    self.compare(a.get(name), b.get(name), f'{path}.{name}', place)


def check_restored(saved: Any, restored: Any) -> Comparison:
    """Compare an object with one that was restored from its state: they differ only where no state is."""
    found = Comparison()
    found.compare(saved, restored)
    unknown = found.attributes - NOT_SAVED
    assert not unknown, sorted(unknown)
    for one, other in found.states:
        for field in one.STATE.fields:
            if not sized(one, field.name):
                value, again = (attrgetter(field.name)(item) for item in (one, other))
                each = Comparison()
                each.compare(value, again)
                assert each.attributes <= NOT_SAVED, f'{type(one).__name__}.{field.name}: {each.differences}'
        WITH_STATE.update(kind.__name__ for kind in type(one).__mro__)
    return found


def sized(item: Any, name: str) -> bool:
    """Return whether a declared number is the size of a field, and no attribute."""
    return name in item.STATE._sizes


def fill(found: Comparison) -> None:
    """Give every declared number and array of the first objects of a comparison a value of its own."""
    for count, (item, _) in enumerate(found.states):
        for k, field in enumerate(item.STATE.fields):
            path, _, last = field.name.rpartition('.')
            owner = attrgetter(path)(item) if path else item
            if sized(item, field.name) or field.same:
                continue
            value, mark = getattr(owner, last), 1 + k + 100 * count
            if isinstance(value, np.ndarray) and value.dtype.kind in 'biuf' and last != 'bodies':  # unit quaternions
                odd = 9973 if value.dtype.kind == 'f' else 2
                value = (np.arange(value.size).reshape(value.shape) + mark) % odd
                if field.shared:
                    getattr(owner, last)[...] = value
                else:
                    setattr(owner, last, value.astype(field.kind))
            elif isinstance(value, (bool, int, float)):
                setattr(owner, last, type(value)(mark))
            elif field.kind is bytes and isinstance(field.shape, tuple) and isinstance(field.shape[0], int):
                setattr(owner, last, bytes((mark + n) % 2 for n in range(len(value))))


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


BALL = {'kind': 'sphere', 'size_m': [0.5]}
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
    use(used)
    used.commit()
    new.grid.load(used.grid.save())
    new.restore(used.state())
    found = check_restored(used, new)
    check_restored(used.grid.records, NodeRecords.restored(used.grid.records.save()))
    fill(found)
    used.restore(used.state())  # so that poses follow the values
    new.restore(used.state())
    check_restored(used, new)


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
    crm.push(used, 3)
    new.load(used.save())
    check_restored(used, new)


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
    new.epoch = 2
    new.go_to(agent, terrain, cycle, t_ns)
    check_restored(used.agent, new.agent)
    check_restored(used.terrain, new.terrain)
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


def test_drivers_that_are_restored_are_as_saved() -> None:
    base = BodyState('v', np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    dig = DigConfig(type='dig', tools=['front'], speed_mps=0.1, target_fill=0.5, timeout_s=9.0, joints={'arm': 0.3})
    path = PathDriverConfig(type='path', waypoints=[(-1.0, 0.1), (3.0, 0.0)], speed_mps=0.2)
    for make in (
        lambda: PathDriver(path),
        lambda: TasksDriver(TasksDriverConfig(type='tasks', tasks=[dig, dig])),
        lambda: DigGoalDriver(ExternalDriver(ExternalDriverConfig(type='external'))),
    ):
        used, new = make(), make()
        if isinstance(used, DigGoalDriver):
            given = DriveCommand(by=AckermannCommand(0.3, 0.1, 0.2, 0.4))
            used.receive(10**9, LiveInput(given, {'arm': 0.1}, DigOrder(dig)))
        for t_ns in (10**9, 11 * 10**9):
            used.set_fill_levels({'front': 0.1})
            used.command(t_ns, base)
        assert used.save() != new.save()
        new.restore(used.save())
        check_restored(used, new)


def test_contacts_with_solids_that_are_restored_are_as_saved() -> None:
    solids = rig_of('src/regolith_vehicles/test/test_among_solids.py').rock(0.3, 0.15, 1.0, 0.61)
    wheel = cylinder(0.25, 0.2)
    used, new = (SolidContact(solids, wheel, np.ones(1), np.ones(1)) for _ in range(2))
    used._count[:], used._key[0, :3], used._held[0, :3] = 3, (4, 5, 6), np.arange(9.0).reshape(3, 3) + 1.0
    new.load(used.save())
    check_restored(used, new)


def check_restored_and_reset(used: Any, new: Any, unused: Any) -> None:
    """Compare an object with one that takes its state, then, after a reset, with one that was never used."""
    assert used.save() != new.save()
    new.load(used.save())
    check_restored(used, new)
    used.reset()
    found = Comparison()
    found.compare(used, unused)
    assert found.attributes <= NOT_SAVED, found.differences
    MET.update(found.met)


def test_flexible_tires_that_are_restored_are_as_saved() -> None:
    """On rigid terrain and on soil; what a press writes is reset."""
    firm, soft = (rig_of(f'src/regolith_vehicles/test/{name}.py') for name in ('test_ring', 'test_ring_soil'))
    tire = firm.load_tire('hmmwv_ring')
    for rigs in ([firm.Rig(tire, 0.8) for _ in range(3)], [soft.Rig(4e4, 1.0, damping_nspm2=100.0) for _ in range(3)]):
        used, new, unused = (rig.contact for rig in rigs)
        for k in range(40):
            if hasattr(rigs[0], 'height'):
                rigs[0].press(1e-3, soft.RADIUS - 1e-3 * k, 0.3, 0.9)
            else:
                rigs[0].press(1e-3, 0.02, (1.0, 0.1, 0.0), 2.2)
        if hasattr(rigs[0], 'height'):
            used.remember(rigs[0].window, rigs[0].arrays)
        check_restored_and_reset(used, new, unused)


def test_faults_and_traction_that_are_restored_or_reset_are_as_saved() -> None:
    faults = rig_of('src/regolith_vehicles/test/test_vehicle_faults.py')
    traction = rig_of('src/regolith_vehicles/test/test_traction.py')
    stuck = {'of': 'wheel/front_left', 'kind': 'stuck', 'time_s': 0.02}
    limits = traction.TractionConfig(slip=0.01)
    for used, new, unused in (
        [faults.made(stuck).gear.faults for _ in range(3)],
        [traction.made({'model': 'rigid'}, traction=limits).gear.traction for _ in range(3)],
    ):
        for name in ('begun_ns', 'held', 'uncounted', 'integral', 'command', 'ramp_s'):
            if hasattr(used, name):
                getattr(used, name)[:] = np.arange(1, 1 + len(getattr(used, name)))
        check_restored_and_reset(used, new, unused)


def test_energy_that_is_restored_is_as_saved() -> None:
    energy = rig_of('src/regolith_vehicles/test/test_vehicle_energy.py')
    used, new = (
        energy.rover(energy.Day(), panels={'top': energy.TOP}, loads={'computer': {'power_w': 30.0}}).energy
        for _ in range(2)
    )
    used.values[:] = np.arange(1.0, 1.0 + len(used.values))
    new.load(used.save())
    assert (new.values == used.values).all()
    check_restored(used, new)
    used.reset()
    new.reset()
    assert used.values[0] == -1.0
    same(used, new)


def test_events_that_are_restored_are_as_saved() -> None:
    used, new = EventDetector(), EventDetector()
    fill(check_restored(used, new))
    assert {*used._told.values()} == {True, False}
    new.load(used.save())
    check_restored(used, new)


def test_step_control_that_is_restored_is_as_saved() -> None:
    used, new = (StepControl(20_000_000, 1_000) for _ in range(2))
    used.reject(20_000_000, 0.01, -0.002)
    new.load(used.save())
    check_restored(used, new)


def test_grains_that_are_restored_are_as_saved() -> None:
    grains = rig_of('src/regolith_testbeds/test/test_grain_assembly.py')
    used, new = grains.assembly(count=100), grains.assembly(count=100)
    used.advance(800)
    assert used.touching > 20
    new.load(used.save())
    used.load(used.save())  # pairs without contact are listed again
    check_restored(used, new)


THINGS: dict[str, dict[str, Any]] = {
    'ball': {'type': 'rigid_body', 'position': [0.1, 0, 1], 'shape': BALL, 'mass_kg': 2.0, 'lifetime_s': 9.0},
    'cushion': {
        'type': 'cushion',
        'position': [0, 9, 1],
        'shape': BALL,
        'mass_kg': 2.0,
        'stiffness_npm': 100.0,
    },
    'cloud': {'type': 'force_field', 'position': [0, 0, 1], 'shapes': [BALL], 'drag_per_s': 0.3},
    'gate': {
        'type': 'rope',
        'ends': [[2, 0, 3], [3, 0, 3]],
        'length_m': 1.1,
        'rods': 3,
        'mass_kg': 1.0,
        'radius_m': 0.05,
    },
    'hook': {'type': 'rigid_body', 'position': [9, 0, 1], 'shape': BALL, 'mass_kg': 2.0},
    'lift': {
        'type': 'platform',
        'position': [5, 0, 0],
        'end_position': [5, 0, 2],
        'travel_time_s': 4.0,
        'state_period_s': 0.05,
        'shapes': [BALL],
    },
    'robot': {'type': 'throwing_robot', 'position': [-9, 0, 0]},
    'spring': {'type': 'cable', 'between': ['hook', 'lift'], 'ends': [[0, 0, 0], [0, 0, 0]], 'stiffness_npm': 3.0},
    'wall': {'type': 'static_body', 'position': [-5, 0, 0], 'shapes': [BALL]},
}


def test_objects_that_are_restored_are_as_saved() -> None:
    world = World(WorldConfig(), make_objects(THINGS, 1.62))
    new = {item.name: type(item) for item in world.objects.values()}
    for _ in range(8):
        world.step()
    world.hold()
    assert new.keys() == THINGS.keys()
    for item in world.objects.values():
        again = restored(decode_record(SavedObject, encode_record(item.save())))
        assert again.state_hash() == item.state_hash() and again.save().more == item.save().more
        check_restored(item, again)


def test_a_comms_node_that_is_restored_is_as_new() -> None:
    comms = rig_of('src/regolith_comms/test/test_comms_participant.py')
    used, new = comms.Rig(), comms.Rig()
    for commit in (True, False, True, True):
        used.evolve(commit=commit)
    used.send(Command.HOLD, 0)
    saved, cycle, t_ns = used.comms.save(), used.cycle, used.t_ns
    new.comms.restore(saved, 3)
    check_restored(used.comms, new.comms)
    used.verdict = Verdict.NONE
    used.evolve(commit=False)
    for rig in (used, new):
        rig.comms.restore(saved, 3)
        rig.epoch, rig.cycle, rig.attempt, rig.t_ns, rig.verdict = 3, cycle, 0, t_ns, Verdict.NONE
        rig.evolve()
        rig.send(Command.HOLD, 0)
    assert used.results[-1].state_hash == new.results[-1].state_hash
    same(used.comms, new.comms)


@pytest.mark.parametrize('model', ['scm', 'rigid'])
def test_bodies_that_are_restored_or_reset_are_as_new(tmp_path: Path, model: str) -> None:
    """After a ball has hit the ground."""
    rig = rig_of('test/test_bodies.py')
    rigid = {'terrain': {'source': 'flat', 'spacing_m': 0.04, 'model': 'rigid', 'soil': {'friction': 0.6}}}
    changes = rigid if model == 'rigid' else {}
    (made, used), (other, new), (_, unused) = (rig.simulation(tmp_path, **changes) for _ in range(3))
    made.run(1.4)
    other.go_to(made.checkpoint())
    check_restored(used, new)
    driven, reset = Comparison(), Comparison()
    driven.compare(used.bodies.contact, unused.bodies.contact)
    assert driven.attributes - NOT_SAVED, 'they were not used'
    used.bodies.contact.reset()
    reset.compare(used.bodies.contact, unused.bodies.contact)
    assert reset.attributes <= NOT_SAVED, reset.differences
    MET.update(reset.met)


def test_a_body_on_a_rock_that_is_restored_is_as_saved() -> None:
    """A ball on a ramp: its contact point keeps its friction."""
    rig = rig_of('src/regolith_terrain/test/test_bodies_solids.py')

    def made() -> Any:
        turn = np.array([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]])
        ramp = rig.block((-3, -1, 1.0), (3, 1, 3.0), turn)
        bodies = rig.one_body(rig.shapes.sphere(0.1), 10.0, rig.rigid_parameters(), solids=ramp)
        bodies.place(0, turn @ np.array([0.0, 0.0, 3.1]))
        return bodies

    used, new = made(), made()
    rig.run(used, 0.2)
    assert used.members[0].friction is not None and used.members[0].friction.forces.any()
    new.load(used.save())
    check_restored(used, new)


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
    assert found - set(NOT_STATE) - MET - SLOW == set()


def test_every_class_with_a_declared_state_is_restored() -> None:
    """A class that declares its state, whether new or renamed, is restored by one of the cases above."""
    found = classes_with_state()
    assert found > {'VehicleAgent', 'Wheels', 'SoilGrid', 'RigidBody', 'ParticleBed'}
    assert found - WITH_STATE - SLOW == set()
