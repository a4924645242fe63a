# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ``./regolith experiment``: JSON on stdout, exit codes, plots, errors with key, value and allowed values."""

from __future__ import annotations

import errno
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from regolith_bringup.cli import main
from regolith_bringup.commands import plugin_help, plugins
from regolith_bringup.commands.plugins import experiment, experiments, run_experiment
from regolith_files.problems import InputError
from regolith_testbeds.experiments import wheel_rig
from regolith_testbeds.scm_climb import ScmClimb


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(['experiment', *words])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


def sets(**values: Any) -> list[str]:
    return [word for key, value in values.items() for word in ('--set', f'{key}={value}')]


def test_the_names_of_the_contract() -> None:
    assert {'plate-sinkage', 'wheel-rig', 'bevameter', 'vehicle-slope', 'multipass'} <= set(experiments())


def test_wheel_rig_gives_an_object_for_one_slip_and_a_list_for_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    rig = sets(
        soil='chrono_sandmid',
        load_n=200,
        radius_m=0.2,
        width_m=0.2,
        omega_radps=1.0,
        grid_spacing_m=0.02,
        dt_s=1e-3,
        scm_mode='reference',
    )
    keys = {'slip', 'normal_load_n', 'drawbar_pull_n', 'torque_nm', 'sinkage_m'}
    code, out, _ = call(capsys, 'wheel-rig', *rig, *sets(slip=0.3), '--json')
    one = json.loads(out)
    assert code == 0 and keys <= set(one)
    # Without --json the heading is on stderr, so that standard output is JSON, too.
    code, out, err = call(capsys, 'wheel-rig', *rig, *sets(slip=0.3))
    assert code == 0 and json.loads(out) == one and 'wheel-rig:\n' in err
    code, out, _ = call(capsys, 'wheel-rig', *rig, *sets(slip='0.1,0.3'), '--json')
    assert code == 0 and json.loads(out)[1] == one and json.loads(out)[0]['drawbar_pull_n'] < one['drawbar_pull_n']


def test_plate_sinkage_and_slope(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, 'plate-sinkage', *sets(soil='chrono_lunar', load_n=500, grid_spacing_m=0.03), '--json')
    assert code == 0 and {'load_n', 'sinkage_m'} <= set(json.loads(out))
    code, out, _ = call(capsys, 'vehicle-slope', *sets(slope_deg=5, duration_s=4, grid_spacing_m=0.04), '--json')
    assert code == 0 and {'slope_deg', 'slip', 'speed_mps'} <= set(json.loads(out))


@pytest.mark.seconds
@pytest.mark.slow
def test_wheel_rig_climbs_slopes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / 'slip.png'
    climb = sets(rig='grc1_mgru3', terrain_model='scm', slope_deg='5,10,15', duration_s=12)
    code, out, _ = call(capsys, 'wheel-rig', *climb, '--json', '--plot', str(picture))
    rows = json.loads(out)
    assert code == 0 and [row['slope_deg'] for row in rows] == [5.0, 10.0, 15.0]
    slips = [row['slip'] for row in rows]
    assert 0.0 < slips[0] < slips[1] < slips[2] < 1.0
    assert picture.read_bytes().startswith(b'\x89PNG')


@pytest.mark.seconds
def test_ctrl_c_leaves_what_there_is_and_a_checkpoint(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = ScmClimb.advance

    def pressed(climb: ScmClimb, tick: Callable[[float], None]) -> None:
        advance(climb, tick)
        if (climb.wheel.slope_deg, climb.steps) == (10.0, 200):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.chdir(tmp_path)
    climb = sets(slope_deg='5,10', duration_s=0.4)
    _, whole, _ = call(capsys, 'wheel-rig', *climb, '--json')
    with monkeypatch.context() as patched:
        patched.setattr(ScmClimb, 'advance', pressed)
        code, out, err = call(capsys, 'wheel-rig', *climb, '--json')
    left = json.loads(out)[-1]
    assert code == 130 and left['incomplete'] is True and left['steps'] == 200
    assert len(json.loads(out)) == 2
    assert left['checkpoint'] == 'wheel-rig-1.checkpoint' and '--resume wheel-rig-1.checkpoint' in err
    code, out, _ = call(capsys, 'wheel-rig', '--resume', left['checkpoint'], '--json')
    assert code == 0
    for one, other in zip(json.loads(out), json.loads(whole), strict=True):
        assert {**one, 'wall_s': 0} == {**other, 'wall_s': 0}


@pytest.mark.parametrize(('slopes', 'kind'), [('5,10', list), ('5', dict)])
def test_a_sweep_that_stops_in_its_first_row_is_a_list(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slopes: str, kind: type
) -> None:
    def pressed(climb: ScmClimb, tick: Callable[[float], None]) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ScmClimb, 'advance', pressed)
    code, out, _ = call(capsys, 'wheel-rig', *sets(slope_deg=slopes), '--json', '--plot', 'stopped.svg')
    found = json.loads(out)
    assert code == 130 and isinstance(found, kind)
    assert (found[0] if kind is list else found)['incomplete'] is True
    # Drawn as outlines, the words stand beside them as comments.
    drawn = (tmp_path / 'stopped.svg').read_text(encoding='utf-8')
    assert '(incomplete)' in drawn and 'ended before its first result' in drawn


@pytest.mark.parametrize(
    ('name', 'settings', 'kind'),
    [
        ('bevameter', {'plates_m': '0.11,0.31'}, dict),  # all in one row
        ('wheel-rig', {'slip': '0.1'}, dict),
        ('wheel-rig', {'slip': '0.1,0.2'}, list),
        ('vehicle-slope', {'slope_deg': [5, 10]}, list),
        ('angle-of-repose', {'friction': '0.3,0.4'}, list),
    ],
)
def test_only_settings_that_give_a_row_each_make_a_list(
    monkeypatch: pytest.MonkeyPatch, name: str, settings: dict[str, Any], kind: type
) -> None:
    monkeypatch.setattr(experiment(name), 'run', lambda *_: [{}])
    assert isinstance(run_experiment(name, settings, lambda done, of: None).result, kind)


def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel_rig, 'run', lambda *_: pytest.fail('it ran'))
    (tmp_path / 'folder.png').mkdir()
    for file in ('/proc/x.png', f'{tmp_path}/folder.png', f'{tmp_path}/nowhere/x.png', f'{tmp_path}/x.jpg'):
        code, out, err = call(capsys, 'wheel-rig', '--plot', file, '--json')
        assert code == 2 and out == '' and file in err and 'allowed: a writable .png' in err
    monkeypatch.setattr(wheel_rig, 'run', lambda *_: [])
    (tmp_path / 'old.png').write_text('old')
    with pytest.raises(InputError, match='--plot'):
        run_experiment('wheel-rig', {}, lambda done, of: None, tmp_path / 'x.jpg')
    for name in ('new.png', 'old.png'):
        run_experiment('wheel-rig', {}, lambda done, of: None, tmp_path / name)
    assert not (tmp_path / 'new.png').exists() and (tmp_path / 'old.png').read_text() == 'old'


def test_results_are_printed_though_the_plot_fails(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(plugins, 'write_plot', full)
    monkeypatch.setattr(wheel_rig, 'run', lambda *_: [{'slip': 0.2}])
    code, out, err = call(capsys, 'wheel-rig', '--plot', str(tmp_path / 'x.png'), '--json')
    assert code == 3 and json.loads(out) == {'slip': 0.2} and 'x.png: cannot be written: No space left' in err


def test_rows_that_are_not_steady_are_hollow() -> None:
    rows = [
        {'slope_deg': 5.0, 'slip': 0.1, 'steady': True, 'incomplete': False},
        {'slope_deg': 20.0, 'slip': 0.6, 'steady': False, 'incomplete': False},
    ]
    figure = Figure()
    axes = figure.add_subplot()
    wheel_rig.draw(wheel_rig.Settings(slope_deg=(5.0, 20.0), terrain_model='crm', spacing_m=0.012), rows, axes)
    marks = {line.get_label(): line for line in axes.get_lines()}
    assert (marks['crm'].get_markerfacecolor(), list(marks['crm'].get_xdata())) == ('C0', [5.0])
    assert (marks['not steady'].get_markerfacecolor(), list(marks['not steady'].get_xdata())) == ('white', [20.0])
    assert axes.get_title() == 'grc1_mgru3 on crm, particles every 12 mm'


def test_help_lists_what_an_experiment_has(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('COLUMNS', '120')
    code, out, _ = call(capsys, '--help')
    assert code == 0 and all(name in out for name in experiments())
    for name in experiments():
        code, out, _ = call(capsys, name, '--help')
        settings = getattr(experiment(name), 'Settings', None)
        assert code == 0 and settings is not None and all(f' {key} ' in out for key in ('--json', '--plot FILE'))
        assert all(f' {key} ' in out for key in settings.model_fields if key not in ('resume', 'checkpoint'))
    code, out, _ = call(capsys, 'wheel-rig', '--help', '--slip', '0.1')
    text = ' '.join(out.split())
    for said in (
        'spacing_m CRM only: particle spacing [m]; above 0, up to 10; default 0.009',
        '--resume FILE Checkpoint to continue from',
        '--checkpoint FILE Checkpoint file that Ctrl-C writes',
        'soil SCM only: name or file of the soil; default lunar_nominal',
        "poisson_ratio Poisson's ratio [-]; from 0, below 0.5; default 0.3",
        'packing DEM only: packing of the bed, loose or dense; one of loose, ',
    ):
        assert said in text
    code, _, err = call(capsys, 'wheel-rigg', '--help')
    assert code == 2 and 'did you mean wheel-rig?' in err

    def drop(height_m: float, name: str = 'ball') -> None:
        """Drop it."""

    monkeypatch.setattr(plugin_help, 'experiment', lambda name: drop)
    _, out, _ = call(capsys, 'drop', '--help')
    assert 'Drop it.' in out and 'height_m  required' in out and 'default ball' in out and '--plot' not in out


@pytest.mark.parametrize(('columns', 'width'), [(20, 60), (60, 60), (80, 80), (120, 120), (300, 120)])
def test_help_is_as_wide_as_the_terminal_from_60_to_120_columns(
    columns: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sentences longer than any line: as many words as fit, and none is cut or left out."""
    sentence = ' '.join(f'word{k:03d}' for k in range(60))

    def drop(height_m: float = 1.0) -> None:
        pass

    drop.__doc__ = f'{sentence}\n\n:param height_m: not part of the page'
    monkeypatch.setattr(plugin_help, 'experiment', lambda name: drop)
    monkeypatch.setattr(plugin_help, '_GENERAL', (('--json', sentence), ('--help', 'show this')))
    monkeypatch.setenv('COLUMNS', str(columns))
    page = plugin_help.experiment_help('drop')
    lines = page.splitlines()
    assert width - len('word000') <= max(map(len, lines)) <= width
    assert ' '.join(page.split()).count('word000 word001') == page.count('word059') == 2 and 'not part' not in page
    # The second column is indented below itself.
    (first,) = (line for line in lines if line.startswith('  --json'))
    assert lines[lines.index(first) + 1].startswith(' ' * first.index('word000') + 'word')


def test_help_of_a_benchmark_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(['bench', 'lidar', '--help'])
    assert not left.value.code and 'VLP-16' in capsys.readouterr().out


@pytest.mark.seconds
def test_plot_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / 'rig.png'
    code, _, _ = call(
        capsys, 'wheel-rig', *sets(soil='chrono_lunar', slip='0.1,0.4', grid_spacing_m=0.03), '--plot', str(picture)
    )
    assert code == 0 and picture.read_bytes().startswith(b'\x89PNG') and picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['wheel-rigg'], ['wheel-rig?']),
        (['wheel-rig', *sets(slipp=0.1)], ['slipp', '0.1', 'unknown key', 'did you mean slip?']),
        (['wheel-rig', *sets(soil='mud')], ['mud', 'allowed', 'lunar_nominal']),
        (['wheel-rig', *sets(slip=1.5)], ['slip = 1.5: is out of range', 'below 1.0']),
        (
            ['wheel-rig', *sets(slip=0.1, slope_deg=5)],
            ['slope_deg = 5.0: cannot be combined with slip 0.1', 'one of the two'],
        ),
        (['wheel-rig', *sets(slope_deg=5, terrain_model='crm', spacing_m=0.3)], ['spacing_m 0.3', 'width_m']),
        (['wheel-rig', *sets(scm_mode='other')], ['mode', 'other', 'reference']),
        (['vehicle-slope', *sets(model='vipr')], ['vipr', 'viper']),
        (['multipass', *sets(passes=0)], ['passes', '0', 'greater than or equal to 1']),
        (
            ['wheel-rig', *sets(slope_deg=5, terrain_model='dem', grains='{poissons_ratio: 0.5}')],
            ['grains.poissons_ratio = 0.5: unknown key', 'radius_spread', 'did you mean poisson_ratio?'],
        ),
        (
            ['wheel-rig', *sets(slope_deg=5, terrain_model='dem', grains='{friction: -0.5, radius_m: 0.0001}')],
            ['grains.friction = -0.5: is out of range', 'grains.radius_m = 0.0001: is out of range'],
        ),
        (['wheel-rig', *sets(terrain_model='crm', slope_deg='')], ['slope_deg: is empty; allowed: a value']),
        (['wheel-rig', *sets(terrain_model='crm'), '--slope-deg='], ['slope_deg: is empty; allowed: a value']),
        (
            ['wheel-rig', *sets(slope_deg='5,nan', duration_s='inf', spacing_m='NaN')],
            ['slope_deg = nan: is not finite', "duration_s = 'inf': is not finite", "spacing_m = 'NaN': is not finite"],
        ),
        (['wheel-rig', *sets(slope_deg='[5, .inf]')], ['slope_deg.1 = inf: is not finite']),
        (['wheel-rig', '--set', 'slip={'], ['--set', 'slip', 'is not YAML']),
        (['wheel-rig', '--set', 'slip'], ['--set slip', 'name=value']),
        (['wheel-rig', '--plot', 'nowhere/rig.jpg'], ['nowhere/rig.jpg', '.png']),
        (['wheel-rig', *sets(soil='chrono_lunar', load_n=1e6)], ['experiment wheel-rig', 'load']),
    ],
)
def test_bad_input_is_named(capsys: pytest.CaptureFixture[str], words: list[str], said: list[str]) -> None:
    code, out, err = call(capsys, *words, '--json')
    assert code == 2 and out == ''
    for text in said:
        assert text in err
