#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Mutation tests: insert small errors one at a time and report which ones the tests of their package detect.

    ./regolith exec python3 tools/mutate.py [LIST.yaml] [--only TEXT] [--at-least 0.85] [--json]

A list of mutations is a YAML file (see tools/mutations.yaml): package, file, the text to find and its replacement. The
checkout is never changed. The package is copied to a scratch folder that is first on the Python path, the mutation is
inserted there, and the package's own tests run against it up to the first failure. A test that also fails on an
unchanged copy is reported and left out.

Compiled kernels are separate too. Numba's cache does not detect a change of a kernel that another kernel calls. So
every mutation gets its own cache: a copy of the checkout's, without the kernels of all modules that import the
changed one.

Exit code: 0 all (or the fraction --at-least) detected, 1 not, 2 invalid input.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
KEYS = {'package': str, 'file': str, 'find': str, 'replace': str, 'within': str, 'says': str, 'tests': list}
NEEDED = ('package', 'file', 'find', 'replace')
MARKS = 'not slow and not ros'
"""Tests with whole processes belong to the suite. Errors that only they detect count as not detected by the package."""


class BadList(ValueError):
    """Error in a list of mutations; the message names file, entry and allowed values."""


@dataclass(frozen=True)
class Mutation:
    """One mutation, ready to be inserted."""

    package: str
    path: Path
    """Path of the source in the checkout."""
    line: int
    """Line number of the mutation, from 1."""
    source: str
    """Text of the whole file with the mutation."""
    says: str
    tests: tuple[str, ...]
    """Tests that run before the package's others."""
    reaches_kernels: bool
    """Whether code compiled for other modules may contain the changed code."""

    @property
    def label(self) -> str:
        """Human-readable package, file and line."""
        return f'{self.package}/{self.path.name}:{self.line}'


@dataclass
class Outcome:
    """Result of one mutation."""

    where: str
    says: str
    noticed: bool
    by: str
    """The test that failed; empty if none did."""
    seconds: float


# -- reading the list ---------------------------------------------------------------------------------------------


def read(file: Path, root: Path = ROOT) -> list[Mutation]:
    """Return the mutations of a list, each checked against the current source.

    Raises:
        BadList: If an entry is invalid.
    """
    try:
        data = yaml.safe_load(file.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadList(f'{file}: cannot be read: {error}') from error
    entries = data.get('mutations') if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries or len(data) > 1:
        raise BadList(f'{file}: expected one key, mutations, with a list of mistakes')
    return [_mutation(f'{file}: mutations[{k}]', entry, root) for k, entry in enumerate(entries)]


def _mutation(where: str, entry: Any, root: Path) -> Mutation:
    if not isinstance(entry, dict):
        raise BadList(f'{where}: {entry!r} is no section; allowed keys: {", ".join(KEYS)}')
    for key, value in entry.items():
        if key not in KEYS:
            raise BadList(f'{where}: unknown key {key!r}; allowed: {", ".join(KEYS)}')
        if not isinstance(value, KEYS[key]):
            raise BadList(f'{where}.{key}: {value!r} is no {"list" if KEYS[key] is list else "text"}')
    if missing := [key for key in NEEDED if key not in entry]:
        raise BadList(f'{where}: {missing[0]} is missing; needed: {", ".join(NEEDED)}')
    package, find, replace = entry['package'], entry['find'], entry['replace']
    packages = sorted(p.parent.name for p in (root / 'src').glob('*/setup.py'))
    if package not in packages:
        raise BadList(f'{where}.package: {package!r} is none of {", ".join(packages)}')
    if not find or '\n' in find:
        raise BadList(f'{where}.find: {find!r} must be a part of one line')
    folder = root / 'src' / package / package
    # The end of a path is enough, because files move within a package more often than they are renamed.
    asked = Path(entry['file'])
    found = [p for p in sorted(folder.rglob(asked.name)) if p.parts[-len(asked.parts) :] == asked.parts]
    if len(found) != 1:
        is_one_of = f'is each of {", ".join(str(p.relative_to(folder)) for p in found)}' if found else 'is no file'
        raise BadList(f'{where}.file: {entry["file"]!r} {is_one_of} in {folder}')
    path = found[0]
    lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
    first, last = _within(where, path, lines, entry.get('within'))
    hits = [(n, c) for n in range(first, last) for c in _places(lines[n], find)]
    if len(hits) != 1:
        times = 'does not occur' if not hits else f'occurs {len(hits)} times, in lines {[n + 1 for n, _ in hits]}'
        part = f' within {entry["within"]}' if 'within' in entry else ''
        raise BadList(f'{where}.find: {find!r} {times}{part} in {path}; it must occur once')
    if find == replace:
        raise BadList(f'{where}.replace: {replace!r} changes nothing')
    n, column = hits[0]
    lines[n] = lines[n][:column] + replace + lines[n][column + len(find) :]
    source = ''.join(lines)
    try:
        ast.parse(source)
    except SyntaxError as error:
        raise BadList(f'{where}.replace: {path} would be no Python: {error}') from error
    tests = tuple(
        str(Path('src', owner if owner in packages else package, 'test', name if owner in packages else t))
        for t in entry.get('tests', ())
        for owner, _, name in (t.partition('/'),)
    )
    for test in tests:
        if not (root / test.partition('::')[0]).is_file():
            raise BadList(f'{where}.tests: there is no {test}')
    return Mutation(package, path, n + 1, source, str(entry.get('says', find)), tests, _reaches_kernels(path, n + 1))


def _places(line: str, find: str) -> Iterator[int]:
    at = line.find(find)
    while at >= 0:
        yield at
        at = line.find(find, at + 1)


def _within(where: str, path: Path, lines: Sequence[str], name: Any) -> tuple[int, int]:
    """Return the range of lines, from 0, of the function or class ``name``; without a name, of the whole file."""
    if name is None:
        return 0, len(lines)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [n for n in ast.walk(ast.parse(''.join(lines))) if isinstance(n, kinds) and n.name == name]
    if len(found) != 1:
        raise BadList(f'{where}.within: {name!r} names {len(found)} functions and classes of {path}; it must name one')
    return found[0].lineno - 1, found[0].end_lineno or len(lines)


def _reaches_kernels(path: Path, line: int) -> bool:
    """Return whether a change of a line may alter code that was compiled for another module.

    It cannot inside an ordinary function. A constant, a class or a kernel may be part of any kernel that uses it.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        inside = isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or line)
        if inside and not re.search(r'\bnjit\b|\bkernel\b', ast.unparse(node)) and 'intrinsic' not in ast.unparse(node):
            return False
    return True


# -- the scratch copy ---------------------------------------------------------------------------------------------


def dependents(module: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Return the modules that import a module directly or indirectly, and the module itself, by package."""
    uses: dict[str, set[str]] = {}
    public: dict[str, str] = {}
    for setup in (root / 'src').glob('*/setup.py'):
        package = setup.parent.name
        for path in (setup.parent / package).rglob('*.py'):
            name = dotted(path, package, root)
            for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
                if isinstance(node, ast.Import):
                    uses.setdefault(name, set()).update(alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    uses.setdefault(name, set()).update(f'{node.module}.{alias.name}' for alias in node.names)
                    if path.name == '__init__.py':
                        public |= {
                            f'{name}.{a.name}': f'{name}.{a.name}' if node.module == name else node.module
                            for a in node.names
                            if a.asname == a.name
                        }
    # Import of a public name of a package, of a module, or of a name of a module.
    uses = {
        name: {public.get(i, i if i in uses else i.rpartition('.')[0]) for i in imports}
        for name, imports in uses.items()
    }
    found = {module}
    while grown := {name for name, imports in uses.items() if imports & found} - found:
        found |= grown
    by_package: dict[str, set[str]] = {}
    for name in found:
        by_package.setdefault(name.partition('.')[0], set()).add(name)
    return by_package


def dotted(path: Path, package: str, root: Path = ROOT) -> str:
    """Return the module name of a source file."""
    parts = path.relative_to(root / 'src' / package).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def cache_folder(folder: Path) -> str:
    """Return the name of Numba's cache folder for a folder of sources."""
    return f'{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}'


def copy_of(package: str, scratch: Path, root: Path = ROOT) -> Path:
    """Make a copy of a package in ``scratch`` and return the folder to put on the Python path.

    Files beside its Python folder (config, launch files) are linked.
    """
    top = scratch / package
    top.mkdir(parents=True)
    for item in (root / 'src' / package).iterdir():
        if item.name == package:
            shutil.copytree(item, top / package, ignore=shutil.ignore_patterns('__pycache__'))
        elif item.name != 'test':
            (top / item.name).symlink_to(item)
    return top


def copy_kernels(
    shared: Path, scratch: Path, top: Path, package: str, stale: Mapping[str, set[str]], root: Path = ROOT
) -> Path:
    """Copy the cached kernels into ``scratch``, those of ``package`` under the name of its copy, without stale ones.

    Args:
        shared: Folder of the cached kernels of the checkout.
        scratch: Scratch folder.
        top: Folder with the copy of the package.
        package: Name of the package.
        stale: Names of modules with stale kernels, by package.
        root: Folder of the checkout.
    """
    target = scratch / 'kernels'
    target.mkdir()
    for each in sorted(p.parent.name for p in (root / 'src').glob('*/setup.py')):
        spec = importlib.util.find_spec(each)
        if spec is None or not spec.submodule_search_locations:
            raise BadList(f'{each} cannot be imported here; run this by ./regolith exec python3 tools/mutate.py')
        here = Path(spec.submodule_search_locations[0]).absolute()
        for source in [here, *(p for p in sorted(here.rglob('*')) if p.is_dir() and p.name != '__pycache__')]:
            kept = shared / cache_folder(source)
            if not kept.is_dir():
                continue
            below = source.relative_to(here)
            goes = target / cache_folder(top / package / below if each == package else source)
            name = '.'.join((each, *below.parts))
            old = {m.rpartition('.')[2] for m in stale.get(each, ()) if m.rpartition('.')[0] == name}
            goes.mkdir()
            for file in kept.iterdir():
                if file.is_file() and file.name.partition('.')[0] not in old:
                    shutil.copyfile(file, goes / file.name)
    return target


# -- running ------------------------------------------------------------------------------------------------------


class Runner:
    """Runner that inserts mutations and runs the tests.

    Args:
        scratch: Scratch folder.
        limit_s: Wall time after which a run counts as detected, because a mutation may cause an infinite loop [s].
    """

    def __init__(self, scratch: Path, limit_s: float, root: Path = ROOT) -> None:
        self._scratch = scratch
        self._limit_s = limit_s
        self._root = root
        self._kernels = Path(os.environ.get('NUMBA_CACHE_DIR', root / '.cache' / 'numba' / 'none'))
        self._sound: dict[str, bool] = {}
        self._running: set[subprocess.Popen[str]] = set()

    def outcome(self, number: int, mutation: Mutation) -> Outcome:
        """Insert one mutation and return the result of the tests of its package."""
        began = time.monotonic()
        folder = self._scratch / f'{number}'
        top = copy_of(mutation.package, folder, self._root)
        planted = top / mutation.path.relative_to(self._root / 'src' / mutation.package)
        planted.write_text(mutation.source, encoding='utf-8')
        stale = dependents(dotted(mutation.path, mutation.package, self._root), self._root)
        stale = stale if mutation.reaches_kernels else {}
        kernels = copy_kernels(self._kernels, folder, top, mutation.package, stale, self._root)
        try:
            failed = ''
            for tests in ([*mutation.tests], self._tests(mutation)):
                while tests and not failed:
                    failed, known = self._first_failure(top, kernels, tests), self.broken
                    if not failed or failed.startswith('no end'):
                        break
                    if failed in known:
                        raise BadList(f'{failed} fails without any mistake and cannot be left out')
                    if not self._passes_unchanged(mutation.package, failed):
                        failed = ''  # again without it
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Outcome(mutation.label, mutation.says, bool(failed), failed, round(time.monotonic() - began, 1))

    @property
    def broken(self) -> list[str]:
        """The tests that fail without any mutation."""
        return sorted(test for test, sound in self._sound.items() if not sound)

    def stop(self) -> None:
        """End all running tests."""
        for process in list(self._running):
            _end(process)

    def _tests(self, mutation: Mutation) -> list[str]:
        """Return the package's test files; those that name the changed module come first."""
        folder = self._root / 'src' / mutation.package / 'test'
        word = re.compile(rf'\b{re.escape(mutation.path.stem)}\b')
        files = sorted(folder.glob('test_*.py'), key=lambda p: (not word.search(p.read_text(encoding='utf-8')), p.name))
        return [str(p.relative_to(self._root)) for p in files]

    def _passes_unchanged(self, package: str, test: str) -> bool:
        if test not in self._sound:
            folder = self._scratch / f'unchanged_{len(self._sound)}'
            top = copy_of(package, folder, self._root)
            kernels = copy_kernels(self._kernels, folder, top, package, {}, self._root)
            self._sound[test] = not self._first_failure(top, kernels, [test])
            shutil.rmtree(folder, ignore_errors=True)
        return self._sound[test]

    def _first_failure(self, top: Path, kernels: Path, tests: Sequence[str]) -> str:
        """Run tests against a copy; return the first that fails, or ''."""
        path = os.pathsep.join(filter(None, (str(top), os.environ.get('PYTHONPATH', ''))))
        environment = {
            **os.environ,
            'PYTHONPATH': path,
            'NUMBA_CACHE_DIR': str(kernels),
            'PYTHONDONTWRITEBYTECODE': '1',
            'ROS_PYTHON_CHECK_FIELDS': '1',
        }
        left_out = [f'--{"deselect" if "::" in t else "ignore"}={t}' for t in self.broken if t not in tests]
        tests = [t for t in tests if '::' in t or t not in self.broken or len(tests) == 1]
        command = [sys.executable, '-m', 'pytest', '-x', '-q', '-rfE', '--tb=no', '-p', 'no:cacheprovider', '-m', MARKS]
        command.append(f'--rootdir={self._root}')
        with subprocess.Popen(
            [*command, *left_out, *tests],
            cwd=self._root,
            env=environment,
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            self._running.add(process)
            try:
                output, _ = process.communicate(timeout=self._limit_s)
            except subprocess.TimeoutExpired:
                return f'no end in {self._limit_s:.0f} s'
            finally:
                _end(process)
                self._running.discard(process)
        if process.returncode == 0:
            return ''
        # Without its parameters, whose names may contain any character.
        if found := re.search(r'^(?:FAILED|ERROR) ([^\s\[]+)', output, re.MULTILINE):
            return found[1]
        if process.returncode < 0:
            return f'no end: killed by signal {-process.returncode}'
        raise BadList(f'pytest ended with {process.returncode} and names no test:\n{output[-2000:]}')


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(mutations: Sequence[Mutation], root: Path, jobs: int, limit_s: float, *, quiet: bool) -> list[Outcome]:
    """Return the result of each mutation, in order; show progress on stderr."""
    scratch = Path(tempfile.mkdtemp(prefix='regolith-mutate-'))
    runner = Runner(scratch, limit_s, root)
    pool = ThreadPoolExecutor(jobs)
    try:
        outcomes = []
        for outcome in pool.map(runner.outcome, range(len(mutations)), mutations):
            outcomes.append(outcome)
            if not quiet:
                word, by = 'noticed' if outcome.noticed else 'SURVIVED', outcome.by.rpartition('/')[2]
                print(
                    f'[{len(outcomes)}/{len(mutations)}] {word:8} {outcome.where:50} {outcome.seconds:6.1f} s  '
                    f'{outcome.says}  {by}',
                    file=sys.stderr,
                    flush=True,
                )
        for test in runner.broken:
            print(f'mutate: {test} fails without any mistake; it was left out', file=sys.stderr)
        return outcomes
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        runner.stop()
        pool.shutdown()
        shutil.rmtree(scratch, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description='Plant mistakes one at a time; report which the tests notice.')
    parser.add_argument('list', nargs='?', type=Path, default=ROOT / 'tools' / 'mutations.yaml')
    parser.add_argument('--only', metavar='TEXT', help='mistakes whose place or description contains TEXT')
    parser.add_argument('--at-least', type=float, default=1.0, metavar='PART', help='noticed, for exit 0 (1.0: all)')
    parser.add_argument('--jobs', type=int, default=1, help='mistakes at once')
    parser.add_argument('--limit', type=float, default=900.0, metavar='S', help='for the tests of one mistake')
    parser.add_argument('--root', type=Path, default=ROOT, help='of the checkout; default: this one')
    parser.add_argument('--check', action='store_true', help='only see whether every mistake can be planted')
    parser.add_argument('--json', action='store_true', help='print one JSON object and no progress')
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _leave)
    root = given.root.resolve()
    try:
        mutations = read(given.list, root)
        if given.only:
            mutations = [m for m in mutations if given.only in f'{m.label} {m.says}']
            if not mutations:
                raise BadList(f'{given.list}: no mistake contains {given.only!r}')
        if given.jobs < 1 or not given.limit > 0.0 or not 0.0 <= given.at_least <= 1.0:
            raise BadList('--jobs must be at least 1, --limit above 0, --at-least from 0 to 1')
        outcomes = [] if given.check else run(mutations, root, given.jobs, given.limit, quiet=given.json)
    except BadList as error:
        print(f'mutate: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('mutate: stopped; the sources are as they were', file=sys.stderr)
        return 130
    if given.check:
        print(f'{len(mutations)} mistakes can be planted')
        return 0
    noticed = sum(o.noticed for o in outcomes)
    if given.json:
        print(json.dumps({'mutations': len(outcomes), 'noticed': noticed, 'outcomes': [asdict(o) for o in outcomes]}))
    else:
        print(f'{noticed} of {len(outcomes)} mistakes noticed')
    return 0 if noticed >= given.at_least * len(outcomes) else 1


def _leave(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == '__main__':
    sys.exit(main())
