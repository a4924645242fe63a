# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the input of frames: poses, ground history, schedule, rocks, obstacles and coarse tiles."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.scene.pose_track import PoseTrack
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.scene.world_view import TerrainHistory, WorldStates, protruding_surfels
from regolith_sensors.schedule import Schedule
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.config import TerrainConfig
from regolith_terrain.contact.surfels import Surfels
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset
from regolith_terrain.lunar.rocks import RockField
from regolith_terrain.solids.rock_shapes import MOST, site_rocks
from regolith_terrain.updates.committed_soil import SoilCommit
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals
from regolith_world.cycle.records import CycleKey
from regolith_world.numerics.rotation import from_yaw

MS = 1_000_000


def state(x: float, yaw: float = 0.0) -> np.ndarray:
    return np.concatenate([(x, 0.0, 0.0), from_yaw(yaw)])[None]


def test_poses_are_interpolated_between_states() -> None:
    """Halfway position and rotation; at a state's own time bit-identical to the state."""
    track = PoseTrack(['chassis'])
    for k, (x, yaw) in enumerate([(0.0, 0.0), (0.1, 0.3), (0.7, math.pi - 0.1)]):
        track.add(20 * MS * k, state(x, yaw))
    place, turn = track.at(np.array([30, 20, 40, 99, -5]) * MS)
    assert place[0, 0] == pytest.approx(0.4, abs=1e-15)
    np.testing.assert_allclose(turn[0], from_yaw(0.5 * (0.3 + math.pi - 0.1)), atol=1e-15)
    assert turn[1].tobytes() == from_yaw(0.3).tobytes() and place[1, 0] == 0.1
    # Outside the known times: the nearest state.
    assert place[3, 0] == 0.7 and place[4, 0] == 0.0 and turn[4].tobytes() == from_yaw(0.0).tobytes()


def test_pose_track_rewind_discards_later_states() -> None:
    track = PoseTrack(['chassis'])
    for k in range(5):
        track.add(20 * MS * k, state(float(k)))
    track.add(40 * MS, state(7.0))
    assert track.last_ns == 40 * MS
    track.discard_after(40 * MS)
    assert track.last_ns == 40 * MS, 'the state at the time itself stays'
    assert track.at(80 * MS)[0][0, 0] == 7.0 and track.at(30 * MS)[0][0, 0] == 4.0


def dig(number: int, depth: float) -> NodeRecords:
    values = np.zeros((5, 1))
    values[1] = -depth
    return NodeRecords.from_values(np.array([number], np.int32), np.array([0], np.int32), values)


def commit(seq: int, t_ms: int, epoch: int = 0) -> SoilCommit:
    return SoilCommit(CycleKey(epoch, seq - 1, 0), t_ms * MS, seq, dig(seq - 1, 0.01), '')


def history() -> TerrainHistory:
    """Return the history of a run that begins, with the complete soil."""
    ground = TerrainHistory(SoilGrid(FlatField(), 0.1))
    assert ground.lost and not ground.knows(0)
    ground.soil.load(0, -1, 0, NodeRecords.empty())
    return ground


def test_terrain_history_is_independent_of_message_order() -> None:
    """Three commits: any possible order of cycles and changes gives the same ground."""
    cycles, commits = (0, 20, 30, 50), [commit(k + 1, t_ms) for k, t_ms in enumerate((20, 30, 50))]
    steps = [('cycle', c) for c in cycles] + [('commit', c) for c in commits]
    for order in itertools.permutations(range(len(steps))):
        kinds = [[k for k in order if (steps[k][0] == 'cycle') == wanted] for wanted in (True, False)]
        if any(k != sorted(k) for k in kinds):  # each topic keeps its own order
            continue
        ground = history()
        for k in order:
            what, value = steps[k]
            for _ in range(2):  # the world may repeat itself, and terrain too
                if what == 'cycle':
                    ground.on_cycle(0, value * MS)  # type: ignore[operator]
                else:
                    ground.soil.take(value)  # type: ignore[arg-type]
        assert ground.knows(50 * MS) and not ground.knows(51 * MS) and not ground.lost
        ground.advance(19 * MS)
        assert ground.grid.modified_count == 0
        ground.advance(29 * MS)
        assert ground.grid.all_records().i.tolist() == [0]
        ground.advance(30 * MS)
        assert ground.grid.all_records().level.tolist() == [-0.01, -0.01]
        assert [int(r.i[0]) for r in ground.changed if len(r)] == [0, 1]


def test_world_states_cover_known_times_only() -> None:
    ground = history()
    ground.on_cycle(0, 0)
    ground.on_cycle(0, 20 * MS)
    assert not ground.knows(19 * MS)
    ground.soil.take(commit(1, 20))
    assert ground.knows(19 * MS) and ground.knows(20 * MS) and not ground.knows(21 * MS)
    states = WorldStates({'amber': ['chassis']}, ground.grid)
    states.ground = ground
    assert not states.covers(0, 10 * MS)
    states.tracks['amber'].add(0, state(0.0))
    assert states.covers(0, 0) and not states.covers(0, 10 * MS)
    states.tracks['amber'].add(20 * MS, state(0.0))
    assert states.covers(-5 * MS, 10 * MS)  # before the start of the run everything was at rest
    # A vehicle that the world has removed does not block frames.
    states.participants = frozenset()
    assert states.covers(0, 19 * MS)


def test_surfels_are_of_the_same_commit_as_the_ground() -> None:
    """Frames wait for it; of several commits the last one counts; a rewind removes states of the abandoned future."""
    ground = history()
    ground.on_cycle(0, 0)
    states = WorldStates({'amber': ['chassis']}, ground.grid, particles=['amber'])
    states.ground = ground
    for k in range(1, 4):
        ground.soil.take(commit(k, 20 * k))
        ground.on_cycle(0, 20 * k * MS)
        states.tracks['amber'].add(20 * k * MS, state(0.0))
    moving = states.particles['amber']
    assert not states.covers(0, 40 * MS)
    for k in range(1, 4):
        moving.add(20 * k * MS, floating(0.1 * k))
    assert states.covers(0, 60 * MS) and not states.covers(0, 61 * MS)
    for t, height in ((10, None), (20, 0.1), (39, 0.1), (40, 0.2)):
        states.advance(t * MS)
        assert states.discs.place[:, 2].tolist() == ([] if height is None else [height])
        assert len(ground.grid.all_records()) == (t // 20)
    moving.discard_after(60 * MS)
    assert moving.last_ns == 60 * MS, 'the state at the time itself stays'
    moving.add(40 * MS, floating(0.7))
    assert moving.last_ns == 40 * MS
    states.advance(60 * MS)
    assert states.discs.place[:, 2].tolist() == [0.7]


def floating(*heights: float, slope: float = 0.0) -> Surfels:
    """Return discs of 0.02 m above the plane, off the nodes, all with one slope."""
    n = len(heights)
    place = np.stack((np.full(n, 5.03), np.full(n, 2.01), heights), axis=1)
    normal = np.broadcast_to(np.array([-slope, 0.0, 1.0]) / math.hypot(slope, 1.0), (n, 3))
    return Surfels(place, normal, np.full(n, 0.02), np.zeros((n, 6)))


def test_discs_below_the_height_field_are_left_out() -> None:
    """Discs on it, below it, and within 7 mm along the normal of a slope; between the nodes it is bilinear."""
    level = SoilGrid(FlatField(0.5), 0.1)
    assert protruding_surfels(floating(0.499, 0.506, 0.508, 3.0), level).place[:, 2].tolist() == [0.508, 3.0]
    slope = SoilGrid(PlaneField(1.0, 0.0), 0.1)
    above = [5.03 + 2**0.5 * off for off in (-0.05, 0.006, 0.008)]
    found = protruding_surfels(floating(*above, slope=1.0), slope)
    assert found.place[:, 2].tolist() == above[2:] and len(found.bend) == 1
    assert len(protruding_surfels(Surfels.none(), slope).place) == 0


def test_terrain_history_needs_the_complete_soil_after_late_start_or_missing_change() -> None:
    late = TerrainHistory(SoilGrid(FlatField(), 0.1))
    late.on_cycle(0, 140 * MS)
    late.soil.take(commit(8, 160))
    late.on_cycle(0, 160 * MS)
    assert late.lost and not late.knows(140 * MS)
    late.soil.load(0, 160 * MS, 8, dig(3, 0.2))  # with the change that has arrived
    assert late.knows(160 * MS) and late.valid_from_ns == 160 * MS
    late.advance(160 * MS)
    assert late.grid.all_records().i.tolist() == [3]
    late.soil.take(commit(10, 200))
    late.on_cycle(0, 200 * MS)
    late.advance(180 * MS)
    assert not late.lost, 'the change of this time may still arrive'
    late.advance(200 * MS)
    assert late.lost  # number 9 is missing
    late.soil.load(0, 200 * MS, 10, dig(3, 0.2))
    late.advance(200 * MS)
    late.changed.clear()
    # A rewind: the nodes changed in the abandoned future are reported as changed.
    late.on_cycle(1, 80 * MS)
    assert late.lost and late.valid_from_ns == 80 * MS
    late.soil.load(1, -1, 4, NodeRecords.empty())
    late.advance(80 * MS)
    assert late.grid.modified_count == 0 and 3 in np.concatenate([r.i for r in late.changed])


def test_schedule_sorts_frames_by_end_time() -> None:
    """Frame n is at round(n 1e9 / f) ns for n = 0 ... ceil(T f) - 1; 30 Hz is no integer number of ns, without drift."""
    rates, after = (30.0, 7.0), (0, round(1e9 / 7.0))
    schedule = Schedule([lambda n, f=f: round(n * 1e9 / f) for f in rates], after)  # type: ignore[misc]
    seen: list[list[int]] = [[], []]
    ends = []
    while (due := schedule.next()) is not None and due.t_ns < 2_000_000_000:
        assert due.n == len(seen[due.sensor])
        seen[due.sensor].append(due.t_ns)
        ends.append(due.end_ns)
        schedule.done()
    assert ends == sorted(ends)
    assert seen[0] == [round(n * 1e9 / 30.0) for n in range(60)]
    assert seen[1] == [round(n * 1e9 / 7.0) for n in range(len(seen[1]))]
    schedule.start(1_000_000_000)
    first = {}
    for _ in range(8):
        due = schedule.next()
        assert due is not None
        first.setdefault(due.sensor, (due.n, due.t_ns))
        schedule.done()
    assert first == {0: (30, 1_000_000_000), 1: (7, 1_000_000_000)}


@pytest.mark.parametrize('stride', [2, 4, 8])
def test_coarse_tiles_conserve_the_volume_of_ruts(stride: int) -> None:
    """Coarse nodes have the mean over their squares: displaced volume is conserved and stays in place."""
    grid = SoilGrid(PlaneField(0.1, -0.05), 0.05)
    i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(np.arange(-70, 70), np.arange(5, 12), indexing='ij'))
    base = grid.height_field.heights(i * 0.05, j * 0.05)
    values = np.zeros((5, len(i)))
    values[0], values[1] = base, base - 0.03
    grid.apply(NodeRecords.from_values(i, j, values))
    ground = SoilHeightSource(grid)
    level, undisturbed = ground.block(-12 * 32, -3 * 32, stride, 12 * 32 * 2 // stride)
    volume = np.sum(undisturbed - level) * stride**2
    assert volume == pytest.approx(0.03 * len(i), rel=1e-12)
    deepest = np.argmax(np.sum(undisturbed - level, axis=0))
    assert abs((-3 * 32 + deepest * stride) - 8) <= stride


@pytest.mark.seconds
@pytest.mark.slow
def test_rock_numbers_are_independent_of_the_viewer() -> None:
    terrain = TerrainConfig.model_validate({'preset': 'mare', 'map_size_m': 40.0, 'spacing_m': 0.05})
    light = LightConfig.model_validate({'view_range_m': 40.0})
    world = SensorScene(terrain, light, 3, {'amber': load_visuals(*load_vehicle_model('viper'))})
    shown = []
    for x in (0.0, 12.0, 0.0):
        view = world.view('amber')
        view.center_on((x, 0.0, 0.0))
        shown.append({thing.name: thing.number for thing in view.scene.objects})
    assert shown[0] == shown[2]
    common = [name for name in shown[0] if name in shown[1]]
    assert len(common) > 20 and all(shown[0][name] == shown[1][name] for name in common)
    # The same scene moved away and back shows the same rocks.
    view.center_on((12.0, 0.0, 0.0))
    assert {t.name: t.number for t in view.scene.objects} == shown[1]
    rocks = site_rocks(RockField(LunarField(3, load_preset('mare'))), 40.0)
    near = [name for name in shown[0] if name.startswith('rock_')]
    assert max(shown[0].values()) <= 1 + 1 + 5 + len(rocks) < MOST and len(near) <= len(rocks)


def test_scene_obstacles_are_at_their_contact_positions() -> None:
    """Rays hit the top of a step, and a ramp at half its height in its middle; each is an object with its name."""
    terrain = TerrainConfig.model_validate(
        {
            'source': 'flat',
            'obstacles': {
                'kerb': {'type': 'step', 'position': [1.0, 0.6], 'size': [1.0, 0.5, 0.1], 'material': 'metal'},
                'up': {'type': 'ramp', 'position': [3.0, 0.0], 'heading_deg': 90.0, 'size': [2.0, 1.0, 0.5]},
            },
        }
    )
    world = SensorScene(terrain, LightConfig(), 3, {'amber': load_visuals(*load_vehicle_model('viper'))})
    view = world.view('amber')
    view.center_on((0.0, 0.0, 0.0))
    assert {'kerb', 'up'} <= {thing.name for thing in view.scene.objects}
    rays = view.scene.commit()
    start = (np.array([(1.5, 0.6, 2.0), (3.0, 1.0, 2.0)]) - view.scene.origin).astype(np.float32)
    down, level = np.tile(np.float32((0.0, 0.0, -1.0)), (2, 1)), np.tile(np.eye(3, dtype=np.float32), (2, 1, 1))
    found, _, numbers = rays.cast(down, np.arange(2, dtype=np.int32), start, level, 10.0, 1e-3)
    assert found == pytest.approx([1.9, 1.75], abs=1e-4)
    named = {thing.number: thing.name for thing in view.scene.objects}
    assert [named[int(number)] for number in numbers] == ['kerb', 'up']


def test_scene_has_walls_and_roofs_of_tiles(tmp_path: Path) -> None:
    """From 1 m above the floor of a tunnel 6 m wide and 3 m high; its end toward no other tile is closed."""
    file = tmp_path / 'world.tiles.csv'
    head = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad'
    file.write_text(f'{head}\ntile_1,Tunnel Tile 5,0,0,-5,0,0,0\ntile_2,Tunnel Tile 5,0,20,-5,0,0,0\n')
    terrain = TerrainConfig.model_validate({'source': str(file)})
    world = SensorScene(terrain, LightConfig(), 3, {'amber': load_visuals(*load_vehicle_model('viper'))})
    view = world.view('amber')
    view.center_on((0.0, 0.0, -4.0))
    rays = view.scene.commit()
    ways = np.float32([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)])
    start = np.tile(np.array([0.0, 0.0, -4.0]) - view.scene.origin, (5, 1)).astype(np.float32)
    level = np.tile(np.eye(3, dtype=np.float32), (5, 1, 1))
    found, _, numbers = rays.cast(ways, np.arange(5, dtype=np.int32), start, level, 50.0, 1e-3)
    assert found == pytest.approx([3.0, 3.0, 2.0, 1.0, 9.5], abs=1e-4)
    named = {thing.number: thing.name for thing in view.scene.objects}
    assert [named.get(int(number)) for number in numbers[[0, 2, 4]]] == ['tiles/tile_1'] * 3


def test_world_states_rewind_discards_later_states() -> None:
    states = WorldStates({'amber': ['chassis'], 'basalt': ['chassis']}, history().grid, particles=['amber', 'basalt'])
    followed = [*states.tracks.values(), *states.particles.values()]
    for k in range(4):
        for each in states.tracks.values():
            each.add(20 * k * MS, state(0.0))
        for soil in states.particles.values():
            soil.add(20 * k * MS, floating(0.1))
    states.discard_after(30 * MS)
    assert [each.last_ns for each in followed] == [20 * MS] * 4


def test_terrain_history_does_not_wait_for_past_epochs() -> None:
    """Their changes may never arrive: with a new epoch and its complete soil, the ground is known."""
    ground = history()
    ground.on_cycle(0, 0)
    ground.on_cycle(0, 20 * MS)
    assert not ground.knows(20 * MS)
    ground.soil.load(1, 15 * MS, 1, dig(0, 0.01))
    assert not ground.knows(10 * MS), 'the soil is of an epoch of which no cycle has arrived'
    ground.on_cycle(1, 10 * MS)
    assert not ground.lost and ground.valid_from_ns == 15 * MS, 'the soil between is unknown'
    ground.soil.take(commit(2, 30, epoch=1))
    ground.on_cycle(1, 30 * MS)
    assert ground.knows(30 * MS)
    ground.advance(30 * MS)
    assert not ground.lost and ground.soil.soil_seq == 2 and ground.grid.modified_count == 2
