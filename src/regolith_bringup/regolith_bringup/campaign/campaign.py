# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign from beginning to end: its folder, what is done of it, and what it leaves.

Each run that ends leaves a file of its own, written whole; so a campaign that was killed goes on with those that are
missing, and its table is the one that it would have had.
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
from regolith_bringup.campaign.table import OF_THE_CLOCK, Row, flat_values, write_tables
from regolith_files.atomic_write import write_atomically
from regolith_files.problems import InputError, Problem

PLAN = 'campaign.json'


@dataclass(frozen=True)
class CampaignResult:
    """What a campaign came to."""

    folder: Path
    rows: list[Row]
    """In the order of the cases."""
    failures: dict[str, str]
    """Case -> what was wrong."""


def recorded_runs(folder: Path) -> list[Path]:
    """Return the run folders in a campaign's folder, in order; none in any other folder, or if nothing was recorded."""
    if not (folder / PLAN).is_file():
        return []
    return sorted(file.parent for file in folder.glob('runs/*/scenario.yaml'))


def scenario_text(case: CampaignCase) -> str:
    """Return a case's scenario as YAML."""
    return yaml.safe_dump(case.scenario.model_dump(mode='json'), sort_keys=False, allow_unicode=True, width=120)


def open_folder(folder: Path, cases: Sequence[CampaignCase], recorded: bool) -> int:
    """Make the folder of a campaign, or see that it is the one of these cases; return how many of them are done.

    Raises:
        InputError: if it belongs to another campaign or to something else, or cannot be made
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
                problem = 'is of another campaign: scenario, values or recording differ'
                raise InputError(Problem(f'--out {folder}', '', problem, 'the same campaign, or a new folder'))
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(Problem(f'--out {folder}', '', 'is no folder of a campaign', 'a new or an empty folder'))
        (folder / 'runs').mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(plan, indent=1) + '\n')
    except OSError as error:
        problem = f'cannot be made: {error.strerror}'
        raise InputError(Problem(f'--out {folder}', '', problem, 'a folder on a disk that takes files')) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        allowed = 'what ./regolith campaign wrote, or a new folder'
        raise InputError(Problem(str(file), '', 'is not JSON', allowed)) from None
    return len(_found(folder, cases))


def run_campaign(
    folder: Path,
    cases: Sequence[CampaignCase],
    *,
    recorded: bool,
    workers: int,
    scheduler: str = '',
    told: Callable[[int, str], None] = lambda done, problem: None,
) -> CampaignResult:
    """Run the cases that are not done yet, and write the tables of all.

    Args:
        folder: of :func:`open_folder`
        workers: number of processes of this machine
        scheduler: address of a Dask scheduler; '': this machine alone
        told: called after each with the number of those done, and its failure or ''
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
            told(done, f'run {name}: {problem}' if problem else '')
    return _gathered(folder, cases)


def _task(folder: Path, case: CampaignCase, recorded: bool) -> Task:
    if recorded:
        return case.name, worker.run_recorded, (scenario_text(case), str((folder / 'runs' / case.name).absolute()))
    return case.name, worker.run_unrecorded, (scenario_text(case),)


def forget_failures(folder: Path, cases: Sequence[CampaignCase]) -> int:
    """Have the runs that failed run again; return how many."""
    failed = [name for name, found in _found(folder, cases).items() if found['problem']]
    for name in failed:
        _file(folder, name).unlink()
    return len(failed)


def _found(folder: Path, cases: Sequence[CampaignCase]) -> dict[str, dict[str, Any]]:
    """Return what came of the cases that are done; one whose file something has damaged is not."""
    found = {}
    for case in cases:
        with suppress(OSError, ValueError):
            told = json.loads(_file(folder, case.name).read_text(encoding='utf-8'))
            if isinstance(told, dict) and told.keys() >= {'problem', 'summary'}:
                found[case.name] = told
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
    """Return what was wrong on one line."""
    return ' '.join(f'{type(error).__name__}: {error}'.split())[:500]
