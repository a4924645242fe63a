# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a package that cannot be imported: it is skipped and named, and affects no other package."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regolith_bringup.cli import main
from regolith_bringup.commands.plugins import benchmarks, run_experiment
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import plugins
from regolith_files.problems import InputError
from regolith_sensors.config.sensor_types import all_sensor_types

GROUPS = ('scenarios', 'vehicles', 'drivers', 'sensors', 'benchmarks', 'experiments')


@pytest.fixture(autouse=True)
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package that leaves when it is imported, one that lacks what it imports, and a good one."""
    info = tmp_path / 'bad_moon-1.2.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: bad_moon\nVersion: 1.2\n')
    points = ''.join(f'[regolith.{group}]\nbad = bad_moon:target\n' for group in GROUPS)
    points += '[regolith.sensors]\nworse = json:loads\n[regolith.scenarios]\nleaving = leaving_moon:target\n'
    good = 'good = good_moon:path\n[regolith.scenarios]\nlost = good_moon:lost\n'
    (info / 'entry_points.txt').write_text(_merged(points + f'[regolith.scenarios]\n{good}'))
    (tmp_path / 'bad_moon.py').write_text('import a_library_nobody_has\n')
    (tmp_path / 'leaving_moon.py').write_text('raise SystemExit("no license")\n')
    (tmp_path / 'good_moon.py').write_text(f'path = {str(tmp_path / "good.yaml")!r}\nlost = "/nowhere/lost.yaml"\n')
    (tmp_path / 'good.yaml').write_text('description: fine\nvehicles: {amber: {position: [0, 0]}}\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(plugins, '_warned', set())
    yield
    for name in ('bad_moon', 'leaving_moon', 'good_moon'):
        sys.modules.pop(name, None)


def _merged(text: str) -> str:
    """Return INI text with every section once."""
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith('['):
            lines = sections.setdefault(line, [])
        else:
            lines.append(line)
    return '\n'.join('\n'.join([head, *lines]) for head, lines in sections.items())


def test_lists_skip_a_broken_plugin_and_warn_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert {'good', 'two_rovers'} <= set(find_scenarios())
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2 and all('plug-in skipped' in text and 'package bad_moon 1.2' in text for text in said)
    assert 'a_library_nobody_has' in said[0] and 'no license' in said[1]
    assert 'camera' in all_sensor_types() and not {'bad', 'worse'} & set(all_sensor_types())
    assert 'scm' in benchmarks() and 'bad' not in benchmarks()
    load_scenario('two_rovers')
    load_scenario('good')


def test_the_command_lists_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(['scenarios', '--json'])
    found = json.loads(capsys.readouterr().out)
    assert not left.value.code and found['good']['description'] == 'fine'
    assert 'no such file' in found['lost']['description']


@pytest.mark.parametrize(
    'settings', [['vehicles.amber.model=bad'], ['vehicles.amber.driver={type: plugin, name: bad}']]
)
def test_use_of_a_broken_plugin_states_the_reason(settings: list[str]) -> None:
    with pytest.raises(InputError, match=r'package bad_moon 1\.2 cannot be loaded.*a_library_nobody_has'):
        load_scenario('two_rovers', settings)
    with pytest.raises(InputError, match=r'package bad_moon 1\.2 cannot be loaded.*a_library_nobody_has'):
        run_experiment('bad', {}, lambda done, of: None)
