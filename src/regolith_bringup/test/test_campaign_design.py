# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Designs of campaigns, their files, and their tables."""

from __future__ import annotations

import csv
import io
import itertools
import math
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from regolith_bringup.campaign import campaign as whole
from regolith_bringup.campaign.config import CampaignConfig, load_campaign
from regolith_bringup.campaign.design import Range, grid, latin_hypercube, listed
from regolith_bringup.campaign.plots import differing, draw
from regolith_bringup.report.table import as_csv, as_parquet, flat_values
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError


def span(low: float, high: float, samples: int, **more: Any) -> Range:
    return Range(low=low, high=high, samples=samples, **more)


def test_a_grid_has_every_combination() -> None:
    found = grid({'seed': (1, 2), 'a.b': span(0.0, 1.0, 3)}, 0)
    assert [tuple(row.values()) for row in found] == [(1, 0.0), (1, 0.5), (1, 1.0), (2, 0.0), (2, 0.5), (2, 1.0)]


def test_a_list_goes_through_all_keys_at_once() -> None:
    assert listed({'a': ('x', 'y', 'z'), 'b': span(1, 5, 3)}, 0) == [
        {'a': 'x', 'b': 1},
        {'a': 'y', 'b': 3},
        {'a': 'z', 'b': 5},
    ]
    with pytest.raises(ValueError, match=r'vary\.b = 2 values: differs from a; allowed: 3'):
        listed({'a': (1, 2, 3), 'b': (1, 2)}, 0)


def test_ends_of_a_range_are_hit_and_ratios_of_a_logarithmic_one_are_equal() -> None:
    assert span(0.1, 0.3, 3).values() == (0.1, pytest.approx(0.2), 0.3)
    values = span(1e-3, 1e3, 7, scale='log').values()
    assert values[0] == 1e-3 and values[-1] == 1e3
    assert [b / a for a, b in itertools.pairwise(values)] == pytest.approx([10.0] * 6)


def test_each_stratum_has_one_sample() -> None:
    """Along every key; lists' values equally often; another seed, another design, the same seed, the same."""
    vary = {'a': span(0.0, 8.0, 8), 'b': span(1.0, 256.0, 8, scale='log'), 'c': ('x', 'y'), 'seed': span(0, 800, 8)}
    found = latin_hypercube(vary, 3)
    assert sorted(int(row['a']) for row in found) == list(range(8))
    assert sorted(int(math.log2(row['b'])) for row in found) == list(range(8))
    assert sorted(row['c'] for row in found) == ['x'] * 4 + ['y'] * 4
    assert all(isinstance(row['seed'], int) for row in found)
    assert found == latin_hypercube(vary, 3) != latin_hypercube(vary, 4)


def written(folder: Path, **content: Any) -> Path:
    file = folder / 'sweep.yaml'
    base = {'scenario': 'two_rovers', 'duration_s': 0.1, 'vary': {'seed': [1, 2]}}
    file.write_text(yaml.safe_dump({**base, **content}, sort_keys=False), encoding='utf-8')
    return file


def test_a_campaign_is_checked_run_by_run(tmp_path: Path) -> None:
    config, cases = load_campaign(
        written(
            tmp_path,
            vary={'vehicles.amber.heading_deg': {'low': 0, 'high': 90, 'samples': 4}, 'seed': [1, 2]},
            settings={'world.max_step_s': 0.01},
        )
    )
    assert [case.name for case in cases] == [f'{k:03d}' for k in range(8)] and config.design == 'grid'
    assert cases[3].varied == {'vehicles.amber.heading_deg': 30, 'seed': 2}
    scenario = cases[3].scenario
    assert (scenario.vehicles['amber'].heading_deg, scenario.seed, scenario.duration_s) == (30.0, 2, 0.1)
    assert scenario.world.max_step_s == 0.01 and not scenario.recording.enabled


@pytest.mark.parametrize(
    ('content', 'why'),
    [
        ({'vary': {}}, r'sweep\.yaml:\d+: vary.*allowed: '),
        (
            {'vary': {'seed': []}},
            r'^[^\n]*sweep\.yaml:4: vary\.seed = \[\]: is too short; allowed: at least 1 of them$',
        ),
        (
            {'vary': {'seed': {'low': 3, 'high': 1, 'samples': 2}}},
            r'high = 1: is not above low, 3; allowed: a larger number',
        ),
        (
            {'vary': {'seed': {'low': 0.0, 'high': 1.0, 'samples': 2, 'scale': 'log'}}},
            r'^[^\n]*vary\.seed\.low = 0\.0: has no logarithm[^\n]*$',
        ),
        (
            {'vary': {'seed': {'low': 0, 'high': 1, 'samples': 2, 'scale': 'cubic'}}},
            r"^[^\n]*seed\.scale = 'cubic': is unknown[^\n]*$",
        ),
        ({'vary': {'seed': [1, 2], 'terrain.spacing_m': [0.1]}, 'design': 'list'}, 'differs from seed; allowed: 2'),
        ({'design': 'latin_hypercube'}, 'a list has no samples'),
        ({'design': 'random'}, 'design.*grid'),
        (
            {'vary': {'terrain.spacing': [0.1]}},
            r'sweep\.yaml:4: terrain\.spacing = 0\.1: unknown key.*did you mean spacing_m.*\n.*run 0 ',
        ),
        (
            {'vary': {'vehicles.ambr.heading_deg': [1.0]}},
            r'sweep\.yaml:4: vehicles\.ambr.*did you mean vehicles\.amber\?',
        ),
        ({'vary': {'seed': [date(2026, 1, 1)]}}, r'sweep\.yaml:5: vary\.seed\.0 = 2026-01-01: is not a value'),
        (
            {'settings': {'terrain.soil': date(2026, 1, 1)}},
            r'sweep\.yaml:8: settings\.terrain\.soil = 2026-01-01: is no',
        ),
        ({'settings': {'seed': 3}}, r'vary\.seed: also sets settings\.seed'),
        (
            {'vary': {'vehicles.amber.heading_deg': [1.0], 'vehicles': [{}]}},
            r'vary\.vehicles: also sets vary\.vehicles\.amber',
        ),
        ({'vary': {'duration_s': [1.0, 2.0]}}, r'vary\.duration_s: is already set by duration_s of the campaign'),
        (
            {'settings': {'recording.enabled': True}},
            r'settings\.recording\.enabled: is already set by record of the campaign',
        ),
        ({'vary': {'seed': [1, -2]}}, r'vary.*run 1 .seed = -2'),
        (
            {'scenario': 'tow_rovers'},
            r"^[^\n]*sweep\.yaml:1: scenario = 'tow_rovers': no such file or scenario[^\n]*mean two_rovers\?\)$",
        ),
        (
            {'settings': {'terain.spacing_m': 0.1}},
            r'^[^\n]*sweep\.yaml:8: terain = [^\n]*unknown key[^\n]*$',
        ),
        ({'duration_s': 0.0}, r'duration_s = 0\.0: is out of range; allowed: greater than or equal to'),
        ({'vary': {'seed': {'low': 0, 'high': 10**6, 'samples': 10**5}, 'terrain.spacing_m': [0.1, 0.2]}}, 'too many'),
        ({'surprise': 1}, 'unknown key'),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(tmp_path: Path, content: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=f'(?s){why}'):
        load_campaign(written(tmp_path, **content))


def test_file_names_are_relative_to_the_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soil = load_scenario('two_rovers', ['terrain.soil.cohesion_pa=1234.0']).scenario.terrain.soil
    (tmp_path / 'mine.yaml').write_text(yaml.safe_dump(soil.model_dump(mode='json')))
    (tmp_path / 'elsewhere').mkdir()
    monkeypatch.chdir(tmp_path / 'elsewhere')
    _, cases = load_campaign(written(tmp_path, vary={'terrain.soil': ['mine.yaml', 'chrono_lunar']}))
    assert [case.scenario.terrain.soil.cohesion_pa == 1234.0 for case in cases] == [True, False]


def test_what_a_table_says_is_what_was_given(tmp_path: Path) -> None:
    """A key within a value that is varied, too, changes the scenario's, not the value in the campaign's file."""
    driver = {'type': 'constant', 'speed_mps': 0.3}
    vary = {'vehicles.amber.driver': [driver], 'vehicles.amber.driver.speed_mps': [0.1, 0.2]}
    _, cases = load_campaign(written(tmp_path, vary=vary))
    assert [case.varied['vehicles.amber.driver'] for case in cases] == [driver, driver]
    assert [case.scenario.vehicles['amber'].driver.speed_mps for case in cases] == [0.1, 0.2]


def test_a_damaged_result_counts_as_none(tmp_path: Path) -> None:
    """Its run is made again; results are written whole, so it was not the campaign that left it so."""
    cases = load_campaign(written(tmp_path))[1]
    whole.open_folder(tmp_path / 'out', cases, False)
    for name, text in (
        ('000', '{"varied": {}, "problem": "it fell over", "summary": {}}'),
        ('001', '{"varied": {}, "pro'),
    ):
        (tmp_path / 'out' / 'runs' / f'{name}.json').write_text(text)
    assert whole.open_folder(tmp_path / 'out', cases, False) == 1
    assert whole.discard_failures(tmp_path / 'out', cases) == 1
    assert whole.open_folder(tmp_path / 'out', cases, False) == 0


def test_a_folder_of_another_campaign_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / 'out'
    cases = load_campaign(written(tmp_path))[1]
    assert whole.open_folder(folder, cases, False) == 0 == whole.open_folder(folder, cases, False)
    with pytest.raises(InputError, match='belongs to another campaign'):
        whole.open_folder(folder, load_campaign(written(tmp_path, duration_s=0.2))[1], False)
    (tmp_path / 'full').mkdir()
    (tmp_path / 'full' / 'thesis.tex').write_text('')
    with pytest.raises(InputError, match='is not a campaign folder; allowed: a new or an empty folder'):
        whole.open_folder(tmp_path / 'full', cases, False)


SUMMARY = {
    'scenario': 'two_rovers',
    'wall_s': 1.3,
    'cycles': 5,
    'state_hash': 'ab',
    'real_time_factor': 2.0,
    'events': [{'t_s': 1.0}],
    'vehicles': {'amber': {'distance_m': 0.25, 'final_pose': {'position': [1.0, 2.0, 3.0]}, 'battery': None}},
}


def test_values_have_dotted_names_and_no_wall_times() -> None:
    assert flat_values(SUMMARY) == {
        'cycles': 5,
        'state_hash': 'ab',
        'events': 1,
        'vehicles.amber.distance_m': 0.25,
        'vehicles.amber.battery': None,
        'vehicles.amber.final_pose.position.x': 1.0,
        'vehicles.amber.final_pose.position.y': 2.0,
        'vehicles.amber.final_pose.position.z': 3.0,
    }


def test_both_tables_hold_the_same() -> None:
    """Numbers are restored bit for bit. Missing values are empty. A column of mixed types is text in Parquet."""
    import pyarrow.parquet as pq

    rows = [
        {'run': '000', 'soil': 'grc1', 'x': 0.1 + 0.2, 'n': 3},
        {'run': '001', 'soil': {'k': 1}, 'x': None, 'm': True},
    ]
    read = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert float(read[0]['x']) == 0.1 + 0.2 and read[1]['x'] == '' and read[1]['soil'] == '{"k": 1}'
    file = io.BytesIO(as_parquet(rows))
    table = pq.read_table(file).to_pylist()
    assert table[0] == {'run': '000', 'soil': '"grc1"', 'x': 0.1 + 0.2, 'n': 3, 'm': None}
    assert table[1]['m'] is True and table[1]['soil'] == '{"k": 1}'
    assert as_parquet(rows) == as_parquet(rows)


def test_plots_show_differing_results_over_all_varied_keys() -> None:
    rows = [
        {'run': str(k), 'soil': soil, 'slope': slope, 'slip': 0.1 * slope + (soil == 'grc1'), 'cycles': 5}
        for k, (soil, slope) in enumerate([('mare', 5), ('mare', 10), ('grc1', 5), ('grc1', 10)])
    ]
    assert differing(rows, ['soil', 'slope']) == ['slip']
    figure = draw(rows, ['soil', 'slope'], 'slip')
    assert [axes.get_xlabel() for axes in figure.axes] == ['soil', 'slope']
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ['mare', 'grc1']
    assert figure.axes[1].lines[1].get_ydata() == pytest.approx([1.0, 1.5])


def test_a_hypercube_fills_the_plane_of_two_keys() -> None:
    """The strata of one key are in another order than those of the next: samples on the diagonal fill no volume."""
    rows = latin_hypercube({'a': span(0.0, 1.0, 50), 'b': span(0.0, 1.0, 50)}, 3)
    a, b = ([row[key] for row in rows] for key in 'ab')
    assert sorted(range(50), key=a.__getitem__) != sorted(range(50), key=b.__getitem__)
    # Of 50 independent pairs, the correlation has a standard deviation of 1 / 7.
    mean = 0.5
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    assert abs(product / sum((x - mean) ** 2 for x in a)) < 3.0 / 7.0


def test_a_result_without_a_summary_is_no_result(tmp_path: Path) -> None:
    """A file that was cut short, but is JSON, has its run run again."""
    cases = [SimpleNamespace(name=name) for name in ('000', '001', '002', '003')]
    for case, text in zip(cases, ('{}', '{"problem": ""}', '[]', '{"problem": "", "summary": {}}'), strict=True):
        file = whole._file(tmp_path, case.name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert list(whole._found(tmp_path, cases)) == ['003']


@pytest.mark.parametrize('values', [[1, 2, 1], [0.5, 0.25, 0.50], [1, 1.0], ['x', 'y', 'x'], [[1, 2], [1, 2]]])
def test_value_given_twice_is_refused(tmp_path: Path, values: list[Any]) -> None:
    """In a grid each would be a run of its own; in a list values of several keys belong together."""
    file = tmp_path / 'campaign.yaml'
    campaign = {'scenario': 'two_rovers', 'vary': {'seed': values}}
    file.write_text(yaml.safe_dump(campaign))
    with pytest.raises(InputError, match=r'vary\.seed\.[12] = .*: is a repeated value .*; allowed: each value once'):
        load_campaign(file)
    assert CampaignConfig.model_validate({**campaign, 'design': 'list'}).variations()


# -- the command, with workers that report their arguments ---------------------------------------------------


def table(folder: Path, name: str = 'table') -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / f'{name}.csv').read_text(encoding='utf-8'))))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what the workers are given; the run whose seed is 2 fails, others go as far as their seed."""
    given: list[Any] = []

    def run_all(tasks: Any, workers: int, scheduler: str) -> Any:
        given.append(
            ([(name, function.__name__, *arguments[1:]) for name, function, arguments in tasks], workers, scheduler)
        )
        for name, _, (text, *_) in reversed(tasks):
            seed = yaml.safe_load(text)['seed']
            error = ValueError(f'seed\n  {seed}') if seed == 2 else None
            yield (
                name,
                None
                if error
                else {'cycles': seed, 'wall_s': 10.0 * seed, 'real_time_factor': 2.0, 'events': [1] * seed},
                error,
            )

    monkeypatch.setattr(whole, 'run_all', run_all)
    return given


@pytest.mark.slow
def test_the_command_runs_lists_and_continues(
    tmp_path: Path, started: list[Any], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from regolith_bringup.cli import main

    def say(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(['campaign', *map(str, words)])
        out = capfd.readouterr()
        return int(left.value.code or 0), out.out, out.err

    file, out = written(tmp_path, vary={'seed': [1, 2, 5], 'world.max_step_s': [0.02]}), tmp_path / 'out'
    assert say(file, '--dry-run') == (
        0,
        ''.join(f'00{k} seed={s} world.max_step_s=0.02\n' for k, s in enumerate((1, 2, 5))),
        '',
    )
    assert not started and not out.exists()
    code, said, told = say(file, '--out', out, '--workers', 2)
    assert (code, said) == (3, f'{out}\n') and started.pop() == (
        [(f'00{k}', 'run_unrecorded') for k in range(3)],
        2,
        '',
    )
    assert told.splitlines() == [
        '3 runs, 0 already complete; on 2 processes on this machine',
        'run 001: ValueError: seed 2',
        '1 of 3 runs failed: 001',
    ]
    assert [(row['run'], row['seed'], row['problem'], row['cycles'], row['events']) for row in table(out)] == [
        ('000', '1', '', '1', '1'),
        ('001', '2', 'ValueError: seed 2', '', '0'),
        ('002', '5', '', '5', '5'),
    ]
    assert [tuple(row.values()) for row in table(out, 'timing')] == [
        ('000', '10.0', '2.0'),
        ('001', '', ''),
        ('002', '50.0', '2.0'),
    ]
    assert sorted(path.name for path in (out / 'plots').iterdir()) == ['cycles.png', 'events.png']
    # All are done: nothing runs, and it is the same again; those that failed run once more with --retry-failed.
    code, _, told = say(file, '--out', out, '--no-plots')
    assert code == 3 and not started and told.startswith('3 runs, 3 already complete; on ')
    code, said, told = say(file, '--out', out, '--retry-failed', '--scheduler', 'tcp://h:1', '--workers', 7, '--json')
    assert code == 3 and started.pop() == ([('001', 'run_unrecorded')], 7, 'tcp://h:1')
    assert told.startswith('3 runs, 2 already complete; on tcp://h:1\n') and yaml.safe_load(said)[2]['cycles'] == 5
    # Where nothing is said of it: runs/FILE, a worker on each core, at most one for each run.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('os.cpu_count', lambda: 64)
    assert say(written(tmp_path, vary={'seed': [1, 5]}, record=True), '--no-plots')[:2] == (0, 'runs/sweep\n')
    runs = tmp_path / 'runs' / 'sweep' / 'runs'
    assert started.pop() == ([(f'00{k}', 'run_recorded', str(runs / f'00{k}')) for k in range(2)], 64, '')
    assert not (tmp_path / 'runs' / 'sweep' / 'plots').exists()
    assert say(file, '--out', file)[0] == 2


def test_a_worker_that_crashes_is_found_among_its_neighbors(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that ran beside it run again, alone: two have a value then, one an error of its own, one has killed its process."""
    from concurrent.futures import ThreadPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from contextlib import contextmanager

    from regolith_bringup.campaign import pool

    pools: list[int] = []

    @contextmanager
    def executor(workers: int, scheduler: str) -> Any:
        pools.append(workers)
        with ThreadPoolExecutor(1) as made:
            yield made

    def work(name: str) -> str:
        if name == 'killer' or (name in 'ab' and len(pools) == 1):
            raise BrokenProcessPool
        if name == 'wrong':
            raise ValueError(name)
        return name.upper()

    monkeypatch.setattr(pool, '_executor', executor)
    found = list(pool.run_all([(name, work, (name,)) for name in ('a', 'wrong', 'killer', 'b', 'c')], 3))
    told = {name: value if error is None else str(error) for name, value, error in found}
    assert told == {
        'a': 'A',
        'b': 'B',
        'c': 'C',
        'wrong': 'wrong',
        'killer': 'its process terminated, maybe for lack of memory',
    }
    assert pools == [3, 1, 1, 1] and len(found) == 5


def test_plots_have_all_values_labels_and_means_of_repeated_places() -> None:
    rows = [
        {'run': f'{k}', 'soil': soil, 'n': n, 'hit': hit}
        for k, (soil, n, hit) in enumerate(
            [('a', 3, 1.0), ('b', 1, 4.0), ('c', 2, 9.0), ('d', 3, 2.0), ('a', 1, None), ('b', 2, True)]
        )
    ]
    figure = draw(rows, ['soil', 'n'], 'hit')
    assert figure.get_size_inches() == pytest.approx([8.0, 3.4])
    soil, n = figure.axes
    assert (soil.get_ylabel(), n.get_ylabel(), n.get_xlabel()) == ('hit', '', 'n')
    assert soil.lines[0].get_xydata().tolist() == [[0, 1.0], [1, 4.0], [2, 9.0], [3, 2.0]] and len(soil.lines) == 1
    assert [(text.get_text(), text.get_rotation()) for text in soil.get_xticklabels()] == [
        (name, 30.0) for name in 'abcd'
    ]
    assert n.lines[0].get_xydata().tolist() == [[3, 1.0], [1, 4.0], [2, 9.0], [3, 2.0]]
    assert n.lines[1].get_xydata().tolist() == [[1, 4.0], [2, 9.0], [3, 1.5]]
    assert differing([{'a/b': 1, 'c': True, 'd': 'x'}, {'a/b': 2, 'c': False, 'd': 'y'}], []) == ['a/b']
