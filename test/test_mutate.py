# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The tool that plants mistakes, on a checkout of its own with one small package."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent.parent / 'tools' / 'mutate.py'
TREE = {
    'toy/setup.py': '',
    'toy/toy/__init__.py': '',
    'toy/toy/sums.py': 'def double(x):\n    return 2 * x\n\n\ndef triple(x):\n    return 2 * x + x\n\n\ndef idle():\n    return 0\n',
    'toy/test/test_sums.py': (
        'import pytest\n\nfrom toy.sums import double, triple\n\n\n'
        '@pytest.mark.parametrize("x", [3], ids=["a - b [c"])\ndef test_double(x):\n    assert double(x) == 2 * x\n\n\n'
        'def test_triple():\n    assert triple(3) == 9\n'
    ),
}
KERNELS = {
    'toy/toy/inner.py': 'from numba import njit\n\n\n@njit(cache=True)\ndef square(x):\n    return x * x\n',
    'toy/toy/outer.py': (
        'from numba import njit\n\nfrom toy.inner import square\n\n\n'
        '@njit(cache=True)\ndef area(x):\n    return 3.0 * square(x)\n'
    ),
    'toy/test/test_sums.py': 'from toy.outer import area\n\n\ndef test_area():\n    assert area(2.0) == 12.0\n',
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    lay_out(tmp_path, TREE)
    (tmp_path / 'tmp').mkdir()
    return tmp_path


def lay_out(checkout: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = checkout / 'src' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def surroundings(checkout: Path) -> dict[str, str]:
    return {
        **os.environ,
        'PYTHONPATH': str(checkout / 'src' / 'toy'),
        'NUMBA_CACHE_DIR': str(checkout / 'kernels'),
        'TMPDIR': str(checkout / 'tmp'),
        'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1',
    }


def command(checkout: Path, entries: str, *options: str) -> list[str]:
    (checkout / 'list.yaml').write_text(entries)
    return [sys.executable, str(TOOL), str(checkout / 'list.yaml'), '--root', str(checkout), *options]


def mutate(checkout: Path, entries: str, *options: str) -> subprocess.CompletedProcess[str]:
    arguments = command(checkout, entries, *options)
    return subprocess.run(arguments, env=surroundings(checkout), capture_output=True, text=True, check=False)


def entry(file: str, find: str, replace: str, **more: str) -> str:
    fields = {'package': 'toy', 'file': file, 'find': find, 'replace': replace, **more}
    return f'- {json.dumps(fields)}\n'


def contents(folder: Path) -> dict[str, str]:
    files = [p for p in sorted(folder.rglob('*')) if p.is_file() and '__pycache__' not in p.parts]
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_it_separates_noticed_from_survived_and_changes_nothing(checkout: Path) -> None:
    before = contents(checkout / 'src')
    found = mutate(
        checkout,
        'mutations:\n'
        + entry('sums.py', '2 * x', '3 * x', within='double')
        + entry('sums.py', 'return 0', 'return 1')
        + entry('toy/sums.py', 'return 2 * x + x', 'raise SystemExit'),
        '--json',
    )
    told = json.loads(found.stdout)
    assert found.returncode == 1 and (told['mutations'], told['noticed']) == (3, 2)
    tests = [o['by'].rpartition('/')[2] for o in told['outcomes']]
    assert tests == ['test_sums.py::test_double', '', 'test_sums.py::test_triple']
    assert [o['where'] for o in told['outcomes']] == ['toy/sums.py:2', 'toy/sums.py:10', 'toy/sums.py:6']
    assert contents(checkout / 'src') == before
    assert list((checkout / 'tmp').iterdir()) == []


@pytest.mark.slow
def test_kernels_that_call_the_changed_one_are_compiled_again_and_apart(checkout: Path) -> None:
    """Though the caller lies compiled in the cache of the checkout, which is afterwards as it was."""
    lay_out(checkout, KERNELS)
    test = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'src/toy/test']
    subprocess.run(test, cwd=checkout, env=surroundings(checkout), check=True, stdout=subprocess.DEVNULL)
    kernels = contents(checkout / 'kernels')
    assert any('outer.area' in name for name in kernels)
    found = mutate(checkout, 'mutations:\n' + entry('inner.py', 'x * x', 'x + x + x'))
    assert found.returncode == 0 and 'test_sums.py::test_area' in found.stderr, found.stderr
    assert contents(checkout / 'kernels') == kernels


def test_a_test_that_fails_anyway_is_left_out(checkout: Path) -> None:
    """It neither notices a mistake nor keeps others from noticing it."""
    broken = 'def test_broken():\n    assert False\n\n\n'
    (checkout / 'src/toy/test/test_sums.py').write_text(broken + TREE['toy/test/test_sums.py'])
    entries = entry('sums.py', 'return 0', 'return 1') + entry('sums.py', 'return 2 * x + x', 'return 2')
    found = mutate(checkout, 'mutations:\n' + entries)
    assert found.returncode == 1 and found.stdout == '1 of 2 mistakes noticed\n'
    assert 'test_sums.py::test_broken fails without any mistake; it was left out' in found.stderr
    assert 'SURVIVED toy/sums.py:10' in found.stderr and 'test_sums.py::test_triple' in found.stderr


@pytest.mark.slow
def test_a_part_may_do_and_an_endless_loop_is_noticed(checkout: Path) -> None:
    entries = 'mutations:\n' + entry('sums.py', 'return 0', 'return 1')
    entries += entry('sums.py', 'return 2 * x + x', 'for _ in iter(int, 1): pass')
    found = mutate(checkout, entries, '--at-least', '0.5', '--limit', '3')
    assert found.returncode == 0 and found.stdout == '1 of 2 mistakes noticed\n', found.stderr
    assert 'no end in 3 s' in found.stderr


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('mutations:\n' + entry('sums.py', 'x - y', '0'), r"list.yaml: mutations[0].find: 'x - y' does not occur in"),
        ('mutations:\n' + entry('sums.py', '2 * x', '0'), 'occurs 2 times, in lines [2, 6]'),
        ('mutations:\n' + entry('sums.py', 'x', '0', within='double'), 'occurs 2 times, in lines [1, 2] within double'),
        ('mutations:\n' + entry('sums.py', 'x', '0', within='absent'), "'absent' names 0 functions and classes"),
        ('mutations:\n' + entry('differences.py', 'x', '0'), "file: 'differences.py' is no file in"),
        ('mutations:\n' + entry('../test/test_sums.py', 'x', '0'), 'is no file in'),
        ('mutations:\n' + entry('sums.py', 'return 0', 'return ('), 'would be no Python'),
        ('mutations:\n' + entry('sums.py', 'return 0', 'return 0'), "'return 0' changes nothing"),
        ('mutations:\n' + entry('sums.py', 'return 0\n', ''), 'must be a part of one line'),
        (
            'mutations:\n' + entry('sums.py', 'return 0', '1', packge='x'),
            "unknown key 'packge'; allowed: package, file",
        ),
        ('mutations:\n- {package: toys, file: a, find: b, replace: c}\n', "'toys' is none of toy"),
        ('mutations:\n- {package: toy, file: a, find: 1, replace: c}\n', 'mutations[0].find: 1 is no text'),
        ('mutations:\n- {package: toy, file: a, find: b}\n', 'mutations[0]: replace is missing'),
        ('mutations: []\n', 'expected one key, mutations'),
        ('mutations: [\n', 'cannot be read'),
    ],
)
def test_what_cannot_be_planted_is_refused_before_anything_runs(checkout: Path, text: str, said: str) -> None:
    found = mutate(checkout, text)
    assert found.returncode == 2 and said in found.stderr and found.stdout == ''
    assert list((checkout / 'tmp').iterdir()) == []


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_stopped_half_way_it_leaves_nothing_behind(checkout: Path, number: int) -> None:
    marker = checkout / 'begun'
    (checkout / 'src/toy/test/test_sums.py').write_text(
        f'import os, pathlib, time\n\n\ndef test_slow():\n'
        f'    pathlib.Path({str(marker)!r}).write_text(str(os.getpid()))\n    time.sleep(60)\n'
    )
    before = contents(checkout / 'src')
    entries = 'mutations:\n' + entry('sums.py', 'return 0', 'return 1')
    tool = subprocess.Popen(
        command(checkout, entries),
        env=surroundings(checkout),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not (marker.exists() and marker.read_text()) and tool.poll() is None:
        time.sleep(0.05)
    tool.send_signal(number)
    _, said = tool.communicate(timeout=30)
    assert tool.returncode == 130 and 'stopped' in said
    assert contents(checkout / 'src') == before and list((checkout / 'tmp').iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


def test_every_mistake_of_our_own_list_can_be_planted() -> None:
    """A change of a line that is in the list requires a change of the list."""
    found = subprocess.run([sys.executable, str(TOOL), '--check'], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
