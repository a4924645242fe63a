# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of names of folders, and of paths inside a run."""

from pathlib import Path

import pytest

from regolith_world.names import LONGEST_NAME, path_within, valid_file_name

ODD = [
    '../x',
    'a/b',
    '/x',
    '.x',
    '..',
    '',
    ' x',
    'x ',
    'a\nb',
    'a\x1b[31mb',
    'a\0b',
    'a\tb',
    'a\u202eb',
    '-x',
    '_x',
    'a*b',
    'x' * 300,
    'a\\b',
    'a:b',
]


@pytest.mark.parametrize('name', ODD)
def test_name_invalid_for_a_folder_is_refused_in_one_printable_line(name: str) -> None:
    with pytest.raises(ValueError, match='cannot be the name of a folder; allowed: letters, digits') as caught:
        valid_file_name(name)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 400


@pytest.mark.parametrize('name', ['dawn', 'nach Süden', 'a-1.5_b+2', '3', 'x' * LONGEST_NAME])
def test_name_valid_for_a_folder_is_accepted(name: str) -> None:
    assert valid_file_name(name) == name
    with pytest.raises(ValueError, match=r'is taken; allowed: any name but '):
        valid_file_name(name, ['other', name])


def test_path_outside_a_run_is_refused(tmp_path: Path) -> None:
    """By parent steps, from the root, through a link, or as the run folder itself."""
    run = tmp_path / 'run'
    (run / 'checkpoints').mkdir(parents=True)
    (run / 'out').symlink_to(tmp_path)
    for text in (
        '../x',
        'a/../../x',
        '../../../../../escape',
        '/escape',
        'out/x',
        str(tmp_path / 'run2'),
        '.',
        '',
        'a\0b',
    ):
        with pytest.raises(ValueError, match='is outside the run; allowed: a path below'):
            path_within(run, text)
    for text in ('~/x', 'checkpoints/a\nb', '.hidden'):
        with pytest.raises(ValueError, match='cannot be the name of a folder'):
            path_within(run, text)
    assert path_within(run, 'mine') == path_within(run, str(run / 'mine')) == (run / 'mine').resolve()
    assert path_within(run, 'a/../checkpoints/b') == (run / 'checkpoints' / 'b').resolve()
    with pytest.raises(ValueError, match='this run has no folder; allowed: no path'):
        path_within(None, 'x')
