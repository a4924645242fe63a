# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the cache of compiled kernels for any checkout and user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from regolith_world.numerics import kernel_cache

READ_ONLY = Path('/proc/self')
"""No process can write there, root included."""


def test_writable_cache_is_kept(tmp_path: Path) -> None:
    environment = {kernel_cache.VARIABLE: str(tmp_path / 'made' / 'later')}
    kernel_cache.configure(environment, [], say=pytest.fail)
    assert environment == {kernel_cache.VARIABLE: str(tmp_path / 'made' / 'later')}


def test_compiled_kernels_are_copied_to_a_writable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / 'image' / 'abc'
    given.mkdir(parents=True)
    (given / 'kernel.nbi').write_bytes(b'1')
    os.utime(given / 'kernel.nbi', (1, 1))
    real = kernel_cache.writable
    monkeypatch.setattr(
        kernel_cache, 'writable', lambda folder: given not in (folder, *folder.parents) and real(folder)
    )
    given.chmod(0o555)
    said: list[str] = []
    environment = {kernel_cache.VARIABLE: str(given)}
    kernel_cache.configure(environment, [READ_ONLY, tmp_path / 'mine'], said.append)
    folder = Path(environment[kernel_cache.VARIABLE])
    assert (folder / 'kernel.nbi').read_bytes() == b'1' and (folder / 'kernel.nbi').stat().st_mtime == 1
    assert folder.stat().st_mode & 0o077 == 0 and len(said) == 1 and str(folder) in said[0]
    kernel_cache.configure(environment, [], say=pytest.fail)


def test_a_folder_others_may_write_to_is_not_trusted(tmp_path: Path) -> None:
    """Files of the cache are executed."""
    shared = tmp_path / f'regolith-kernels-{os.getuid()}'
    shared.mkdir()
    shared.chmod(0o777)
    environment = {kernel_cache.VARIABLE: str(READ_ONLY / 'abc')}
    kernel_cache.configure(environment, [tmp_path, tmp_path / 'better'], lambda text: None)
    assert environment[kernel_cache.VARIABLE].startswith(str(tmp_path / 'better'))


def test_compiling_is_announced_once() -> None:
    said: list[str] = []
    with kernel_cache.announce_compilation(said.append):
        assert numba.njit(lambda x: 2 * x)(21) == 42 and numba.njit(lambda x: 3 * x)(14) == 42
    assert numba.njit(lambda x: x)(1) == 1
    assert len(said) == 1 and 'compiling' in said[0]


def test_numba_that_is_loaded_later_is_announced_too() -> None:
    """A block that needs no kernels does not load Numba."""
    script = (
        'import sys\nfrom regolith_world.numerics.kernel_cache import announce_compilation\nsaid = []\n'
        'with announce_compilation(said.append):\n    print("numba" in sys.modules)\n'
        'with announce_compilation(said.append):\n'
        '    import regolith_world.numerics.kernel_options\n'
        '    import numba\n    numba.njit(lambda x: 2 * x)(21)\n'
        'numba.njit(lambda x: 3 * x)(21)\nprint(len(said))'
    )
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, 'False\n1\n'), done.stderr


def test_without_any_folder_kernels_compile_in_memory(tmp_path: Path) -> None:
    """Numba itself reports 'cannot cache function' and ends."""
    (tmp_path / 'kernel.py').write_text(
        'from numba import njit\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\nprint(twice(21))\n'
    )
    script = (
        'from regolith_world.numerics import kernel_cache\nkernel_cache.configure(candidates=[])\nimport sys\n'
        f'sys.path.insert(0, {str(tmp_path)!r})\nimport kernel'
    )
    environment = {**os.environ, kernel_cache.VARIABLE: '/proc/self/nowhere', 'HOME': '/proc/self/home'}
    done = subprocess.run([sys.executable, '-c', script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, '42\n'), done.stderr
    assert done.stderr.count('regolith: ') == 1 and 'every process compiles its own' in done.stderr


def test_cache_is_complete_after_mark_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for other kernels is not complete, nor is a missing one."""
    monkeypatch.delenv(kernel_cache.VARIABLE, raising=False)
    kernel_cache.mark_complete()
    assert not kernel_cache.is_complete()
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path))
    assert not kernel_cache.is_complete()
    kernel_cache.mark_complete()
    assert kernel_cache.is_complete()
    monkeypatch.setenv(kernel_cache.VARIABLE, str(tmp_path / 'others'))
    kernel_cache.mark_complete()
    assert not kernel_cache.is_complete()
