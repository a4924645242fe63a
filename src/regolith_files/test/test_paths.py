# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of paths in configuration files."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from regolith_files.paths import refuse_url, resolved, usable_file
from regolith_files.problems import InputError, counted_noun, without_file_name
from regolith_files.yaml_source import YamlSource

ALLOWED = 'the path of a YAML file'


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with one file of each kind."""
    (tmp_path / 'file').write_text('a: 1\n')
    (tmp_path / 'folder').mkdir()
    os.mkfifo(tmp_path / 'pipe')
    (tmp_path / 'link').symlink_to('file')
    (tmp_path / 'circle').symlink_to('circle')
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket has a low maximum length
        bound.bind('socket')
        os.chdir(here)
        yield tmp_path


@pytest.mark.parametrize(
    ('given', 'problem'),
    [
        ('folder', 'is a folder'),
        ('.', 'is a folder'),
        ('pipe', 'is a pipe, not a regular file'),
        ('socket', 'is a socket, not a regular file'),
        ('/dev/zero', 'is a device, not a regular file'),
        ('none', 'no such file ('),
        ('file/none', 'no such file ('),
        ('circle', 'no such file ('),
        ('a\0b', 'no such file ('),
        ('x' * 5000, 'no such file ('),
        ('http://x/y.tif', 'is a URL, and URLs are not read'),
    ],
)
def test_usable_file_not_regular_gives_an_error_with_its_kind(folder: Path, given: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        usable_file(given, ALLOWED, folder)
    (found,) = caught.value.problems
    assert found.problem.startswith(problem) and found.allowed.startswith(ALLOWED)
    assert str(caught.value).startswith(f'{given}: ')


def test_usable_file_accepts_files_and_links(folder: Path) -> None:
    assert usable_file('file', ALLOWED, folder) == usable_file(folder / 'link', ALLOWED) == folder / 'file'


def test_resolved_cycle_of_links_stays_a_path(folder: Path) -> None:
    assert resolved(folder / 'circle').name == 'circle'


def test_usable_file_without_permission_gives_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, 'access', lambda path, mode: mode != os.R_OK)  # root may read all files
    with pytest.raises(InputError, match='cannot be read: permission denied'):
        usable_file('file', ALLOWED, folder)


@pytest.mark.parametrize(
    ('given', 'named', 'fix'),
    [
        (Path('https://x/y.obj'), 'https://x/y.obj', 'download it and write its path'),  # Path keeps one slash
        (Path('/a/b') / 'http://x/y', 'http://x/y', 'download it'),
        ('file:///a/b', 'file:///a/b', 'write the path of the file'),
        ('/a/package://b/c', 'package://b/c', 'write the path of the file'),
        ('s3://x/y', 's3://x/y', 'write the path of the file'),
    ],
)
def test_refuse_url_shows_the_url_and_a_fix(given: str | Path, named: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        refuse_url(given, ALLOWED)
    assert str(caught.value).startswith(f'{named}: is a URL') and f'; allowed: {ALLOWED}; fix: {fix}' in str(
        caught.value
    )


@pytest.mark.parametrize('given', ['a:b', 'c:/x', '/a/b:c/d', 'data/odd:/x', '2024-01-01T10:00/x'])
def test_refuse_url_accepts_paths_with_colons(given: str) -> None:
    refuse_url(given, ALLOWED)


@pytest.mark.parametrize('name', ['pipe', 'folder', '/dev/zero'])
def test_yaml_source_pipe_folder_or_device_gives_an_error(folder: Path, name: str) -> None:
    with pytest.raises(InputError, match=r'^[^\n]*: is a [^\n]*; allowed: a YAML file with keys$'):
        YamlSource(folder / name, what='keys')


def test_yaml_source_invalid_utf8_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / 'a.yaml').write_bytes(b'secret\xff')
    with pytest.raises(InputError, match=r'a\.yaml: cannot be read as text: it is not UTF-8; allowed: [^\n]*$'):
        YamlSource(tmp_path / 'a.yaml', what='keys')


def test_yaml_source_wrap_names_the_file_once(tmp_path: Path) -> None:
    source = YamlSource.of({'mesh': 'a.stl'}, 'b.yaml')
    long = f'/{"x" * 100}/a.stl'
    for given, text, told in (
        ('a.stl', 'a.stl: is empty', "b.yaml: mesh = 'a.stl': is empty; allowed: a solid"),
        ('a.stl', 'a.stl:7: is empty; allowed: b', "b.yaml: mesh = 'a.stl': line 7: is empty; allowed: b"),
        (long, f'{long}: is empty', f"b.yaml: mesh = '{long}': is empty; allowed: a solid"),
        ('a.stl', 'b.yaml: is empty', "b.yaml: mesh = 'a.stl': is empty; allowed: a solid"),
        ('a.stl', 'c.stl: is empty', "b.yaml: mesh = 'a.stl': c.stl: is empty; allowed: a solid"),
    ):
        assert str(source.wrap(('mesh',), ValueError(text), 'a solid', given)) == told


def test_without_name_removes_only_the_leading_name() -> None:
    assert without_file_name('is not a.stl: b', 'a.stl') == 'is not a.stl: b'
    assert without_file_name('a.stlx: b', 'a.stl') == 'a.stlx: b'
    assert without_file_name('b', '') == 'b'


def test_counted_forms_singular_and_plural() -> None:
    assert [counted_noun(number, 'post') for number in (0, 1, 2)] == ['0 posts', '1 post', '2 posts']
    assert [counted_noun(2, noun) for noun in ('mesh', 'branch', 'path')] == ['2 meshes', '2 branches', '2 paths']
    assert [counted_noun(number, 'process') for number in (1, 3)] == ['1 process', '3 processes']


def test_messages_show_paths_as_written(folder: Path) -> None:
    """Links stay as the user wrote them, although files are opened by their targets."""
    (folder / 'inner').symlink_to(folder / 'folder')
    (folder / 'folder' / 'a.tif').write_text('x')
    (folder / 'f.yaml').write_text('model: inner/a.tif\nother: [inner/a.tif]\n')
    source = YamlSource(folder / 'f.yaml', what='keys')
    target = str(source.find_file(('model',), 'inner/a.tif', ALLOWED))
    assert target == str(folder / 'folder' / 'a.tif')
    for key, line in ((('model',), 1), (('other', 0), 2)):
        said = str(source.error(key, f'{target}: is empty', 'a model', target))
        assert said.startswith(f'{folder}/f.yaml:{line}: ') and "= 'inner/a.tif': is empty" in said
    with pytest.raises(InputError, match=r'^f\.yaml: no such file \(.*/inner/f\.yaml\)'):
        usable_file('f.yaml', ALLOWED, folder / 'inner')
    with pytest.raises(InputError, match=r'none: no such file; allowed'):
        usable_file(folder / 'none', ALLOWED)
