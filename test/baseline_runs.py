# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The runs whose numbers are stored in ``test/baselines``."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import yaml
from baseline_functions import measured
from baseline_interface import interface
from baseline_texts import read_by_people
from baseline_values import FOLDER, Rows, Series
from baseline_view import drawn
from harness import run_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.report.image_reader import image_pixels
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.description.model_files import VEHICLE_LIBRARY
from regolith_world.cycle.records import Cycle, CycleResult


def slope() -> np.ndarray:
    """Return heights of ground that falls along both axes, unlike along each, and bulges [m], shape (43, 51), by posts.

    Products and sums alone: functions of the C library differ by processor.
    """
    x, y = np.linspace(-1.0, 1.0, 51)[None, :], np.linspace(-1.0, 1.0, 43)[:, None]
    made: np.ndarray = 1.3 * x + 2.1 * y + 0.4 * x * y - 0.7 * x * x + 0.3 * y * y * y + 0.25 * x * x * y
    return made


PLACE_WEIGHTS = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0])


def _kind(name: str) -> str:
    """Return a name without the numbers of spawned objects, which are as many as there are cycles."""
    return re.sub(r'/\d+$', '/*', name)


def _changes(grid: SoilGrid, records: NodeRecords) -> NodeRecords:
    """Return by how much records change the committed soil."""
    before = grid.records_at(records.i, records.j)
    return NodeRecords(records.i, records.j, records.table - before.table, records.fields)


class Watch:
    """Everything that a simulation in this process sends, as series."""

    def __init__(self) -> None:
        self.series = Series()
        self.simulation: Simulation | None = None

    def watch(self, simulation: Simulation) -> None:
        """Take what a simulation sends from now on."""
        self.simulation = simulation
        simulation.group.on_record = self._on_cycle
        simulation.group.on_results = lambda results: [self._on_result(result) for result in results]
        simulation.on_update = self._on_update
        simulation.on_deltas = lambda deltas: [self._on_delta(delta) for delta in deltas]

    def _on_update(self, update: SoilUpdate) -> None:
        assert self.simulation is not None
        records = _changes(self.simulation.terrain.grid, update.records)
        sent = {'conflicts': update.conflicts, 'grants': update.grants, 'loose': update.loose}
        self.series.add('soil', {'records': records, **sent})

    def _on_delta(self, delta: SoilDelta) -> None:
        assert self.simulation is not None
        grid = self.simulation.agents[delta.agent].grid
        self.series.add(f'delta.{delta.agent}', {'records': _changes(grid, delta.records), 'work': delta.work})

    def snapshot(self, name: str, state: VehicleState) -> None:
        """Take a vehicle's committed state."""
        self.series.add(f'vehicle.{name}', state)

    def _on_cycle(self, cycle: Cycle) -> None:
        record = {
            't_ns': cycle.t_ns,
            'dt_ns': cycle.dt_ns,
            'verdict': cycle.verdict,
            'spawned': list(map(_kind, cycle.spawned)),
            'removed': list(map(_kind, cycle.removed)),
            'constrained': list(cycle.constrained),
            'impulses': len(cycle.impulses),
        }
        self.series.add('cycle', record)
        for body in cycle.bodies:
            self.series.add(f'body.{_kind(body.name)}', replace(body, name=''))
        for impact in cycle.impulses:
            self.series.add(f'impulse.{_kind(impact.a)}.{_kind(impact.b)}', [impact.point, impact.impulse])
        for meeting in cycle.intersections:
            where = float(PLACE_WEIGHTS @ np.concatenate((meeting.point, meeting.normal)))
            met = {'status': meeting.status, 'distance': meeting.distance, 'where': where}
            self.series.add(f'intersection.{_kind(meeting.a)}.{_kind(meeting.b)}', met)

    def _on_result(self, sent: CycleResult) -> None:
        bounds = {'next_dt_ns': sent.next_dt_ns, 'swept_min': sent.swept_min, 'swept_max': sent.swept_max}
        self.series.add(f'result.{sent.name}', {**bounds, 'inverse_inertia': sent.inverse_inertia})

    def finish(self) -> Rows:
        """Return all rows, those of the end among them."""
        simulation = self.simulation
        assert simulation is not None
        self.series.add('end.terrain', simulation.terrain.summary())
        grid = simulation.terrain.grid
        self.series.add('end.soil', grid.all_records())
        self.series.add('end.loose', simulation.terrain.loose)
        x, y = (side.ravel() for side in np.meshgrid(np.linspace(-9.7, 9.1, 17), np.linspace(-8.3, 9.9, 19)))
        field = simulation.terrain.height_field
        self.series.add('end.heights', field.heights(x, y))
        config = simulation.scenario.terrain
        for name, agent in simulation.agents.items():
            self.series.add(f'start.soils.{name}', config.soil_map(name).rows(-260, 260, -260, 260, config.spacing_m))
            self.series.add(f'end.vehicle.{name}', agent.summary())
            self.series.add(f'start.vehicle.{name}', agent.join_request().shapes)
        world = simulation.world
        for name in ('t_ns', 'cycle', 'discarded_cycles', 'forced_cycles'):
            self.series.add(f'end.world.{name}', getattr(world, name))
        return self.series.rows()


def _prepare(folder: Path) -> None:
    """Write all scenarios and what they need."""
    for file in FOLDER.glob('*.yaml'):
        shutil.copy(file, folder)
    np.save(folder / 'slope.npy', slope())
    _write_diggers(folder)


def _write_diggers(folder: Path) -> None:
    """Write two diggers: one whose arms move fast and whose drums fill soon, and one with a blade and a bucket."""
    source = VEHICLE_LIBRARY.known()['rassor']
    assert isinstance(source, Path)
    model = yaml.safe_load(source.read_text(encoding='utf-8'))
    model['mjcf'] = str(source.parent / model['mjcf'])
    for joint in model['joints'].values():
        joint['rate'] = 4.0
    for part in model['payloads'].values():
        part['capacity_kg'] = 6.0
    (folder / 'fast_digger.yaml').write_text(yaml.safe_dump(model), encoding='utf-8')
    model['payloads'] = {
        'pile': {'body': 'base_link', 'capacity_kg': 25.0},
        'bucket': {'body': 'drum_rear', 'capacity_kg': 4.0},
    }
    model['tools'] = {
        'blade': {
            'kind': 'blade',
            'body': 'base_link',
            'payload': 'pile',
            'position': [0.62, 0.04, -0.24],
            'width_m': 0.57,
            'orientation': [0.0, 0.0, 0.1305262, 0.9914449],
            'rake_angle_deg': 64.0,
            'adhesion_pa': 120.0,
            'soil_tool_friction_deg': 19.0,
            'dump_time_s': 0.9,
        },
        'a_bucket': {
            'kind': 'bucket',
            'body': 'drum_rear',
            'payload': 'bucket',
            'position': [0.05, 0.02, -0.2],
            'width_m': 0.44,
            'dump_angle_deg': 21.0,
            'dump_time_s': 0.7,
            'fill_curve': [[0.0, 0.9], [0.5, 0.7], [1.0, 0.0]],
        },
    }
    (folder / 'grader.yaml').write_text(yaml.safe_dump(model), encoding='utf-8')


@contextlib.contextmanager
def untried() -> Iterator[None]:
    """Leave out what takes half of the time of a run so short: to place all vehicles on trial, of which no row comes."""
    with (
        patch('regolith_bringup.scenario.vehicle_section._build'),
        patch('regolith_bringup.scenario.vehicle_section._check_room'),
        patch('regolith_bringup.scenario.loading.check_clear'),
    ):
        yield


def simulated(name: str, *settings: str, threads: int = 1, act: Callable[[Simulation], Any] | None = None) -> Rows:
    """Return the rows of a scenario of ``test/baselines``, run in this process without ROS.

    Args:
        settings: ``a.b=value``
        threads: number of threads, of which no value may depend
        act: called once with the simulation before its first cycle
    """
    with tempfile.TemporaryDirectory(prefix='baseline') as made:
        folder = Path(made)
        _prepare(folder)
        with untried():
            scenario = load_scenario(folder / f'{name}.yaml', settings).scenario
        watch = Watch()
        simulation = Simulation(scenario, threads=threads, publish=watch.snapshot)
        watch.watch(simulation)
        if act is not None:
            act(simulation)
        simulation.run(scenario.duration_s)
        return watch.finish()


# -- a recorded run, with sensors and radios -------------------------------------------------------------------------

BY_WALL_TIME = re.compile(
    r'/diagnostics|/rosout|/regolith/(status|cycle|cycle_result|terrain/delta)|.*/(preview|image_raw/compressed)'
)
"""Topics whose messages depend on wall time, that are in other baselines, or whose packing is another library's."""
COMMITTED = '/regolith/terrain/committed'
LINKS = '/regolith/comms/links'
"""Of it the first and the last message: between, it is published with the waits of the run as well."""
ROWS_OF = {'1': 'i1', '2': 'u1', '3': 'i2', '4': 'u2', '5': 'i4', '6': 'u4', '7': 'f4', '8': 'f8'}
"""Types of the fields of a point cloud."""


@lru_cache(maxsize=1)
def recorded_run() -> Path:
    """Return the folder of a recorded run of the scenario with sensors, made once in a test process."""
    folder = Path(tempfile.mkdtemp(prefix='baseline'))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _prepare(folder)
    return run_scenario(folder, folder / 'sense.yaml', name='run').run_dir


def content(message: Any) -> Any:
    """Return a message of a bag with images and clouds as arrays, without its constants."""
    kind = getattr(message, '__msgtype__', '')
    if kind == 'sensor_msgs/msg/Image':
        return {'header': content(message.header), 'encoding': message.encoding, 'pixels': image_pixels(message)}
    if kind == 'sensor_msgs/msg/PointCloud2':
        fields = list(message.fields)
        rows = np.dtype(
            {
                'names': [f.name for f in fields],
                'formats': [f'<{ROWS_OF[str(f.datatype)]}' for f in fields],
                'offsets': [f.offset for f in fields],
                'itemsize': message.point_step,
            }
        )
        points = np.frombuffer(message.data, rows)
        names = ' '.join(f'{f.name}:{f.datatype}@{f.offset}' for f in fields)
        size = [message.height, message.width, message.row_step, message.is_dense]
        return {'header': content(message.header), 'fields': names, 'size': size, 'points': points}
    if not dataclasses.is_dataclass(message):
        return [content(part) for part in message] if isinstance(message, list) else message
    own = [field.name for field in dataclasses.fields(message) if field.name not in ('__msgtype__', 'key')]
    return {name: content(getattr(message, name)) for name in own if not name.isupper()}


def sent_again(key: Any, known: set[tuple[int, int, int]]) -> bool:
    """Return whether an attempt is known, and add it: a cycle without a response in time is announced again."""
    attempt = key.epoch, key.cycle, key.attempt
    again = attempt in known
    known.add(attempt)
    return again


def recorded() -> Rows:
    """Return the rows of all topics of the recorded run."""
    series, links = Series(), []
    commits: set[tuple[int, int, int]] = set()
    for message in Bag(recorded_run()).messages():
        if message.topic == '/tf' or message.topic == '/tf_static':
            for each in message.content.transforms:
                series.add(f'{message.topic} {each.header.frame_id} {each.child_frame_id}', content(each.transform))
        elif message.topic == LINKS:
            links.append(content(message.content))
        elif message.topic == COMMITTED and sent_again(message.content.key, commits):
            continue
        elif not BY_WALL_TIME.fullmatch(message.topic):
            series.add(message.topic, content(message.content))
    for each in (links[0], links[-1]):
        series.add(LINKS, each)
    return series.rows()


def texts() -> Rows:
    """Return the rows of commands on the recorded run."""
    with tempfile.TemporaryDirectory(prefix='baseline') as made:
        folder = Path(made)
        _prepare(folder)
        shutil.copytree(recorded_run(), folder / 'run')
        return read_by_people(folder / 'run', folder)


def view() -> Rows:
    """Return the rows of what the view of the recorded run draws."""
    with tempfile.TemporaryDirectory(prefix='baseline') as made:
        return drawn(recorded_run(), Path(made) / 'run.rrd')


BASELINES: dict[str, Callable[[], Rows]] = {
    'drive': lambda: simulated('drive'),
    'objects': lambda: simulated('objects'),
    'dig': lambda: simulated('dig'),
    'soil': lambda: simulated('soil'),
    'particles': lambda: simulated('particles'),
    'sense': recorded,
    'texts': texts,
    'view': view,
    'interface': interface,
    'functions': measured,
}
"""Each baseline's name and what measures it."""
