# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on disk: its folder, completed runs, and result tables.

Each completed run writes its own result file atomically. An interrupted campaign continues with the missing runs and
produces the same table.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from regolith_bringup.campaign import case_run as worker
from regolith_bringup.campaign.config import CampaignCase
from regolith_bringup.campaign.pool import Task, run_all
from regolith_bringup.report.table import OF_THE_CLOCK, Row, flat_values, write_tables
from regolith_files import InputError, Problem, write_atomically

PLAN = 'campaign.json'


@dataclass(frozen=True)
class CampaignResult:
    """Results of a campaign."""

    folder: Path
    rows: list[Row]
    """Result rows in the order of the cases."""
    failures: dict[str, str]
    """Error message of each failed case, by case name."""


def recorded_runs(folder: Path) -> list[Path]:
    """Return the run folders of a campaign folder in order, empty if nothing was recorded there."""
    if not (folder / PLAN).is_file():
        return []
    return sorted(file.parent for file in folder.glob('runs/*/scenario.yaml'))


def scenario_text(case: CampaignCase) -> str:
    """Return the scenario of a case as YAML."""
    return yaml.safe_dump(case.scenario.model_dump(mode='json'), sort_keys=False, allow_unicode=True, width=120)


def open_folder(folder: Path, cases: Sequence[CampaignCase], recorded: bool) -> int:
    """Create the folder of a campaign, or check that it belongs to these cases.

    Args:
        folder: Folder of the campaign.
        cases: Runs of the campaign.
        recorded: Whether runs are recorded.

    Returns:
        Number of completed runs.

    Raises:
        InputError: If the folder has other content, or cannot be created.
    """
    plan = {
        'recorded': recorded,
        'cases': {
            case.name: {'varied': case.varied, 'scenario': hashlib.sha256(scenario_text(case).encode()).hexdigest()}
            for case in cases
        },
    }
    file = folder / PLAN
    try:
        if file.is_file():
            if json.loads(file.read_text(encoding='utf-8')) != json.loads(json.dumps(plan)):
                problem = 'belongs to another campaign: scenario, values or recording differ'
                raise InputError(Problem(f'--out {folder}', '', problem, 'the same campaign, or a new folder'))
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(Problem(f'--out {folder}', '', 'is not a campaign folder', 'a new or an empty folder'))
        (folder / 'runs').mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(plan, indent=1) + '\n')
    except OSError as error:
        problem = f'cannot be created: {error.strerror}'
        raise InputError(Problem(f'--out {folder}', '', problem, 'a writable folder')) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        allowed = 'a file written by ./regolith campaign, or a new folder'
        raise InputError(Problem(str(file), '', 'is not JSON', allowed)) from None
    return len(_found(folder, cases))


def run_campaign(
    folder: Path,
    cases: Sequence[CampaignCase],
    *,
    recorded: bool,
    workers: int,
    scheduler: str = '',
    on_run_done: Callable[[int, str], None] = lambda done, problem: None,
) -> CampaignResult:
    """Run the missing cases and write the tables of all cases.

    Args:
        folder: Campaign folder, see :func:`open_folder`.
        cases: Runs of the campaign.
        recorded: Whether runs are recorded.
        workers: Number of processes on this machine.
        scheduler: Address of a Dask scheduler, or '' for this machine only.
        on_run_done: Callback after each run, with the number of completed runs and the error message or ''.

    Returns:
        Results of all cases.
    """
    before = _found(folder, cases)
    missing = [case for case in cases if case.name not in before]
    done = len(cases) - len(missing)
    tasks: list[Task] = [_task(folder, case, recorded) for case in missing]
    by_name = {case.name: case for case in missing}
    if tasks:
        for name, summary, error in run_all(tasks, workers, scheduler):
            case = by_name[name]
            problem = '' if error is None else _words(error)
            found = {'varied': case.varied, 'problem': problem, 'summary': summary or {}}
            write_atomically(_file(folder, name), json.dumps(found, indent=1) + '\n')
            done += 1
            on_run_done(done, f'run {name}: {problem}' if problem else '')
    return _gathered(folder, cases)


def _task(folder: Path, case: CampaignCase, recorded: bool) -> Task:
    if recorded:
        return case.name, worker.run_recorded, (scenario_text(case), str((folder / 'runs' / case.name).absolute()))
    return case.name, worker.run_unrecorded, (scenario_text(case),)


def discard_failures(folder: Path, cases: Sequence[CampaignCase]) -> int:
    """Mark failed runs as missing so they are repeated, and return their number."""
    failed = [name for name, found in _found(folder, cases).items() if found['problem']]
    for name in failed:
        _file(folder, name).unlink()
    return len(failed)


def _found(folder: Path, cases: Sequence[CampaignCase]) -> dict[str, dict[str, Any]]:
    """Return the results of completed cases. A case with a damaged result file counts as missing."""
    found = {}
    for case in cases:
        with suppress(OSError, ValueError):
            stored = json.loads(_file(folder, case.name).read_text(encoding='utf-8'))
            if isinstance(stored, dict) and stored.keys() >= {'problem', 'summary'}:
                found[case.name] = stored
    return found


def _gathered(folder: Path, cases: Sequence[CampaignCase]) -> CampaignResult:
    rows, clock, failures = [], [], {}
    all_found = _found(folder, cases)
    for case in cases:
        found = all_found[case.name]
        summary = found['summary']
        row: Row = {'run': case.name, **case.varied, 'problem': found['problem']}
        rows.append({**row, **{k: v for k, v in flat_values(summary).items() if k not in row}})
        clock.append({'run': case.name, **{key: summary.get(key) for key in OF_THE_CLOCK}})
        if found['problem']:
            failures[case.name] = found['problem']
    write_tables(folder, rows)
    write_tables(folder, clock, 'timing')
    return CampaignResult(folder, rows, failures)


def _file(folder: Path, name: str) -> Path:
    return folder / 'runs' / f'{name}.json'


def _words(error: BaseException) -> str:
    """Return an error message on one line."""
    return ' '.join(f'{type(error).__name__}: {error}'.split())[:500]
