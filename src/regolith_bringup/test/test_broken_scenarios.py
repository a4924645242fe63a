# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ten kinds of broken scenario, by the command line as a person uses it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from regolith_bringup.cli import main

GOOD = """
description: for tests
duration_s: 1.0
terrain: {soil: lunar_nominal}
vehicles:
  amber: {model: viper, position: [0.0, 0.0]}
  basalt: {model: viper, position: [-3.0, 0.0]}
"""

SOIL_WITH_TYPO = """
k_phi: 8.2e5
k_c: 1.4e3
exponent: 1.0
cohesion: 170.0
friction_angle_deg: 35.0
janosi_shear_m: 0.018
elastic_stiffness: 2.0e7
damping: 1.0e4
"""

BOMB = 'a: &l0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
    f'k{n}: &l{n} [{", ".join([f"*l{n - 1}"] * 10)}]\n' for n in range(1, 12)
)

KINDS = {
    # kind: (scenario, further files, what must be said)
    'unknown_key': (GOOD + 'duratoin: 3\n', {}, ['broken.yaml:8', 'duratoin', '3', 'did you mean duration_s?']),
    'wrong_type': (GOOD.replace('1.0\n', 'long\n', 1), {}, ['broken.yaml:3', 'duration_s', "'long'", 'valid number']),
    'unknown_vehicle': (
        GOOD.replace('amber: {model: viper', 'amber: {model: vipr'),
        {},
        ['broken.yaml:6', 'vehicles.amber.model', "'vipr'", 'did you mean viper?'],
    ),
    'negative_mass': (
        GOOD.replace('position: [0.0, 0.0]', 'position: [0.0, 0.0], mass_scale: -1.0'),
        {},
        ['broken.yaml:6', 'vehicles.amber.mass_scale', '-1.0', 'greater than'],
    ),
    'missing_file': (
        GOOD.replace('{soil: lunar_nominal}', '{source: moon.tif}'),
        {},
        ['broken.yaml:4', 'terrain.source', "'moon.tif'", 'path of a GeoTIFF'],
    ),
    'duplicate_names': (
        GOOD.replace('basalt', 'amber'),
        {},
        ['broken.yaml:7', 'vehicles.amber', 'first in line 6', 'each name once'],
    ),
    'soil_typo': (
        GOOD.replace('lunar_nominal', 'soil.yaml'),
        {'soil.yaml': SOIL_WITH_TYPO},
        ['soil.yaml:5', 'cohesion', '170.0', 'did you mean cohesion_pa?'],
    ),
    'law_of_a_region': (
        GOOD.replace('{soil: lunar_nominal}', '{regions: [{model: ridgid, disc: {center: [0, 0], radius_m: 1}}]}'),
        {},
        ['broken.yaml:4', 'terrain.regions.0.model', "'ridgid'", 'did you mean rigid?'],
    ),
    'former_key': (
        GOOD.replace('{soil: lunar_nominal}', '{ground: rigid}'),
        {},
        ['broken.yaml:4', "terrain.ground = 'rigid'", 'did you mean model?'],
    ),
    'soil_of_a_region': (
        GOOD.replace(
            '{soil: lunar_nominal}', '{regions: [{model: rigid, disc: {center: [0, 0], radius_m: 1}, soil: pad.yaml}]}'
        ),
        {'pad.yaml': 'friction: 0.7\nstifness_npm: 1.0e5\n'},
        ['pad.yaml:2', 'stifness_npm', 'did you mean stiffness_npm?'],
    ),
    'soil_of_another_model': (
        GOOD.replace('{soil: lunar_nominal}', '{model: rigid, soil: lunar_nominal}'),
        {},
        ['broken.yaml:4', "terrain.soil = 'lunar_nominal'", 'soil of the terrain model scm', 'friction', 'model: scm'],
    ),
    'rigid_soil_of_scm': (
        GOOD.replace('{soil: lunar_nominal}', '{soil: {friction: 0.7}}'),
        {},
        ['broken.yaml:4', 'terrain.soil', 'soil of the terrain model rigid', 'k_phi', 'model: rigid'],
    ),
    'nan': (GOOD.replace('1.0\n', '.nan\n', 1), {}, ['broken.yaml:3', 'duration_s', 'nan', 'a finite number']),
    'empty': ('', {}, ['broken.yaml', 'is empty', 'a YAML file with a scenario']),
    'vehicle_file': (
        'format: 3\nmjcf: a.xml\nwheels: {}\n',
        {},
        ['broken.yaml:2', 'mjcf', 'is a key of a vehicle file', 'vehicles.NAME.model'],
    ),
    'tab': ('vehicles:\n\tamber: {}\n', {}, ['broken.yaml:2', 'is not YAML: a tab; indent with spaces']),
    'not_yaml': ('vehicles: [amber, {\n', {}, ['broken.yaml:2', 'is not YAML', 'a YAML file with a scenario']),
    'tag_at_root': ('!!python/object/apply:os.getcwd []\n', {}, ['not a mapping', 'a YAML mapping with a scenario']),
    'merge_of_no_mapping': (GOOD + '<<: 3\n', {}, ['<<', 'cannot be merged', 'an alias of a mapping']),
    'no_truth_value': (GOOD + 'seed: !!bool "x"\n', {}, ['broken.yaml:8', 'seed', 'cannot be read']),
    'escape': (GOOD + '"\\e[31mred": 3\n', {}, ['\\x1b[31mred', 'unknown key']),
    'alias_bomb': (BOMB, {}, ['broken.yaml:6', 'more than 200000 values', 'at most 200000']),
    'nested': ('name: ' + '[' * 200_000, {}, ['broken.yaml:1', 'more than 40 levels', 'at most 40']),
    # and some more that people make
    'text_for_number': (
        GOOD.replace('[0.0, 0.0]', '[0.0, "0.5"]'),
        {},
        ['vehicles.amber.position.1', "'0.5'", 'a valid number'],
    ),
    'yes_for_number': (GOOD.replace('1.0\n', 'yes\n', 1), {}, ['duration_s = true', 'a valid number']),
    'bad_name': (GOOD.replace('amber:', '4wd:'), {}, ['vehicles.4wd', 'a letter first']),
    'taken_name': (GOOD.replace('amber:', 'terrain:'), {}, ['vehicles.terrain', 'is taken']),
    'unknown_driver': (
        GOOD.replace('position: [0.0, 0.0]', 'position: [0.0, 0.0], driver: {type: pth}'),
        {},
        ['vehicles.amber.driver.type', "'pth'", 'did you mean path?'],
    ),
    'unknown_soil': (
        GOOD.replace('lunar_nominal', 'lunar_nominl'),
        {},
        ['terrain.soil', 'did you mean lunar_nominal?'],
    ),
    'bad_vehicle_file': (
        GOOD.replace('amber: {model: viper', 'amber: {model: my.yaml'),
        {'my.yaml': 'mjcf: my.xml\nwhels: []\nsteering: {max_angle_deg: 95.0}\n'},
        ['my.yaml:2', 'whels', 'did you mean wheels?', 'steering.max_angle_deg'],
    ),
    'long_name': (
        GOOD.replace('lunar_nominal', 'x' * 300),
        {},
        ['broken.yaml:4', 'terrain.soil', 'no such soil'],
    ),
    'nul_in_path': (
        GOOD.replace('{soil: lunar_nominal}', '{source: "a\\0b"}'),
        {},
        ['broken.yaml:4', 'terrain.source', 'no such file'],
    ),
    'not_a_raster': (
        GOOD.replace('{soil: lunar_nominal}', '{source: a.tif}'),
        {'a.tif': 'no'},
        ['terrain.source', 'a.tif'],
    ),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to the folder of the test, as a user in a shell."""
    monkeypatch.chdir(tmp_path)


def environment() -> dict[str, str]:
    """Return an environment in which a process started in any folder finds what this one finds."""
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)}


def regolith(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line where we are; return its exit code and what it printed to stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    printed = capfd.readouterr()
    return int(left.value.code or 0), printed.out, printed.err


def _lay_out(kind: str, folder: Path) -> None:
    text, files, _ = KINDS[kind]
    (folder / 'broken.yaml').write_text(text)
    for name, content in files.items():
        (folder / name).write_text(content)


@pytest.mark.parametrize('kind', KINDS)
def test_broken_scenario_is_refused(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _lay_out(kind, tmp_path)
    before = sorted(p.name for p in tmp_path.rglob('*'))
    code, out, err = regolith(['run', 'broken.yaml', '--json'], capfd)
    assert (code, out) == (2, ''), err
    for part in KINDS[kind][2]:
        assert part in err
    assert 'allowed' in err and 'Traceback' not in err
    assert sorted(p.name for p in tmp_path.rglob('*')) == before, 'files were created'


@pytest.mark.seconds
@pytest.mark.parametrize(
    'kind',
    [*(pytest.param(k, marks=pytest.mark.slow) for k in ('unknown_key', 'nested', 'not_a_raster')), 'alias_bomb'],
)
def test_broken_scenario_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    """Processor time is at most three times that of the imports, on any machine."""
    _lay_out(kind, tmp_path)
    raster = ', rasterio' if kind == 'not_a_raster' else ''
    for attempt in range(4):
        imports_s = _time_of_imports('regolith_bringup.cli, regolith_bringup.scenario.loading' + raster, attempt)
        refused, refusal_s = _run_here(tmp_path, '-m', 'regolith_bringup', 'run', 'broken.yaml', '--json')
        assert refused.returncode == 2, refused.stderr
        if refusal_s < 3.0 * imports_s:  # other work may disturb one of the two; a slow check is slow always
            return
    pytest.fail(f'took {refusal_s} s, the imports {imports_s} s')


@cache
def _time_of_imports(modules: str, attempt: int) -> float:
    """Return the processor time that a process takes to import modules [s]; each attempt measures again."""
    return _run_here(Path.cwd(), '-c', f'import {modules}')[1]


def _run_here(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """Return how a Python process ended and the processor time it took [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_check_waits_for_no_kernels(tmp_path: Path) -> None:
    """Compiled code and its libraries take longer to load than everything that is looked at here."""
    (tmp_path / 'good.yaml').write_text(GOOD)
    script = (
        'import sys; from regolith_bringup.scenario.loading import load_scenario; load_scenario("good.yaml");'
        'print(*({"numba", "scipy", "rasterio", "mujoco", "rclpy"} & set(sys.modules)))'
    )
    done = subprocess.run(
        [sys.executable, '-c', script], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.returncode) == ('', 0), done.stderr


def test_the_good_one_is_good(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'good.yaml').write_text(GOOD)
    code, out, err = regolith(['check', 'good.yaml'], capfd)
    assert code == 0, err
    assert 'ok' in out


def test_negative_mass_in_a_model_of_ones_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from regolith_vehicles.description.model_files import known_vehicles

    shipped = known_vehicles()['viper_locked']
    assert isinstance(shipped, Path)
    for path in shipped.parent.iterdir():
        if path.suffix in ('.yaml', '.xml'):
            text = path.read_text()
            (tmp_path / path.name).write_text(text.replace('mass="', 'mass="-') if path.suffix == '.xml' else text)
    (tmp_path / 'broken.yaml').write_text(GOOD.replace('amber: {model: viper', 'amber: {model: ./viper_locked.yaml'))
    code, _, err = regolith(['check', 'broken.yaml'], capfd)
    assert code == 2
    assert '.xml' in err and 'mass' in err


@pytest.mark.parametrize(
    'setting',
    ['duration_s', 'vehicles.amber.position.7=1', 'duration_s.x=1', 'terrain.soil={', 'name=' + '[' * 2000],
)
def test_broken_settings(setting: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'good.yaml').write_text(GOOD)
    code, _, err = regolith(['check', 'good.yaml', '--set', setting], capfd)
    assert code == 2
    assert '--set' in err and 'allowed' in err


def test_a_used_folder_is_not_written_to(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'good.yaml').write_text(GOOD)
    code, _, err = regolith(['run', 'good.yaml', '--out', '.'], capfd)
    assert code == 2
    assert '--out' in err
    assert [p.name for p in tmp_path.iterdir()] == ['good.yaml']
