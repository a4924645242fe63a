# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of packages that add commands, summary values and report sections. A broken package affects no other."""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regolith_bringup.cli import main
from regolith_bringup.commands.plugins import benchmarks
from regolith_bringup.plugin_calls import report_sections, summary_values, view_layers
from regolith_bringup.report.page import write_report
from regolith_bringup.report.summary import FinishedRun, build_summary
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import plugins

LAMPS = '''
import typer
from regolith_files.extension_points import Caption, ViewMarks, ReportSection, Table, ViewLayer

lamps = typer.Typer(help='What lamps do.')

@lamps.command()
def count(context: typer.Context, run: str) -> None:
    """Count."""
    context.obj.print_json({'lamps': len(context.obj.run(run).scenario.vehicles)})

@lamps.command()
def off() -> None:
    """Switch off."""

def blink(times: int = 2) -> None:
    """Blink a few times."""
    print('blink ' * times)

def values(run):
    return {'topics': len(run.recorded), 'until_s': run.simulated_s, 'amber': run.participant_summaries['amber']['distance_m']}

def section(run):
    rows = [[str(run.summary['lamps']['topics']), '<b>']]
    return ReportSection('Lamps & more', [Caption('Set `a < b`.'), Table(('topics', 'mark'), rows)], order=5)

def empty(run):
    return None

def layer(scenario):
    if not scenario.vehicles:
        return None
    draw = lambda t_ns, last: [ViewMarks([[0.0, 0.0, 1e-9 * t_ns]], label=str(last.get('/clock')))]
    return ViewLayer('Lamps', draw, {'/clock': 'rosgraph_msgs/msg/Clock'})

def scm():
    return 'not the benchmark of this name'

def fails(*arguments):
    raise RuntimeError('no oil')

def odd(run):
    return float('nan')

number = 42
'''
POINTS = """
[regolith.commands]
blink = lamps:blink
lamps = lamps:lamps
run = lamps:blink
gone = no_such_module:target
number = lamps:number
[regolith.summary]
lamps = lamps:values
dark = lamps:fails
odd = lamps:odd
gone = no_such_module:target
[regolith.report_sections]
lamps = lamps:section
dark = lamps:fails
empty = lamps:empty
number = lamps:odd
[regolith.view_layers]
lamps = lamps:layer
dark = lamps:fails
[regolith.benchmarks]
scm = lamps:scm
"""


@pytest.fixture(autouse=True)
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package."""
    site = tmp_path / 'site'
    info = site / 'a_lamps-1.0.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: a_lamps\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(POINTS)
    (site / 'lamps.py').write_text(LAMPS)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(plugins, '_warned', set())
    yield
    sys.modules.pop('lamps', None)


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main([*words])
    return int(left.value.code or 0)


def test_commands(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call('blink', '--times', '3') == 0 and capsys.readouterr().out == 'blink blink blink \n'
    assert call('lamps', 'count', str(run_dir)) == 0 and json.loads(capsys.readouterr().out) == {'lamps': 2}
    assert call('blink', '--tims', '3') == 2 and '--times' in capsys.readouterr().err
    assert call('--help') == 0
    shown = capsys.readouterr().out
    # One that is ours keeps its name.
    assert 'Blink a few times.' in shown and 'What lamps do.' in shown and 'Run a scenario' in shown
    assert 'gone' not in shown
    assert call('gone') == 2
    said = capsys.readouterr().err
    assert 'package a_lamps 1.0 cannot be loaded' in said and 'no_such_module' in said
    assert not re.search(r'^\W*number ', shown, re.M) and call('number') == 2
    assert 'its target is a int; allowed: a function or a typer.Typer' in capsys.readouterr().err


def test_values_of_packages_are_in_the_summary(run_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = summary_values(FinishedRun(run_dir))
    assert found['lamps'] == {
        'topics': len(FinishedRun(run_dir).recorded),
        'until_s': pytest.approx(1.2),
        'amber': pytest.approx(0.36),
    }
    assert set(found) >= {'lamps', 'sensors'} and not {'dark', 'odd', 'gone'} & set(found)
    said = [record.getMessage() for record in caplog.records]
    assert [sum(word in text for text in said) for word in ('no oil', 'odd', 'no_such_module')] == [1, 1, 1]
    assert build_summary(run_dir)['lamps'] == found['lamps']


def test_sections_of_the_report(run_dir: Path, tmp_path: Path, small_plots: None) -> None:
    run = shutil.copytree(run_dir, tmp_path / 'run')
    text = write_report(run).read_text(encoding='utf-8')
    assert '<h2>Lamps &amp; more</h2>' in text and 'Set <code>a &lt; b</code>.' in text and '<td>&lt;b&gt;</td>' in text
    assert text.index('Lamps &amp; more') < text.index('What the sensors saw')
    assert [section.title for section in report_sections(FinishedRun(run))][:2] == [
        'Lamps & more',
        'What the sensors saw',
    ]


def test_a_scenario_cites_the_models_it_uses(capsys: pytest.CaptureFixture[str]) -> None:
    """Every shipped package contributes: soil, vehicles and their drivers, radios where there are any."""
    cited = {}
    for name in ('two_rovers', 'comms_ridge'):
        assert call('cite', name) == 0
        cited[name] = set(re.findall(r'^@\w+\{([^,]+),$', capsys.readouterr().out, re.MULTILINE))
    assert {'bekker1969', 'coulter1992', 'goldstein2002', 'siegwart2011'} <= cited['two_rovers']
    assert 'subt2022' in cited['comms_ridge'] - cited['two_rovers']


def test_layers_of_the_view() -> None:
    scenario = load_scenario('two_rovers').scenario
    layers = view_layers(scenario)
    assert set(layers) >= {'lamps'} and 'dark' not in layers
    (mark,) = layers['lamps'].draw(2 * 10**9, {'/clock': 'now'})
    assert mark.points == [[0.0, 0.0, 2.0]] and mark.label == 'now' and not mark.joined
    assert 'lamps' not in view_layers(scenario.model_copy(update={'vehicles': {}}))


def test_a_name_of_ours_stays_ours(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert benchmarks()['scm'].__module__ == 'regolith_bringup.bench.driving'
    assert any("'scm' (regolith.benchmarks) of package a_lamps 1.0" in r.getMessage() for r in caplog.records)


def test_plot_libraries_are_imported_only_for_plots() -> None:
    """Importing matplotlib takes half a second. Modules of sensors are imported only on use."""
    script = (
        'import sys\nfrom regolith_bringup import cli, plugin_calls\nfrom regolith_bringup.report import summary\n'
        'assert plugin_calls.summary_values.__name__\nfrom regolith_files.plugins import load_plugins\n'
        'load_plugins("regolith.summary")\nload_plugins("regolith.commands")\n'
        'print([m for m in ("matplotlib", "cv2", "regolith_sensors.report.contact_sheet") if m in sys.modules])'
    )
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'
