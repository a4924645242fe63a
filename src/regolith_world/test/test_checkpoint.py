# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of checkpoints on disk."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from regolith_world.checkpoint import files
from regolith_world.checkpoint.files import Checkpoint

MADE = Checkpoint(2**53 + 1, 'ab' * 32, {'world': b'{}', 'amber': bytes(range(256)), 'terrain': b''})


def test_checkpoint_is_read_back_and_replaced(tmp_path: Path) -> None:
    files.write_checkpoint(tmp_path / 't1', Checkpoint(1, '', {'gone': b'1'}))
    files.write_checkpoint(tmp_path / 't1', MADE)
    assert files.read_checkpoint(tmp_path / 't1') == MADE
    assert sorted(p.stem for p in (tmp_path / 't1').iterdir()) == ['amber', 'manifest', 'terrain', 'world']


def broken(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / 'manifest.json').read_text())
    for key, value in changes.items():
        if value is None:
            del manifest[key]
        else:
            manifest[key] = value
    (folder / 'manifest.json').write_text(json.dumps(manifest))


def test_damaged_checkpoint_is_refused_with_file_and_problem(tmp_path: Path) -> None:
    folder = tmp_path / 't1'

    def refused(why: str) -> None:
        with pytest.raises(ValueError, match=why) as caught:
            files.read_checkpoint(folder)
        assert str(folder) in str(caught.value)

    refused('not a checkpoint')
    for change, why in (
        ({'format': 2}, 'format: 2; allowed: 6'),
        ({'format': None}, 'format: None; allowed: 6'),
        ({'blobs': None}, 'not a complete manifest'),
        ({'blobs': ['amber']}, 'not a complete manifest'),
        ({'t_ns': 'soon'}, 'not a complete manifest'),
        ({'blobs': {}}, "lacks 'world'"),
    ):
        files.write_checkpoint(folder, MADE)
        broken(folder, **change)
        refused(why)
    files.write_checkpoint(folder, MADE)
    (folder / 'amber.bin').write_bytes(bytes(256))
    refused(r'amber\.bin: sha256 is')
    (folder / 'amber.bin').unlink()
    refused(r'amber\.bin: is in the manifest')
    (folder / 'manifest.json').write_text('[1, 2]')
    refused('format: None')
    (folder / 'manifest.json').write_bytes(b'\xff\xfe')
    refused('not a checkpoint')


def test_resume_hint_is_the_newest_usable_checkpoint(tmp_path: Path) -> None:
    """Neither a named checkpoint, nor one with vehicles spawned during the run, nor a damaged one."""
    (tmp_path / 'scenario.yaml').write_text('name: two\nseed: 1\nvehicles: {amber: {}}\n')
    made = {'world': b'', 'amber': b'', 'terrain': b''}
    assert files.resume_hint(tmp_path) == ''
    for name, blobs in (
        ('beginning', made),
        ('t000010.000', made),
        ('t000020.000', made),
        ('t000030.000', {**made, 'late': b''}),
        ('t000040.000', made),
        ('tow_start', made),
        ('t_last', made),
    ):
        files.write_checkpoint(tmp_path / 'checkpoints' / name, Checkpoint(0, '', blobs))
    (tmp_path / 'checkpoints' / 't000040.000' / 'manifest.json').write_text('{"blobs": ')
    assert files.resume_hint(tmp_path).endswith(f'--checkpoint {tmp_path / "checkpoints" / "t000020.000"}')


def test_folder_without_a_checkpoint_is_not_replaced(tmp_path: Path) -> None:
    """Other folders and files are kept. An empty folder and a checkpoint are replaced."""
    for name in ('home', 'home/sub'):
        (tmp_path / name).mkdir()
    file = tmp_path / 'thesis.tex'
    file.write_text('all of it')
    for place in (tmp_path / 'home', file):
        with pytest.raises(FileExistsError, match='allowed: a new folder, or one of a checkpoint'):
            files.write_checkpoint(place, MADE)
    assert file.read_text() == 'all of it' and (tmp_path / 'home' / 'sub').is_dir()
    for _ in range(2):
        files.write_checkpoint(tmp_path / 'home' / 'sub', MADE)
    assert files.read_checkpoint(tmp_path / 'home' / 'sub') == MADE


def test_failed_write_of_a_checkpoint_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == 'b.bin':
            raise OSError(errno.ENOSPC, 'No space left on device')
        return real(path, data)

    monkeypatch.setattr(Path, 'write_bytes', full)
    with pytest.raises(OSError, match='No space'):
        files.write_checkpoint(tmp_path / 't1', files.Checkpoint(0, '', {'a': b'1', 'b': b'2'}))
    assert list(tmp_path.iterdir()) == []
