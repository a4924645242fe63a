# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the comparison of runs."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import synthetic_run

from regolith_bringup.bag.comparison import _Open
from regolith_bringup.commands.command_context import CliCommandContext
from regolith_bringup.commands.compare import compare
from regolith_bringup.report.compare import histories, labels, paths, write_comparison
from regolith_bringup.report.run_data import read_run
from regolith_files.problems import InputError


@pytest.mark.seconds
@pytest.mark.slow
def test_a_page_lays_runs_over_one_another(run_dir: Path, tmp_path: Path, small_plots: None) -> None:
    """A copy is bit-identical. A shorter run differs where it ends. Both are in every plot and column."""
    copy = tmp_path / 'copy'
    shutil.copytree(run_dir, copy)
    shorter = synthetic_run.make_run(tmp_path / 'shorter', cycles=40)
    out = tmp_path / 'page.html'
    same, differs = write_comparison([run_dir, copy, shorter], out)
    assert same == f'copy: is bit-identical to {run_dir.name}'
    assert re.match(rf'shorter: differs from {run_dir.name} from cycle 40 at 0\.800 s: world: cycles', differs)
    text = out.read_text()
    assert text.count('<th>') == 4 and '<b>60</b>' in text and '<b>40</b>' in text and '$' not in text
    assert 'src="http' not in text and 'prefers-color-scheme: dark' in text

    runs = {'long': read_run(run_dir), 'short': read_run(shorter)}
    drawn = [line for line in paths(runs).axes[0].lines if len(line.get_xdata())]
    assert len(drawn) == 4 and {line.get_linestyle() for line in drawn} == {'-', '--'}
    speed = histories(runs)['amber'].axes[0]
    assert [line.get_label() for line in speed.lines] == ['long', 'short']
    assert speed.lines[0].get_ydata() == pytest.approx(synthetic_run.SPEED)


def test_labels_of_runs_with_one_name_differ() -> None:
    assert labels([Path('/a/runs/x'), Path('/a/runs/y')]) == ['x', 'y']
    assert labels([Path('/a/one/x'), Path('/a/two/x')]) == ['one/x', 'two/x']


def test_what_is_no_run_is_refused(run_dir: Path, tmp_path: Path) -> None:
    class Context:
        obj = CliCommandContext(print)

    for given, why in (
        ([run_dir], 'needs at least two runs'),
        ([run_dir, tmp_path], 'is not a run folder'),
        ([run_dir, tmp_path / 'gone'], 'no such folder'),
    ):
        with pytest.raises(InputError, match=f'{why}; allowed: '):
            compare(Context(), given, tmp_path / 'page.html')  # type: ignore[arg-type]
    assert not (tmp_path / 'page.html').exists()


def test_sinkage_is_drawn_in_the_unit_of_its_axis(run_dir: Path) -> None:
    run = read_run(run_dir)
    axes = {one.get_ylabel(): one for one in histories({'run': run})['amber'].axes}
    assert {'speed [m/s]', 'mean slip [-]', 'mean sinkage [mm]'} <= axes.keys()
    (line,) = axes['mean sinkage [mm]'].lines
    assert line.get_ydata() == pytest.approx(1e3 * synthetic_run.RUT_M)


def test_the_last_attempt_of_a_cycle_is_compared() -> None:
    """Two runs that are alike in an attempt that was discarded, and unlike in the one that was committed."""

    def cycle(dt_ns: int, committed: int) -> _Open:
        opened = _Open()
        for attempt, value in enumerate((7, committed)):
            opened.asked[attempt] = SimpleNamespace(t_ns=0, dt_ns=dt_ns)
            opened.said[attempt] = {'amber': value}
        return opened

    one, other, unlike = (next(cycle(20, value).spoken(3)) for value in (8, 8, 9))
    assert one.results == other.results == {'amber': 8} and unlike.results == {'amber': 9}


def test_vehicles_differ_by_color_runs_by_dashes_and_histories_have_space(run_dir: Path) -> None:
    """More vehicles than colors: the first one's comes again. A panel for each quantity, 1.9 inches high."""
    from regolith_bringup.report.plots import COLORS

    run = read_run(run_dir)
    track = run.tracks['amber']
    run = replace(run, tracks={f'v{k}': replace(track, name=f'v{k}') for k in range(9)})
    runs = {f'r{k}': run for k in range(5)}
    axes = paths(runs).axes[0]
    drawn = [line for line in axes.lines if len(line.get_xdata())]
    assert [line.get_color() for line in drawn] == [COLORS[k % 7] for k in range(9)] * 5
    assert [line.get_linestyle() for line in drawn[::9]] == ['-', '--', ':', '-.', '-']
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [*run.tracks, *runs]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ('x, east [m]', 'y, north [m]', 1.0)
    figure = histories(runs)['v8']
    assert (
        figure.get_size_inches() == pytest.approx([10.0, 5.7]) and figure.axes[-1].get_xlabel() == 'simulated time [s]'
    )
    assert [line.get_color() for line in figure.axes[0].lines] == list(COLORS[:5])


def test_values_of_runs_stand_beside_one_another_those_that_differ_bold() -> None:
    from regolith_bringup.report.compare import _figures

    text = _figures({'a': {'cycles': 3, 'x': 0.1234567891234}, 'b': {'cycles': 3, 'x': 0.5, 'only': '<b>' * 9}})
    cells = re.findall('<t[hd][^>]*>(.*?)</t[hd]>', text)
    assert cells == [
        'figure',
        'a',
        'b',
        'cycles',
        '3',
        '3',
        'x',
        '<b>0.123456789</b>',
        '<b>0.5</b>',
        'events',
        '0',
        '0',
        'only',
        '<b>\u2013</b>',
        f'<b>{"&lt;b&gt;" * 5}&lt;</b>',
    ]
    assert labels([Path('/a/x'), Path('/a/x')]) == ['x (0)', 'x (1)']
