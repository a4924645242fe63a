# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run folders: creation and validation."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, Problem, refuse_url
from regolith_world.checkpoint import WORLD_BLOB, WorldState, disk_reserve, read_checkpoint
from regolith_world.cycle import decode_record

TERRAIN = 'terrain'
"""Name of the participant that owns the soil."""


def check_run_folder(out: Path) -> None:
    """Refuse a path that is not a new or empty folder. Nothing is created.

    Args:
        out: Path of the run folder.

    Raises:
        InputError: If it is a file, or a folder that is not empty.
    """
    if os.path.exists(out) and (not out.is_dir() or any(out.iterdir())):
        raise InputError(Problem(f'--out {out}', '', 'is not an empty folder', 'a new or an empty folder'))


def check_finished_run(command: str, run_dir: Path) -> None:
    """Refuse a folder that is not a run folder.

    Args:
        command: Name of the command, for error messages.
        run_dir: Folder to check.

    Raises:
        InputError: If it is not a run folder.
    """
    allowed = 'a folder written by ./regolith run'
    refuse_url(run_dir, allowed)
    if not os.path.isfile(run_dir / 'scenario.yaml'):
        problem = 'is not a run folder' if os.path.exists(run_dir) else 'no such folder'
        raise InputError(Problem(command, '', problem, allowed, str(run_dir)))


def _make(folder: Path, option: str, *, exist_ok: bool) -> None:
    """Create a folder with reserved disk space for the end of the run.

    Args:
        folder: Folder to create.
        option: Option that names it, for error messages.
        exist_ok: Whether it may exist.

    Raises:
        InputError: If it cannot be created.
        FileExistsError: If it exists and must not.
    """
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
        disk_reserve.allocate(folder)
    except FileExistsError:
        raise
    except OSError as error:
        raise InputError(Problem(option, '', f'cannot be created: {error.strerror}', 'a writable folder')) from None


def check_checkpoint(folder: Path, scenario: Scenario) -> None:
    """Refuse a folder that is not a complete checkpoint of a run of this scenario.

    Args:
        folder: Checkpoint folder.
        scenario: Resolved scenario.

    Raises:
        InputError: If it is not such a checkpoint.
    """
    refuse_url(folder, 'a folder that contains a manifest.json, as in RUN/checkpoints')
    if not os.path.isfile(folder / 'manifest.json'):
        beside = sorted(p.parent.name for p in folder.parent.glob('*/manifest.json'))
        allowed = ', '.join(beside) if beside else 'a folder that contains a manifest.json, as in RUN/checkpoints'
        problem = 'is not a checkpoint' if os.path.isdir(folder) else 'no such folder'
        raise InputError(Problem('--checkpoint', '', problem, allowed, str(folder)))
    try:
        kept = read_checkpoint(folder)
    except ValueError as error:
        problem, _, better = str(error).partition('; allowed: ')
        raise InputError(Problem('--checkpoint', '', problem, better or 'a complete checkpoint', str(folder))) from None
    present = {*scenario.vehicles, *sections(scenario), TERRAIN}
    found = set(kept.blobs) - {WORLD_BLOB}
    if found != present:
        problem = f'contains {", ".join(sorted(found))}, but the scenario has {", ".join(sorted(present))}'
        raise InputError(Problem('--checkpoint', '', problem, 'a checkpoint of a run of this scenario', str(folder)))
    if kept.t_ns >= round(scenario.duration_s * 1e9):
        problem = f'is at {kept.t_ns * 1e-9:g} s, after the end of the run ({scenario.duration_s:g} s)'
        raise InputError(Problem('--checkpoint', '', problem, 'an earlier one, or a longer --duration', str(folder)))
    try:
        decode_record(WorldState, kept.blobs[WORLD_BLOB])
    except ValueError as error:
        problem, allowed = f'world.bin: {error}', 'a checkpoint of this version of Regolith'
        raise InputError(Problem('--checkpoint', '', problem, allowed, str(folder))) from None


def new_run_folder(scenario_name: str, out: Path | None = None) -> Path:
    """Create and return an empty run folder.

    Args:
        scenario_name: Name of the folder if ``out`` is None: ``runs/<scenario_name>_001`` and so on.
        out: Folder to create instead. It may exist if it is empty.

    Raises:
        InputError: If ``out`` is a file, a folder that is not empty, or not writable.
    """
    if out is not None:
        check_run_folder(out)
        _make(out, f'--out {out}', exist_ok=True)
        return out
    for number in itertools.count(1):
        folder = Path('runs') / f'{scenario_name}_{number:03d}'
        try:
            _make(folder, str(folder), exist_ok=False)
        except FileExistsError:
            continue
        return folder
    raise AssertionError('unreachable: the count has no end')
