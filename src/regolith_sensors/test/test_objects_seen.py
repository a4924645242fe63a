# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of objects of the world in images and clouds: depth, boxes, classes, ranges and numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.labels.ground_truth import boxes
from regolith_sensors.scene.object_history import VisibleEntity, line_pose
from regolith_sensors.scene.scene import Semantic
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.scene.world_view import PresentBodies, WorldView
from regolith_sensors.sensor_models import load_sensor
from regolith_terrain.config import TerrainConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals
from regolith_world.config import WorldConfig
from regolith_world.cycle import Anchor, Cycle, CycleResult, JoinRequest, ObjectVisual, Roles, Shape, ShapeKind
from regolith_world.cycle import SpawnedObject as Spawned
from regolith_world.numerics import rotation
from regolith_world.objects import make_objects, make_rigid_state, object_visuals
from regolith_world.world import World

pytest.importorskip('regolith_msgs', reason='the messages are not built here')
from regolith_world.ros.protocol_codec import CYCLE

STEP_NS = 20_000_000
AWAY, EYE = 4.0, np.array([0.0, 0.0, 1.5])
"""Distance of each entity ahead of the eye [m], and the place of the eye."""
PLACE = [AWAY, 0.0, 1.5]
VIEWER = np.tile([-30.0, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0], (9, 1))


class Bus:
    """Transport that keeps the cycles, with one participant that sends prepared results, by number of the cycle."""

    def __init__(self, sent: dict[int, dict[str, Any]]) -> None:
        self.cycles: list[Cycle] = []
        self._sent = sent

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        self.cycles.append(cycle)
        result = CycleResult(cycle.key, 'radio', 2**62, **self._sent.get(cycle.key.cycle, {}))
        return {'radio': result}


class Stage:
    """World with objects and one participant, and the view of a vehicle of all that the world sends."""

    def __init__(
        self,
        objects: dict[str, dict[str, Any]],
        sent: dict[int, dict[str, Any]] | None = None,
        first: tuple[ObjectVisual, ...] = (),
        terrain: dict[str, Any] | None = None,
    ) -> None:
        self.bus: Any = Bus(sent or {})
        self.world = World(WorldConfig(gravity_mps2=0.0), make_objects(objects, 0.0), self.bus)
        self.world.admit(JoinRequest('radio', Roles(), (), (), 2**62, '', '', {}, visuals=first))
        self.scene = SensorScene(
            TerrainConfig.model_validate({'source': 'flat', **(terrain or {})}),
            LightConfig(),
            3,
            {'amber': load_visuals(*load_vehicle_model('viper'))},
            objects=object_visuals(objects, 0.0),
        )
        self.view: WorldView = self.scene.view('amber')
        self.scene.states.tracks['amber'].add(0, VIEWER)

    def step(self, times: int = 1) -> None:
        """Evolve the world; the sensors take each cycle as the message that the world sends."""
        for _ in range(times):
            self.world.step(self.world.t_ns + STEP_NS)
            self.take(self.bus.cycles[-1])

    def take(self, cycle: Cycle) -> None:
        self.scene.states.objects.add(CYCLE.to_message(cycle))

    def ahead(self, t_ns: int = 0) -> tuple[float, str]:
        """Return range and name of what a lidar's beam meets straight ahead of the eye."""
        rays, origin = self.view.prepare(t_ns), self.view.scene.origin
        start, level = (EYE - origin).astype(np.float32)[None], np.eye(3, dtype=np.float32)[None]
        found, _, numbers = rays.cast(np.float32([(1.0, 0.0, 0.0)]), np.zeros(1, np.int32), start, level, 20.0, 1e-3)
        named = {thing.number: thing.name for thing in self.view.scene.objects}
        return float(found[0]), named.get(int(numbers[0]), 'sky')

    def image(self, t_ns: int = 0, **changes: Any) -> Any:
        """Return radiance and ground truth of a camera at the eye that looks along +x."""
        values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
        values |= {
            'width': 401,
            'height': 301,
            'pixel_size_m': 1e-5,
            'focal_length_m': 4e-3,
            'distortion': {},
            **changes,
        }
        camera = Camera(CameraConfig.model_validate(values), 3, 'eye')
        rays = self.view.prepare(t_ns)
        pose = CameraPose(EYE, np.array([0.0, 0.0, 0.0, 1.0]))
        self.camera = camera
        return camera.expose(rays, self.view.scene.origin, lambda _: pose, LightConfig().sun_at(0))


class Kind(NamedTuple):
    """A kind of entity at PLACE, and its outline for the eye."""

    range_m: float
    """Distance of its front on the axis."""
    aside: float
    """Tangent of the angle between the axis and its left and right ends."""
    above: float
    """Tangent of the angle between the axis and its top and bottom."""
    name: str
    objects: dict[str, dict[str, Any]] = {}  # noqa: RUF012
    sent: dict[int, dict[str, Any]] = {}  # noqa: RUF012
    first: tuple[ObjectVisual, ...] = ()
    semantic: Semantic = Semantic.OTHER
    steps: int = 1


def round_end(radius: float, away: float = AWAY, up: float = 0.0) -> float:
    """Return the tangent of the angle to the rim of a ball at a height above the axis."""
    return math.tan(math.atan2(up, away) + math.asin(radius / math.hypot(away, up)))


def shape_of(kind: str, *size: float) -> Shape:
    return Shape(ShapeKind[kind.upper()], np.array([*size, 0.0, 0.0, 0.0][:3]))


def rigid(kind: str, *size: float, **more: Any) -> dict[str, Any]:
    shape = {'kind': kind, 'size_m': list(size)}
    return {'type': 'rigid_body', 'position': PLACE, 'mass_kg': 1.0, 'shape': shape, 'weightless': True, **more}


def static(kind: str, *size: float, at: Any = PLACE, **more: Any) -> dict[str, Any]:
    return {'type': 'static_body', 'position': list(at), 'shapes': [{'kind': kind, 'size_m': list(size)}], **more}


def spawned_object(name: str, *shapes: Shape) -> Spawned:
    return Spawned(name, shapes, make_rigid_state(name, np.array(PLACE), 0.1, np.eye(3) * 1e-4))


BOX = (0.3, 0.4, 0.2)
OF_BOX = (AWAY - 0.3, 0.4 / (AWAY - 0.3), 0.2 / (AWAY - 0.3))
OF_DISC = (AWAY - 0.055, round_end(0.055), 0.02 / (AWAY - 0.055))
BREADCRUMB = shape_of('cylinder', 0.055, 0.02)
PLATE = {'type': 'platform', 'position': PLACE, 'end_position': [AWAY, 9.0, 1.5], 'travel_time_s': 1e4}
BETWEEN = {
    'low': static('sphere', 0.01, at=(AWAY, 0.0, 0.5)),
    'high': static('sphere', 0.01, at=(AWAY, 0.0, 2.5)),
}
LINE = {'between': ['low', 'high'], 'ends': [[0, 0, 0.02], [0, 0, -0.02]]}
KINDS = {
    'ball': Kind(AWAY - 0.2, round_end(0.2), round_end(0.2), 'thing', {'thing': rigid('sphere', 0.2)}),
    'box': Kind(*OF_BOX, 'thing', {'thing': rigid('box', *BOX)}),
    'capsule': Kind(AWAY - 0.2, round_end(0.2), round_end(0.2, up=0.3), 'thing', {'thing': rigid('capsule', 0.2, 0.3)}),
    'cylinder': Kind(AWAY - 0.2, round_end(0.2), 0.3 / (AWAY - 0.2), 'thing', {'thing': rigid('cylinder', 0.2, 0.3)}),
    'wall': Kind(*OF_BOX, 'thing', {'thing': static('box', *BOX)}),
    'boulder': Kind(*OF_BOX, 'thing', {'thing': static('box', *BOX, material='rock')}, semantic=Semantic.ROCK),
    'platform': Kind(*OF_BOX, 'thing', {'thing': PLATE | {'shapes': [{'kind': 'box', 'size_m': list(BOX)}]}}),
    'cable': Kind(
        AWAY - 0.01,
        0.2 / 400.0,  # a pixel, as its edges are exactly one from the axis
        (1.0 - 0.02) / (AWAY - 0.01),
        'line',
        {**BETWEEN, 'line': {'type': 'cable', **LINE}},
    ),
    'spring': Kind(
        AWAY - 0.01,
        0.2 / 400.0,
        (1.0 - 0.02) / (AWAY - 0.01),
        'line',
        {**BETWEEN, 'line': {'type': 'joint', 'kind': 'spring', 'stiffness_npm': 10.0, **LINE}},
    ),
    'rod': Kind(
        AWAY - 0.02,
        0.02 / (AWAY - 0.02),
        (1.0 - 0.02) / (AWAY - 0.02),
        'line',
        {**BETWEEN, 'line': {'type': 'joint', 'kind': 'distance', **LINE}},
    ),
    'spawned': Kind(*OF_DISC, 'radio/0', sent={0: {'spawned': (spawned_object('radio/0', BREADCRUMB),)}}, steps=2),
    'breadcrumb': Kind(
        *OF_DISC,
        'crumb',
        sent={0: {'visuals': (ObjectVisual('crumb', Anchor.GROUND, np.array(PLACE), (BREADCRUMB,)),)}},
        steps=2,
    ),
    'station': Kind(
        *OF_BOX, 'lander', first=(ObjectVisual('lander', Anchor.WORLD, np.array(PLACE), (shape_of('box', *BOX),)),)
    ),
}


@pytest.mark.parametrize('kind', KINDS)
def test_every_kind_of_object_is_in_depth_boxes_ranges_and_classes(kind: str) -> None:
    """Ranges and depths to 1e-4 m, which is the deviation of the facets; boxes to 1 px."""
    wanted = KINDS[kind]
    check_seen(wanted, Stage(wanted.objects, wanted.sent, wanted.first))


def check_seen(wanted: Kind, stage: Stage) -> None:
    stage.step(wanted.steps)
    t_ns = stage.bus.cycles[-1].t_ns
    assert stage.ahead(t_ns) == (pytest.approx(wanted.range_m, abs=1e-4), wanted.name)
    seen = stage.image(t_ns)
    assert seen.depth[150, 200] == pytest.approx(wanted.range_m, abs=1e-4)
    number = next(thing.number for thing in stage.view.scene.objects if thing.name == wanted.name)
    (box,) = (each for each in boxes(seen.object_id, seen.semantic) if each.object_id == number)
    assert box.semantic == wanted.semantic
    aside, above = 400.0 * wanted.aside, 400.0 * wanted.above  # focal length in pixels
    found = (box.left, box.top, box.right, box.bottom)
    assert found == pytest.approx((200.0 - aside, 150.0 - above, 200.0 + aside, 150.0 + above), abs=1.0)


def test_own_mesh_is_seen_instead_of_the_shapes(tmp_path: Path) -> None:
    """A box of 600 x 800 x 400 in millimeters, painted; its collision shape is a ball, which is not seen."""
    corners = [(x, y, z) for x in (-300, 300) for y in (-400, 400) for z in (-200, 200)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    file = tmp_path / 'hull.obj'
    lines = [f'v {x} {y} {z}' for x, y, z in corners] + ['f ' + ' '.join(map(str, face)) for face in faces]
    file.write_text('\n'.join(lines) + '\n')
    visual = {'mesh': str(file), 'mesh_scale': 0.001, 'color': [0.4, 0.02, 0.02]}
    stage = Stage({'thing': rigid('sphere', 0.05, visual=visual)})
    check_seen(Kind(*OF_BOX, 'thing'), stage)
    red, green, blue = stage.image().radiance[150, 200]
    assert red > 5.0 * green > 0.0 and green == pytest.approx(blue, rel=0.5), 'painted red'


def test_mesh_file_of_a_spawned_object_that_is_missing_is_replaced_by_its_shapes() -> None:
    entry = rigid('sphere', 0.2, visual={'mesh': '/no/such/file.stl'})
    with pytest.warns(UserWarning, match=r'hull: /no/such/file.stl.*its collision shapes are shown'):
        stage = Stage({'hull': entry})
    stage.step()
    assert stage.ahead() == (pytest.approx(AWAY - 0.2, abs=1e-4), 'hull')


def test_objects_are_seen_from_the_commit_that_spawns_them_to_their_removal() -> None:
    """Unseen before the commit that spawns it and from the removal on; again after a rewind to the time between."""
    stage = Stage({}, {1: {'spawned': (spawned_object('radio/0', BREADCRUMB),)}})
    stage.step(4)
    saved = stage.world.save()
    times = [cycle.t_ns for cycle in stage.bus.cycles]
    assert [stage.ahead(t_ns)[1] for t_ns in times] == ['sky', 'sky', 'radio/0', 'radio/0']
    number = stage.view.scene.objects[-1].number
    assert stage.ahead(times[2] - 1)[1] == 'sky'
    stage.world.remove('radio/0')
    stage.step()
    after_ns = stage.bus.cycles[-1].t_ns
    assert stage.ahead(after_ns)[1] == 'sky' and stage.ahead(after_ns - 1)[1] == 'radio/0'
    stage.world.load(saved)
    stage.world.log.cut(stage.world.cycle, stage.world.acts)
    stage.step(2)
    assert stage.ahead(stage.bus.cycles[-1].t_ns)[1] == 'radio/0'
    assert stage.view.scene.objects[-1].number == number, 'a rewind does not change numbers'


def test_object_with_the_name_of_a_removed_one_has_its_own_shape() -> None:
    stage = Stage({'thing': rigid('sphere', 0.2)})
    stage.step()
    stage.world.remove('thing')
    stage.step()
    stage.world.add(make_objects({'thing': rigid('sphere', 0.3)}, 0.0)[0])
    stage.world.objects['thing'].delay(stage.world.t_ns)
    stage.step()
    assert [stage.ahead(cycle.t_ns) for cycle in stage.bus.cycles] == [
        (pytest.approx(AWAY - 0.2, abs=1e-4), 'thing'),
        (math.inf, 'sky'),
        (pytest.approx(AWAY - 0.3, abs=1e-4), 'thing'),
    ]


def test_cable_follows_its_ends_and_is_unseen_after_its_release() -> None:
    """Slanted, from end to end: at both ends a beam meets it, just beyond them it does not."""
    objects = {
        'low': static('sphere', 0.01, at=(4.0, 0.0, 0.5)),
        'high': static('sphere', 0.01, at=(5.0, 2.0, 3.0), rpy_deg=[0.0, 0.0, 90.0]),
        'line': {'type': 'cable', 'between': ['low', 'high'], 'release_s': 0.03, 'max_step_s': 0.1}
        | {'ends': [[0.5, 0.0, 0.5], [-1.0, 0.0, 0.0]]},
    }
    stage = Stage(objects)
    stage.step(3)
    near, far = np.array([4.5, 0.0, 1.0]), np.array([5.0, 1.0, 3.0])
    rays, origin = stage.view.prepare(STEP_NS), stage.view.scene.origin
    for share, met in ((-0.01, False), (0.01, True), (0.5, True), (0.99, True), (1.01, False)):
        start = near + share * (far - near) + (0.0, 0.0, 1.0) - origin
        level = np.eye(3, dtype=np.float32)[None]
        down = np.float32([(0.0, 0.0, -1.0)])
        found, _, _ = rays.cast(down, np.zeros(1, np.int32), start.astype(np.float32)[None], level, 20.0, 1e-3)
        slope = float(np.linalg.norm(far - near) / np.hypot(*(far - near)[:2]))
        assert (found[0] < 1.5) == met
        if met:  # the radius along the vertical
            assert found[0] == pytest.approx(1.0 - 0.01 * slope, abs=3e-4)
    end_ns = stage.bus.cycles[-1].t_ns
    assert end_ns >= 30_000_000 and np.isnan(stage.scene.states.objects.all_at(end_ns)[1, 0])


@pytest.mark.parametrize('way', [(0, 0, 2), (0, 0, -2), (1, 2, 3), (-1, 0, 0), (1e-9, 0, -1)])
def test_line_pose_leads_from_end_to_end(way: tuple[float, ...]) -> None:
    near, far = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]) + way
    pose = np.array(list(line_pose(near, far) or ()))
    half = 0.5 * pose[7] * rotation.matrix(pose[3:7])[:, 2]
    np.testing.assert_allclose([pose[:3] - half, pose[:3] + half], [near, far], atol=1e-8)
    assert line_pose(near, near) is None


def test_entities_on_the_ground_follow_it_and_rocks_keep_their_numbers() -> None:
    """A marker lies on the surface of rough ground; what is spawned takes numbers after those of all rocks."""
    crumb = ObjectVisual('crumb', Anchor.GROUND, np.array([3.0, 1.0, 0.02]), (BREADCRUMB,))
    site = {'source': 'procedural', 'preset': 'mare', 'rock_collision': False}
    stage = Stage({}, {0: {'visuals': (crumb,)}}, terrain=site)
    stage.step()
    stage.view.prepare(0)
    before = {thing.name: thing.number for thing in stage.view.scene.objects}
    stage.step()
    rays = stage.view.prepare(stage.bus.cycles[-1].t_ns)
    after = {thing.name: thing.number for thing in stage.view.scene.objects}
    number = after.pop('crumb')
    rocks = [name for name in before if name.startswith('rock_')]
    assert after == before and len(rocks) > 3 and number > max(before.values())
    level = float(stage.scene.states.ground.grid.levels(3.0, 1.0))
    start = (np.array([3.0, 1.0, level + 5.0]) - stage.view.scene.origin).astype(np.float32)[None]
    down, upright = np.float32([(0.0, 0.0, -1.0)]), np.eye(3, dtype=np.float32)[None]
    found, _, numbers = rays.cast(down, np.zeros(1, np.int32), start, upright, 20.0, 1e-3)
    assert found[0] == pytest.approx(5.0 - 0.04, abs=1e-4) and numbers[0] == number


def test_shaded_side_of_an_object_receives_light_from_the_ground() -> None:
    """With the sun ahead, the side of a wall toward the eye is lit by the ground alone: dim, but not black.

    A plain of albedo A that lies in sunlight gives a vertical wall A / 2 of the light of the plain. The wall itself and
    its shadow take some of it.
    """
    stage = Stage({'thing': static('box', 0.05, 0.5, 0.5, at=(4.0, 0.0, 0.5), material='concrete')})
    stage.step()
    sun = LightConfig.model_validate({'sun': {'azimuth_deg': 90.0, 'elevation_deg': 30.0}}).sun_at(0)
    values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
    camera = Camera(CameraConfig.model_validate(values | {'width': 200, 'height': 200, 'pixel_size_m': 4e-5}), 3, 'eye')
    eye = CameraPose(np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.0, 0.0, 1.0]))
    shares: dict[bool, float] = {}
    number = next(each.number for each in stage.view.scene.objects if each.name == 'thing')
    for lit in (True, False):
        camera.config = camera.config.model_copy(update={'ground_light_on_vehicles': lit})
        seen = camera.expose(stage.view.prepare(0), stage.view.scene.origin, lambda _: eye, sun)
        wall = seen.radiance[..., 1][seen.object_id == number]
        shares[lit] = float(np.median(wall)) / float(np.median(seen.radiance[..., 1][seen.object_id == 1]))
    assert shares[False] == 0.0 and 0.02 < shares[True] < 0.5


def test_history_takes_messages_of_bags() -> None:
    """They are plain objects with the fields of the message."""
    pose = SimpleNamespace(
        position=SimpleNamespace(x=1.0, y=2.0, z=3.0), orientation=SimpleNamespace(x=0, y=0, z=0, w=1)
    )
    cycle = SimpleNamespace(t_ns=5, key=SimpleNamespace(epoch=0), bodies=[SimpleNamespace(name='b', pose=pose)])
    shape = SimpleNamespace(kind=0, size=[0.1, 0, 0], pose=pose, vertices=[])
    visual = SimpleNamespace(
        name='b', anchor=0, position=[0, 0, 0], shapes=[shape], material='metal', mesh='', mesh_scale=1.0, color=[],
        between=[], near=[0, 0, 0], far=[0, 0, 0], until_ns=2**62,
    )  # fmt: skip
    cycle.visuals = [visual]
    stage = Stage({})
    stage.scene.states.objects.add(cycle)
    assert stage.scene.states.objects.all_at(5).tolist() == [[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 1.0]]


def test_bodies_that_rest_keep_their_poses() -> None:
    """Bodies are those of a look at each row; one that rests keeps its array, also when others come and go."""
    ball = object_visuals({'a': rigid('sphere', 0.3)}, 0.0)['a']
    named = [replace(ball, name=name) for name in 'abc']
    post, again = replace(ball, name='post', anchor=Anchor.WORLD), replace(ball, name='b')
    bodies, random = PresentBodies(), np.random.default_rng(1)
    poses = random.standard_normal((4, 7))
    entities = [VisibleEntity(visual, -1) for visual in (*named, post)]
    bodies.update(entities, poses)
    assert sorted(bodies.poses) == sorted(bodies.surfaces) == ['a', 'b', 'c']
    kept, poses = bodies.poses['a'], poses.copy()
    poses[1], poses[2] = np.nan, poses[2] + 0.1
    bodies.update(entities, poses)
    assert sorted(bodies.poses) == sorted(bodies.surfaces) == ['a', 'c'] and bodies.poses['a'] is kept
    assert bodies.poses['c'].tolist() == [poses[2].tolist()]
    # A body of the same name as the removed one has a row of its own; after a rewind, another one has that row.
    poses = np.vstack((poses, random.standard_normal(7)))
    for visual in (again, replace(ball, name='d')):
        bodies.update([*entities, VisibleEntity(visual, 5)], poses)
        assert sorted(bodies.poses) == sorted(bodies.surfaces) == sorted(['a', 'c', visual.name])
        assert bodies.poses[visual.name].tolist() == [poses[4].tolist()] and bodies.poses['a'] is kept
