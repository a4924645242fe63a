# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints on disk: one file per participant, and a manifest that is written last.

A folder without ``manifest.json`` is not a checkpoint. The manifest appears by an atomic rename once everything else is
on disk. So a crash while writing never leaves a folder that looks like a checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from regolith_world.config import ScenarioHead, load_section
from regolith_world.cycle.participant_type import expected_participants

WORLD_BLOB = 'world'
"""Name of the world's own blob."""
FORMAT = 6
"""Format of manifest and blobs. The blobs of older formats have other fields."""


TIMED = re.compile(r't\d{6,}\.\d{3}')
"""Pattern of the names of automatic checkpoints. Other names are set by users."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A committed state of the world and its participants."""

    t_ns: int
    state_hash: str
    blobs: Mapping[str, bytes]
    """State of each participant by name; the world's own state under ``world``."""


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, replacing one of the same name.

    Args:
        folder: Folder of the checkpoint.
        checkpoint: The checkpoint.

    Raises:
        OSError: If writing fails, after which no part of it is left, or if the folder holds other files, which remain.
    """
    if folder.exists():
        found = sorted(folder.iterdir()) if folder.is_dir() else [folder]
        foreign = [p.name for p in found if p.is_dir() or p.suffix not in ('.bin', '.json', '.partial')]
        if foreign:
            raise FileExistsError(f'{folder}: contains {foreign[0]!r}; allowed: a new folder, or one of a checkpoint')
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    try:
        _fill(folder, checkpoint)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _fill(folder: Path, checkpoint: Checkpoint) -> None:
    entries = {}
    for name, blob in sorted(checkpoint.blobs.items()):
        file = f'{name}.bin'
        (folder / file).write_bytes(blob)
        entries[name] = {'file': file, 'bytes': len(blob), 'sha256': hashlib.sha256(blob).hexdigest()}
    manifest = {'format': FORMAT, 't_ns': checkpoint.t_ns, 'state_hash': checkpoint.state_hash, 'blobs': entries}
    partial = folder / 'manifest.json.partial'
    partial.write_text(json.dumps(manifest, indent=2) + '\n')
    os.replace(partial, folder / 'manifest.json')


def resume_hint(run_dir: Path) -> str:
    """Return a text on how to continue a run from its newest usable checkpoint; '': none.

    Usable are automatic checkpoints whose participants are exactly those of the scenario.
    """
    scenario = run_dir / 'scenario.yaml'
    whole = (manifest.parent for manifest in (run_dir / 'checkpoints').glob('t*/manifest.json'))
    saved = sorted(folder for folder in whole if TIMED.fullmatch(folder.name))
    while saved:
        with suppress(OSError, ValueError, TypeError, KeyError):
            blobs = json.loads((saved[-1] / 'manifest.json').read_text())['blobs']
            if {*blobs} - {WORLD_BLOB} == expected_participants(load_section(scenario, '', ScenarioHead)):
                return f'; to continue: ./regolith run {scenario} --checkpoint {saved[-1]}'
        saved.pop()
    return ''


def read_checkpoint(folder: Path) -> Checkpoint:
    """Return the checkpoint in a folder.

    Args:
        folder: Folder of the checkpoint.

    Raises:
        ValueError: With the file and the problem.
    """
    file = folder / 'manifest.json'
    try:
        manifest = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ValueError(f'{file}: not a checkpoint ({error})') from error
    found = manifest.get('format') if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise ValueError(f'{file}: format: {found!r}; allowed: {FORMAT}, which this version of Regolith writes')
    try:
        entries = {
            name: (folder / Path(entry['file']).name, entry['sha256']) for name, entry in manifest['blobs'].items()
        }
        t_ns, state_hash = int(manifest['t_ns']), str(manifest['state_hash'])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f'{file}: not a complete manifest: {error!r}') from None
    if WORLD_BLOB not in entries:
        raise ValueError(
            f'{file}: blobs = {", ".join(sorted(entries))}: lacks {WORLD_BLOB!r}; allowed: a complete checkpoint'
        )
    blobs = {}
    for name, (path, expected) in entries.items():
        try:
            blobs[name] = path.read_bytes()
        except OSError as error:
            raise ValueError(f'{path}: is in the manifest but cannot be read ({error.strerror})') from None
        digest = hashlib.sha256(blobs[name]).hexdigest()
        if digest != expected:
            raise ValueError(f'{path}: sha256 is {digest}, but {expected} in the manifest')
    return Checkpoint(t_ns, state_hash, blobs)
