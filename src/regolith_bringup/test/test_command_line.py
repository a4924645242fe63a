# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One form for everything that can be wrong with a command: where, value, problem, what is allowed; exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regolith_bringup.cli import main
from regolith_bringup.scenario.schema import ResolvedScenario, Scenario
from regolith_world.checkpoint.files import Checkpoint, write_checkpoint


def called(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(words)
    out = capfd.readouterr()
    return int(left.value.code or 0), out.out, out.err


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        ('run two_rovers --seed 1.5', "regolith run --seed: '1.5': has the wrong type; allowed: a valid integer"),
        ('run two_rovers --duration x', "--duration: 'x': has the wrong type; allowed: a valid number"),
        ('terrain make --seed -1', "terrain make --seed: '-1': is out of range; allowed: greater than or equal to 0"),
        ('run two_rovers --nosuch', 'No such option --nosuch; allowed: the options listed by regolith run --help'),
        ('run', "Missing argument 'scenario'"),
        ('nosuch', "No such command 'nosuch'"),
        ('run two_rovers --out /proc/x', '--out /proc/x: cannot be created'),
        ('report /nope', 'report: /nope: no such folder'),
        ('report /', 'report: /: is not a run folder'),
        ('cite /', 'cite: /: is not a run folder'),
        ('check two_rovers --set vehicles.amber.driver=5', 'a mapping with the key type: constant, path, tasks,'),
        ('check two_rovers --set vehicles.amber.position=[1,true,[null]]', 'position = [1, true, [null]]: '),
        ('recover /nope', 'recover: /nope: no such folder'),
        ('exec no-such-program', 'exec: no-such-program: cannot be run'),
        ('check two_rovers --set terrain.source=/nope.npy', 'no such file'),
    ],
)
def test_mistakes_have_one_form(capfd: pytest.CaptureFixture[str], words: str, said: str) -> None:
    code, out, err = called(capfd, *words.split())
    assert (code, out) == (2, '') and len(err.splitlines()) == 1, err
    assert said in err and err.count('; allowed: ') == 1


def test_help_is_help(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capfd, '--help')
    assert code == 0 and 'exec' in out and not err
    code, out, err = called(capfd)
    assert code == 2 and 'exec' in out + err and 'allowed' not in out + err
    code, out, err = called(capfd, 'terrain')
    assert code == 2 and 'import' in out + err and 'allowed' not in out + err


def test_help_keeps_units_in_brackets(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capfd, 'teleop', '--help')
    assert code == 0 and 'Maximum forward speed [m/s].' in out and 'Maximum yaw rate [rad/s].' in out
    code, out, _ = called(capfd, 'terrain', 'make', '--help')
    assert code == 0 and 'Side length of the square [m].' in out


@pytest.mark.parametrize(('command', 'name'), [('bench', 'two_rovers'), ('experiment', 'wheel-rig')])
def test_commands_list_what_they_can_do(capfd: pytest.CaptureFixture[str], command: str, name: str) -> None:
    code, out, err = called(capfd, command)
    assert (code, err) == (0, '') and name in out.splitlines()
    code, out, err = called(capfd, command, '--json')
    assert code == 0 and name in json.loads(out)


def test_a_good_scenario_is_summed_up(capfd: pytest.CaptureFixture[str]) -> None:
    regions = 'terrain.regions=[{disc: {center: [9, 9], radius_m: 1}, model: rigid}]'
    code, out, err = called(capfd, 'check', 'comms_ridge', '--set', regions)
    assert code == 0 and out.endswith(', 1 region, comms\n'), err


def test_elevation_models_say_once_what_is_allowed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / 'a.tif').write_text('no')
    (tmp_path / 'a.lbl').write_text('no')
    for name in ('a.tif', 'a.lbl', 'none.npy'):
        for words in (
            ['check', 'two_rovers', '--set', f'terrain.source={tmp_path / name}'],
            ['terrain', 'import', str(tmp_path / name), '--out', str(tmp_path / 'out')],
        ):
            code, _, err = called(capfd, *words)
            assert code == 2 and err.count('allowed: ') <= 1, err


def test_a_checkpoint_is_looked_at_before_anything_starts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One that was cut short, of another format, or of another scenario; no process is started for it."""

    def saved(*names: str) -> Path:
        write_checkpoint(tmp_path / 't1', Checkpoint(10**9, 'ab', dict.fromkeys(names, b'12345')))
        return tmp_path / 't1'

    def refused(folder: Path) -> str:
        code, out, err = called(capfd, 'run', 'two_rovers', '--processes', 'one', '--checkpoint', str(folder))
        assert (code, out) == (2, '') and 'starting' not in err and 'Traceback' not in err
        return err

    whole = 'world', 'terrain', 'amber', 'basalt'
    assert 'contains amber, heater, terrain, but the scenario has amber, basalt, terrain' in refused(
        saved('world', 'terrain', 'amber', 'heater')
    )
    (saved(*whole) / 'terrain.bin').write_bytes(b'123')
    assert 'terrain.bin: sha256 is' in refused(tmp_path / 't1')
    (saved(*whole) / 'terrain.bin').unlink()
    assert 'terrain.bin: is in the manifest' in refused(tmp_path / 't1')
    manifest = saved(*whole) / 'manifest.json'
    text = manifest.read_text()
    manifest.write_text(text.replace('"format": 6', '"format": 2'))
    assert 'format: 2; allowed: 6' in refused(tmp_path / 't1')
    manifest.write_text(text[:40])
    assert 'manifest.json: not a checkpoint' in refused(tmp_path / 't1')
    assert 'world.bin: not a saved WorldState' in refused(saved(*whole))


@pytest.mark.parametrize(
    ('words', 'expected'),
    [
        ('--seed 0', {'seed': 0}),
        ('--seed 7', {'seed': 7}),
        ('--duration 0.5', {'duration_s': 0.5}),
        ('--set terrain.spacing_m=0.05 --set world.max_step_s=0.05', {}),
        ('--seed 0 --duration 2 --set seed=9', {'seed': 0}),
    ],
)
def test_verify_repeats_the_scenario_of_its_options(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, expected: dict[str, float]
) -> None:
    """The words it hands on to ``run`` make the scenario that its own options make."""
    handed: list[list[str]] = []

    def repeat(scenario: str, options: list[str], *_: object) -> dict[str, object]:
        handed.append([scenario, *options])
        return {'repeats': True, 'promises': None}

    started: list[Scenario] = []

    def start(resolved: ResolvedScenario, **_: object) -> int:
        started.append(resolved.scenario)
        return 0

    monkeypatch.setattr('regolith_bringup.commands.verify.verify', repeat)
    monkeypatch.setattr('regolith_bringup.run.supervisor.run_scenario', start)
    assert called(capfd, 'verify', 'two_rovers', *words.split())[0] == 0
    assert called(capfd, 'run', *handed[0])[0] == 0
    assert called(capfd, 'run', 'two_rovers', *words.split())[0] == 0
    given, asked = started
    assert given == asked and {key: getattr(given, key) for key in expected} == expected


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (
            ['topic', 'ehco'],
            "regolith topic: No such command 'ehco'; allowed: list, type, find, info, bw, delay, echo, hz, pub (did you mean echo?)",
        ),
        (['service', 'x'], "regolith service: No such command 'x'; allowed: list, type, find, call"),
        (['terrain', 'x'], "regolith terrain: No such command 'x'; allowed: info, make, import, illumination, map"),
        (
            ['topc'],
            "regolith: No such command 'topc'; allowed: the commands listed by regolith --help (did you mean topic?)",
        ),
    ],
)
def test_error_for_a_wrong_subcommand_lists_the_subcommands(
    capfd: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, out, err = called(capfd, *words)
    assert (code, out) == (2, '') and err == f'{said}\n'
