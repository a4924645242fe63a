# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Access to the recording of a run that is given to a command."""

from __future__ import annotations

import sys
from pathlib import Path

from regolith_bringup.bag.reading import Bag, recordings
from regolith_bringup.run.run_folder import check_finished_run
from regolith_files import InputError, NoRecordingError, Problem


def open_recording(command: str, run: Path, branch: int = 0) -> Bag:
    """Return the bag of a branch of a run. Print a note on stderr if its recorder did not close it.

    Args:
        command: Name of the command, for error messages.
        run: Run folder.
        branch: Number of the branch, 0 for the first part.

    Raises:
        InputError: If the folder is not a run folder, or has no such recording.
    """
    check_finished_run(command, run)
    kept = [path.name for path in recordings(run)]
    name = f'bag_{branch}' if branch else 'bag'
    if not kept or (name not in kept and not branch):
        raise InputError(Problem(command, '', 'has no recording', 'a recorded run', str(run)))
    if name not in kept:
        branches = ', '.join(folder.removeprefix('bag').removeprefix('_') or '0' for folder in kept)
        raise InputError(Problem(command, '--branch', 'does not exist', branches, str(branch)))
    try:
        bag = Bag(run / name)
    except NoRecordingError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise InputError(Problem(command, '', problem, allowed or 'a recorded run')) from None
    if not bag.whole:
        remedy = f'./regolith recover {run / name if branch else run}'
        print(f'{bag.path}: was not closed; reading its available part. To repair it: {remedy}', file=sys.stderr)
    return bag
