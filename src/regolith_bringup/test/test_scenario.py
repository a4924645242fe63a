# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading, overriding and resolving scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numba
import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_bringup.scenario.participant_sections import resolved_sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import InputError
from regolith_files.yaml_source import YamlSource, parse_yaml_value
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.imu import ImuConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.config.sensor_types import SensorEntry
from regolith_terrain.config import TerrainConfig, load_soil
from regolith_vehicles.config import VehicleEntry
from regolith_world.config import WorldConfig, load_section
from regolith_world.objects.object_types import RIGID_BODY


@pytest.mark.parametrize('name', sorted(find_scenarios()))
def test_every_scenario_that_ships_is_valid(name: str) -> None:
    scenario = load_scenario(name).scenario
    assert scenario.name == name
    assert scenario.description


def test_the_demo_ships() -> None:
    assert {'two_rovers', 'garage'} <= set(find_scenarios())


def test_two_rovers_is_the_demo_of_the_contract() -> None:
    scenario = load_scenario('two_rovers').scenario
    assert list(scenario.vehicles) == ['amber', 'basalt']
    assert scenario.duration_s == 30.0
    assert scenario.terrain.source == 'procedural'
    assert scenario.terrain.spacing_m == 0.02
    assert scenario.terrain.soil_name == 'lunar_nominal'


def test_resolved_scenario_reads_back_section_by_section(tmp_path: Path) -> None:
    scenario = load_scenario('two_rovers', ['terrain.soil.damping=1e-3', 'world.min_step_s=1e-5'], seed=3).scenario
    path = tmp_path / 'scenario.yaml'
    write_resolved(scenario, path)
    assert load_section(path, '', Scenario) == scenario
    assert load_section(path, 'terrain', TerrainConfig) == scenario.terrain
    assert load_section(path, 'world', WorldConfig) == scenario.world
    assert load_section(path, 'vehicles.amber', VehicleEntry) == scenario.vehicles['amber']
    # A resolved scenario is a scenario.
    assert load_scenario(path).scenario == scenario


def test_overrides_in_order_and_options_win() -> None:
    scenario = load_scenario(
        'two_rovers',
        ['duration_s=5', 'duration_s=6', 'vehicles.amber.position.0=1.5', 'terrain.soil=chrono_lunar', 'seed=4'],
        seed=9,
        real_time_factor='2',
        record=False,
    ).scenario
    assert scenario.duration_s == 6.0
    assert scenario.vehicles['amber'].position == (1.5, 0.0)
    assert scenario.terrain.soil == load_soil('chrono_lunar')
    assert scenario.seed == 9
    assert scenario.real_time_factor == 2.0
    assert scenario.recording.enabled is False


def test_one_value_of_a_named_soil_can_be_changed() -> None:
    soil = load_scenario('two_rovers', ['terrain.soil.cohesion_pa=500']).scenario.terrain.soil
    assert soil == load_soil('lunar_nominal').model_copy(update={'cohesion_pa': 500.0})


@pytest.mark.parametrize('ground', ['scm', 'rigid'])
def test_one_value_of_a_soil_that_is_not_named_can_be_changed(tmp_path: Path, ground: str) -> None:
    """The others are those that the ground's law has by default."""
    path = tmp_path / 'site.yaml'
    rover = 'rover: {model: viper, position: [0, 0], driver: {type: constant, speed_mps: 0.1}}'
    path.write_text(f'duration_s: 1.0\nterrain: {{source: flat, model: {ground}}}\nvehicles:\n  {rover}\n')
    default = load_scenario(path).scenario.terrain.soil.model_dump()
    key, value = {'scm': ('cohesion_pa', 512.0), 'rigid': ('friction', 0.53)}[ground]
    changed = load_scenario(path, [f'terrain.soil.{key}={value}']).scenario.terrain.soil.model_dump()
    assert default[key] != value and changed.pop(key) == value
    default.pop('name', None), changed.pop('name', None)
    assert changed == {name: each for name, each in default.items() if name != key}


@pytest.mark.slow
def test_a_regions_soil_is_read_by_the_law_of_the_region(tmp_path: Path) -> None:
    """By name, by file, by values, and none at all, whatever law the ground around has."""
    (tmp_path / 'pad.yaml').write_text('friction: 0.7\n')
    disc = 'disc: {center: [50, 0], radius_m: 1}'
    pads = ', '.join(
        f'{{model: rigid, {disc}{more}}}' for more in (f', soil: {tmp_path}/pad.yaml', ', soil: {friction: 0.6}', '')
    )
    terrain = load_scenario('two_rovers', [f'terrain.regions=[{pads}]']).scenario.terrain
    assert [region.soil.friction for region in terrain.regions] == [0.7, 0.6, 0.8]  # type: ignore[attr-defined]
    around = f'terrain={{source: flat, model: rigid, regions: [{{model: scm, {disc}, soil: clay}}, {{{disc}, soil: {{friction: 0.5}}}}]}}'
    terrain = load_scenario('two_rovers', [around]).scenario.terrain
    assert terrain.regions[0].soil.name == 'clay' and terrain.grounds == ('rigid', 'scm')
    assert terrain.regions[1].soil.friction == 0.5  # type: ignore[attr-defined]


def test_an_object_that_cannot_be_made_is_found_before_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError('no raiser today')

    monkeypatch.setattr(type(RIGID_BODY), 'make', broken)
    ball = 'objects.ball={type: rigid_body, position: [9, 9, 9], mass_kg: 1, shape: {kind: sphere, size_m: [0.1]}}'
    with pytest.raises(
        InputError, match=r'objects.ball.*rigid_body.*regolith_world.objects.object_types.*no raiser today'
    ):
        load_scenario('two_rovers', [ball])


def test_objects_that_stand_inside_one_another_are_refused() -> None:
    """No cycle is short enough for them: each was forced, thousands of times."""
    ball = '{{type: rigid_body, position: [9, 9, {}], mass_kg: 1, shape: {{kind: sphere, size_m: [0.1]}}}}'
    one, other = (f'objects.{name}={ball.format(z)}' for name, z in (('one', 9.0), ('other', 9.15)))
    with pytest.raises(
        InputError, match=r"objects\.other\.position = .*: is 0\.050 m inside 'one' at the start; allowed: "
    ):
        load_scenario('two_rovers', [one, other])
    load_scenario('two_rovers', [one, f'objects.other={ball.format(9.25)}'])
    load_scenario('two_rovers', [one, other, 'world.contact=none'])


def test_strict_real_time_needs_a_real_time_factor() -> None:
    with pytest.raises(
        InputError, match=r"real_time_factor = 'max': sets no deadlines.*allowed: a number, 1\.0 for real time"
    ):
        load_scenario('two_rovers', ['world.real_time=strict'])
    load_scenario('two_rovers', ['world.real_time=strict'], real_time_factor=1.0)


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / 'mine'
    folder.mkdir()
    soil = load_soil('chrono_lete').model_dump()
    (folder / 'dirt.yaml').write_text('\n'.join(f'{k}: {v}' for k, v in soil.items()))
    (folder / 's.yaml').write_text('terrain: {soil: dirt.yaml}\nvehicles: {amber: {position: [0, 0]}}\n')
    assert load_scenario(folder / 's.yaml').scenario.terrain.soil == load_soil('chrono_lete')
    # On the command line they are relative to where the command is given.
    monkeypatch.chdir(tmp_path)
    (folder / 't.yaml').write_text('vehicles: {amber: {position: [0, 0]}}\n')
    resolved = load_scenario(folder / 't.yaml', ['terrain.soil=mine/dirt.yaml'])
    assert resolved.scenario.terrain.soil.name == soil['name']
    with pytest.raises(InputError, match='no such soil'):
        load_scenario(folder / 't.yaml', ['terrain.soil=dirt.yaml'])


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / 's.yaml').write_text('duration_s: -1\nseed: -2\nwrold: {}\n')
    with pytest.raises(InputError) as caught:
        load_scenario(tmp_path / 's.yaml')
    assert [p.key for p in caught.value.problems] == ['duration_s', 'seed', 'wrold']
    assert [p.where.rsplit(':', 1)[1] for p in caught.value.problems] == ['1', '2', '3']


def test_problems_of_a_union_are_reported_as_one() -> None:
    with pytest.raises(InputError) as caught:
        load_scenario('two_rovers', ['real_time_factor=fast'])
    (problem,) = caught.value.problems
    assert problem.key == 'real_time_factor'
    assert 'max' in problem.allowed and 'number' in problem.allowed


def test_yaml_as_people_write_it(tmp_path: Path) -> None:
    assert parse_yaml_value('1e-3') == 1e-3
    assert parse_yaml_value('') is None
    path = tmp_path / 'a.yaml'
    path.write_text('base: &b {x: 1, y: 2}\non: {<<: *b, y: 3}\nlist: [1.5e3, a]\n')
    source = YamlSource(path, what='a scenario')
    assert source.data['on'] == {'x': 1, 'y': 3}
    assert source.data['list'] == [1500.0, 'a']
    assert source.where(('on', 'y')) == f'{path}:2'
    assert source.where(('list', 1)) == f'{path}:3'
    path.write_text('a: &a [*a]\n')
    with pytest.raises(InputError, match='contains itself'):
        YamlSource(path, what='a scenario')


@pytest.mark.parametrize(
    'setting',
    [
        'duration_s=1e-12',
        'duration_s=1e300',
        'world.max_step_s=1e-9',
        'world.max_step_s=5e-5',
        'world.min_step_s=1e-12',
        'world.checkpoint_period_s=1e-10',
        'real_time_factor=1e-300',
        'vehicles.amber.driver.start_s=1e300',
        'comms.beacon_period_s=1e-9',
        'comms.traffic.0.period_s=1e-9',
    ],
)
def test_times_that_would_round_to_nothing_are_refused(setting: str) -> None:
    """Nanoseconds are whole numbers: 1e-12 s would be 0, which means never, or always."""
    key = setting.partition('=')[0].split('.')[-1]
    with pytest.raises(InputError, match=f'{key}.*; allowed: '):
        load_scenario('comms_ridge' if setting.startswith('comms') else 'two_rovers', [setting])


def fields_of(model: Any, seen: set[Any]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield every field of a schema and of those inside it, as Model.field."""
    for argument in get_args(model):
        yield from fields_of(argument, seen)
    if isinstance(model, type) and issubclass(model, BaseModel) and model not in seen:
        seen.add(model)
        for name, field in model.model_fields.items():
            yield f'{model.__name__}.{name}', field
            yield from fields_of(field.annotation, seen)


def test_every_time_and_rate_of_a_scenario_has_bounds() -> None:
    """Of 1e-300 Hz the second frame lies beyond every integer; of 1e300 s, too."""
    seen: set[Any] = set()
    schemas = (Scenario, SensorEntry, CameraConfig, LidarConfig, ImuConfig, GnssConfig)
    fields = dict(field for schema in schemas for field in fields_of(schema, seen))
    timed = {
        name: field
        for name, field in fields.items()
        if name.endswith(('_s', '_hz')) and field.annotation in (float, float | None)
    }
    assert len(timed) > 20
    unbounded = {
        name for name, field in timed.items() if not {'Ge', 'Le'} <= {type(m).__name__ for m in field.metadata}
    }
    assert unbounded == set()


@pytest.mark.parametrize(
    ('setting', 'said'),
    [
        ('objects.cable.length_m=0.1', 'objects.cable.length_m = 0.1: ends are '),
        ('objects.cable.ends=[[1.0e+4, 0, 0], [0.4, 0.0, -0.1]]', 'objects.cable.ends.0 = [10000.0, 0.0, 0.0]: is '),
    ],
)
def test_cable_that_would_throw_vehicles_is_refused(setting: str, said: str) -> None:
    """With the places that the vehicles have on the ground."""
    with pytest.raises(InputError) as refused:
        load_scenario('tow', [setting])
    assert said in str(refused.value) and '; allowed: ' in str(refused.value)
    assert load_scenario('tow').scenario.objects['cable']['length_m'] == 2.8


def test_kernels_that_a_check_compiles_are_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sections of participants are checked last, and compile the kernels of bodies."""

    def compiling(*given: Any) -> Any:
        assert numba.njit(lambda x: 2 * x)(21) == 42
        return resolved_sections(*given)

    monkeypatch.setattr('regolith_bringup.scenario.loading.resolved_sections', compiling)
    load_scenario('rope')
    assert 'compiling kernels' in capsys.readouterr().err
