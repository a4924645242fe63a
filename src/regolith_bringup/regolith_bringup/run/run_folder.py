# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run folders."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files.paths import refuse_url
from regolith_files.problems import InputError, Problem
from regolith_world.checkpoint import codec, disk_reserve, files
from regolith_world.cycle.world_state import WorldState

TERRAIN = 'terrain'
"""Name of the participant that owns the soil."""


def check_run_folder(out: Path) -> None:
    """Refuse a path that is no new or empty folder; nothing is made.

    Raises:
        InputError: if it is a file, or a folder that is not empty
    """
    if os.path.exists(out) and (not out.is_dir() or any(out.iterdir())):
        raise InputError(Problem(f'--out {out}', '', 'is not an empty folder', 'a new or an empty folder'))


def check_finished_run(command: str, run_dir: Path) -> None:
    """Refuse a folder that is no run folder.

    Args:
        command: that it was given to

    Raises:
        InputError: if it is none
    """
    allowed = 'a folder that ./regolith run made'
    refuse_url(run_dir, allowed)
    if not os.path.isfile(run_dir / 'scenario.yaml'):
        problem = 'is not a run folder' if os.path.exists(run_dir) else 'no such folder'
        raise InputError(Problem(command, '', problem, allowed, str(run_dir)))


def _make(folder: Path, asked: str, *, exist_ok: bool) -> None:
    """Make a folder with a reserve of disk space for the run's end.

    Raises:
        InputError: if the disk refuses
        FileExistsError: if it is there and must not be
    """
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
        disk_reserve.allocate(folder)
    except FileExistsError:
        raise
    except OSError as error:
        raise InputError(
            Problem(asked, '', f'cannot be made: {error.strerror}', 'a folder on a disk that takes files')
        ) from None


def check_checkpoint(folder: Path, scenario: Scenario) -> None:
    """Refuse a folder that is no whole checkpoint of a run of this scenario.

    Raises:
        InputError: if it is none
    """
    refuse_url(folder, 'a folder that holds a manifest.json, as in RUN/checkpoints')
    if not os.path.isfile(folder / 'manifest.json'):
        beside = sorted(p.parent.name for p in folder.parent.glob('*/manifest.json'))
        allowed = ', '.join(beside) if beside else 'a folder that holds a manifest.json, as in RUN/checkpoints'
        problem = 'is not a checkpoint' if os.path.isdir(folder) else 'no such folder'
        raise InputError(Problem('--checkpoint', '', problem, allowed, str(folder)))
    try:
        kept = files.read(folder)
    except ValueError as error:
        problem, _, better = str(error).partition('; allowed: ')
        raise InputError(Problem('--checkpoint', '', problem, better or 'a whole checkpoint', str(folder))) from None
    present = {*scenario.vehicles, *sections(scenario), TERRAIN}
    found = set(kept.blobs) - {files.WORLD}
    if found != present:
        problem = f'is of {", ".join(sorted(found))}, and the scenario has {", ".join(sorted(present))}'
        raise InputError(Problem('--checkpoint', '', problem, 'a checkpoint of a run of this scenario', str(folder)))
    if kept.t_ns >= round(scenario.duration_s * 1e9):
        problem = f'is of {kept.t_ns * 1e-9:g} s, where a run of {scenario.duration_s:g} s is over'
        raise InputError(Problem('--checkpoint', '', problem, 'an earlier one, or a longer --duration', str(folder)))
    try:
        codec.decode(WorldState, kept.blobs[files.WORLD])
    except ValueError as error:
        problem, allowed = f'world.bin: {error}', 'a checkpoint of this version of Regolith'
        raise InputError(Problem('--checkpoint', '', problem, allowed, str(folder))) from None


def new_run_folder(scenario_name: str, out: Path | None = None) -> Path:
    """Make and return an empty run folder.

    Args:
        scenario_name: names the folder when ``out`` is None: ``runs/<scenario_name>_001`` and counting
        out: the folder to make instead; it may exist if it is empty

    Raises:
        InputError: if ``out`` is a file, a folder that is not empty, or cannot be written to
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
    raise AssertionError('the count does not end')
