# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of spawn requests: resources, names and errors."""

from pathlib import Path

import numpy as np
import pytest
from toy_worlds import run, world

from regolith_world.checkpoint.world_edits import SpawnEdit
from regolith_world.objects import spawning
from regolith_world.objects.spawning import SpawnError, SpawnPose, SpawnResultCode
from regolith_world.timeline import Timeline

DOWN = np.array([0.0, 0.0, -1.62])
HALF = np.sqrt(0.5)
POSE = SpawnPose(np.array([3.0, -2.0, 1.5]), np.array([0.0, 0.0, HALF, HALF]))
BALL = '{type: rigid_body, mass_kg: 2.0, shape: {kind: sphere, size_m: [0.3]}, velocity_mps: [0, 0, 0.5]}'


def test_object_is_spawned_at_the_requested_pose(tmp_path: Path) -> None:
    """From a text or a file: the pose of the request, the other values from the resource."""
    file = tmp_path / 'ball.yaml'
    file.write_text(BALL)
    for resource in (
        spawning.read_resource('', BALL),
        spawning.read_resource(str(file), ''),
        spawning.read_resource(f'file://{file}', 'ignored'),
    ):
        assert spawning.source_of(resource) is None
        made = spawning.build_object('ball', resource, POSE, DOWN)
        assert np.array_equal(made.body.position, POSE.position)
        assert np.array_equal(made.body.orientation, POSE.orientation)
        assert np.array_equal(made.body.linear_velocity, [0.0, 0.0, 0.5]) and made.body.mass == 2.0
    assert POSE.heading_deg == pytest.approx(90.0)


TYPES = {
    'rigid_body': '{type: rigid_body, mass_kg: 1.0, lifetime_s: 0.9, shape: {kind: sphere, size_m: [0.1]}}',
    'static_body': '{type: static_body, shapes: [{kind: sphere, size_m: [0.1]}]}',
    'platform': '{type: platform, end_position: [9.0, 9.0, 9.0], travel_time_s: 4.0, shapes: [{kind: box, size_m: '
    '[0.1, 0.1, 0.1]}]}',
    'paced': '{type: platform, end_position: [9, 9, 9], travel_time_s: 4.0, state_period_s: 0.05, shapes: [{kind: '
    'box, size_m: [0.1, 0.1, 0.1]}]}',
    'force_field': '{type: force_field, shapes: [{kind: box, size_m: [1.0, 1.0, 1.0]}], acceleration_mps2: [0.0, 0.1, 0.0]}',
    'linkage': '{type: linkage, bodies: {leaf: {position: [0, 0, 0], shape: {kind: box, size_m: [0.1, 0.1, 0.1]}, '
    'mass_kg: 1.0}}, joints: [{kind: hinge, between: [world, leaf], at: [0.0, 0.3, 0.0], axis: [1.0, 0.0, 0.0]}]}',
    'rope': '{type: rope, ends: [[0.0, 0.0, 4.0], [1.0, 0.0, 4.0]], length_m: 1.2, rods: 5, mass_kg: 1.0}',
    'throwing_robot': '{type: throwing_robot}',
}


class Nobody:
    """States of no participants."""

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        return {}

    def restore(self, *states: object) -> None:
        assert states[0] == {}


@pytest.mark.parametrize('kind', TYPES)
def test_object_spawned_during_a_run_moves_as_from_the_start(kind: str) -> None:
    """Its own time and lifetime begin with it. A rewind to before its spawn repeats it."""
    upright = SpawnPose(POSE.position, np.array([0.0, 0.0, 0.0, 1.0]))
    resource = spawning.read_resource('', TYPES[kind])
    bird = {
        'type': 'rigid_body',
        'position': [50.0, 0.0, 0.0],
        'mass_kg': 1.0,
        'shape': {'kind': 'sphere', 'size_m': [0.1]},
    }
    early, late = world(spawning.build_object('x', resource, upright, DOWN), bird=bird), world(bird=bird)
    timeline = Timeline(late, Nobody())  # type: ignore[arg-type]
    late.hold()
    timeline.begin()
    run(late, 0.6)
    timeline.apply_edit(SpawnEdit('x', spawning.build_object('x', resource, upright, DOWN).save()))
    for _ in range(40):
        early.step()
        late.step()
        here, there = ({o.name: o.body for o in w.objects['x'].family()} for w in (early, late))
        assert here.keys() == there.keys()
        assert all(np.allclose(here[n].position, there[n].position, rtol=0.0, atol=1e-12) for n in here)
    end_ns, end = late.t_ns, late.state_hash
    timeline.rewind(round(0.7e9), live=False)
    while late.t_ns < end_ns:
        timeline.replay_edits()
        late.step()
    assert late.state_hash == end
    run(late, 1.6)
    assert ('x' in late.objects) == (kind != 'rigid_body')


@pytest.mark.parametrize('kind', ['platform', 'linkage', 'rope'])
def test_object_without_orientation_refuses_it(kind: str) -> None:
    """It is refused instead of ignored."""
    with pytest.raises(SpawnError, match=r'orientation: .x. .*; allowed: ') as caught:
        spawning.build_object('x', spawning.read_resource('', TYPES[kind]), POSE, DOWN)
    assert caught.value.reason == SpawnResultCode.INVALID_POSE


def test_names_of_spawned_entities_are_derived_or_refused() -> None:
    """A taken name gets a number if renaming is allowed. An empty name becomes that of the type."""
    ball = spawning.read_resource('', BALL)
    assert spawning.unique_name('moon', ball, False, ['ball']) == 'moon'
    assert spawning.unique_name('ball', ball, True, ['ball', 'ball_1']) == 'ball_2'
    assert spawning.unique_name('', ball, True, ['ball']) == 'rigid_body'
    assert spawning.unique_name('', {'model': '/a/b/my-cart.yaml'}, True, []) == 'my_cart'
    for wanted, renaming, reason in (
        ('', False, SpawnResultCode.NAME_INVALID),
        ('a b', True, SpawnResultCode.NAME_INVALID),
        ('terrain', True, SpawnResultCode.NAME_INVALID),
        ('ball', False, SpawnResultCode.NAME_NOT_UNIQUE),
    ):
        with pytest.raises(SpawnError) as caught:
            spawning.unique_name(wanted, ball, renaming, ['ball'])
        assert caught.value.reason == reason


@pytest.mark.parametrize(
    ('uri', 'text', 'reason', 'why'),
    [
        ('', '', SpawnResultCode.NO_RESOURCE, 'neither uri nor resource_string'),
        ('regolith://vehicles/none', '', SpawnResultCode.NO_RESOURCE, "uri 'regolith://vehicles/none'; allowed: "),
        ('/nowhere.yaml', '', SpawnResultCode.NO_RESOURCE, "uri '/nowhere.yaml': .*; allowed: the path of a YAML file"),
        (
            '/dev/zero',
            '',
            SpawnResultCode.NO_RESOURCE,
            "uri '/dev/zero': is a device, not a regular file; allowed: the path of a YAML file of up",
        ),
        (
            'http://a.org/b.yaml',
            '',
            SpawnResultCode.NO_RESOURCE,
            "uri 'http://a.org/b.yaml': is a URL, and URLs are not read; .* fix: download",
        ),
        ('/', '', SpawnResultCode.NO_RESOURCE, "uri '/': is a folder; allowed: the path of a YAML file"),
        ('', '\ufeff <sdf/>', SpawnResultCode.UNSUPPORTED_FORMAT, 'the resource is XML'),
        ('', '<sdf/>', SpawnResultCode.UNSUPPORTED_FORMAT, 'the resource is XML; allowed: YAML'),
        ('', '[1, 2', SpawnResultCode.RESOURCE_PARSE_ERROR, 'expected'),
        ('', '[1, 2]', SpawnResultCode.RESOURCE_PARSE_ERROR, r'\[1, 2\]; allowed: keys, which are text, and values'),
        (
            '',
            '{1: 2, type: box}',
            SpawnResultCode.RESOURCE_PARSE_ERROR,
            r'\{1: 2, type: .box.\}; allowed: keys, which are text',
        ),
        (
            '',
            BALL.replace('mass_kg', 'tint: red, mass_kg'),
            SpawnResultCode.RESOURCE_PARSE_ERROR,
            'tint = .red.: unknown key; allowed: .*mass_kg',
        ),
        ('', '&a [*a]', SpawnResultCode.RESOURCE_PARSE_ERROR, 'a value contains itself; allowed: aliases'),
        ('', 'a: &b {c: [*b]}', SpawnResultCode.RESOURCE_PARSE_ERROR, 'a value contains itself'),
        ('', '{kind: x}', SpawnResultCode.RESOURCE_PARSE_ERROR, r"keys \['kind'\]; allowed: one of type"),
        ('', '{type: cloud}', SpawnResultCode.RESOURCE_PARSE_ERROR, "type = 'cloud'; allowed: .*rigid_body, "),
        (
            '',
            BALL.replace('2.0', '-2.0'),
            SpawnResultCode.RESOURCE_PARSE_ERROR,
            'mass_kg = -2.0: is out of range; allowed: greater than',
        ),
        ('', BALL.replace('mass_kg: 2.0, ', ''), SpawnResultCode.RESOURCE_PARSE_ERROR, 'mass_kg: '),
        (
            '',
            BALL.replace('mass_kg', 'visual: {mesh: hull.stl}, mass_kg'),
            SpawnResultCode.MISSING_ASSETS,
            'visual.mesh = .hull.stl.: is not an absolute path; allowed: the absolute path',
        ),
        (
            '',
            BALL.replace('mass_kg', 'visual: {mesh: /no/hull.stl}, mass_kg'),
            SpawnResultCode.MISSING_ASSETS,
            'visual.mesh = ./no/hull.stl.: no such file; allowed: the absolute path',
        ),
    ],
)
def test_invalid_resource_is_refused_with_the_key(uri: str, text: str, reason: SpawnResultCode, why: str) -> None:
    """With the code of the standard and a text that states what is allowed."""
    with pytest.raises(SpawnError, match=why) as caught:
        resource = spawning.read_resource(uri, text)
        assert spawning.source_of(resource) is None
        spawning.build_object('x', resource, POSE, DOWN)
    assert caught.value.reason == reason


@pytest.mark.parametrize('uri', ['viper', 'vipr', 'vehicles/viper', 'regolith://vehicles/vipr'])
def test_similar_uri_is_suggested(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [spawning.Spawnable(f'regolith://vehicles/{name}', '') for name in ('viper', 'rassor')]
    monkeypatch.setattr(spawning, 'spawnables', lambda: known)
    with pytest.raises(SpawnError, match=r'\(did you mean regolith://vehicles/viper\?\)'):
        spawning.read_resource(uri, '')


def test_name_of_a_deleted_vehicle_is_refused_with_a_fix() -> None:
    with pytest.raises(
        SpawnError, match=r"name 'guest' is taken; it belongs to a deleted vehicle.*fix: reset the whole simulation"
    ):
        spawning.unique_name('guest', {'model': 'viper'}, False, ['guest', 'rover'], ['guest'])
    with pytest.raises(SpawnError, match=r"name 'rover' is taken; names in use: guest, rover$"):
        spawning.unique_name('rover', {'model': 'viper'}, False, ['guest', 'rover'], ['guest'])


@pytest.mark.parametrize(
    'content',
    [
        'root:x:0:0:secret',
        '- secret\n- other',
        '{secret: 1}',
        'secret: [1',
        '{type: secret}',
        '!!python/secret x',
        'a: !secret b',
        '12: secret',
        b'\xff\xfesecret',
        'x: "secret\n',
    ],
)
def test_response_contains_no_text_of_other_files(tmp_path: Path, content: str | bytes) -> None:
    """The sender of a request may lack permission for files that this process can read; also through a link."""
    file, link = tmp_path / 'file', tmp_path / 'link'
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    link.symlink_to(file)
    for uri in (str(file), f'file://{file}', str(link)):
        with pytest.raises(SpawnError) as caught:
            spawning.read_resource(uri, '')
        assert 'secret' not in str(caught.value) and ' a YAML ' in str(caught.value)
        assert str(caught.value).isprintable()
