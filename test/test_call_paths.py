# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page on call paths: each row is a call in the source, and the walks stay short and complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from harness import ROOT
from test_architecture import imports, modules

PAGE = (ROOT / 'docs' / 'concepts' / 'call_paths.md').read_text(encoding='utf-8')
FIRST, SECOND = 'From a cycle to odometry', 'From `cmd_vel` to torque'
STARTS = {FIRST: 'ParticipantHost._on_cycle', SECOND: 'VehicleTopics._drive'}
"""First function of each walk, a callback."""
ENTRIES: dict[str, tuple[str, ...]] = {FIRST: (), SECOND: ('Participant.begin', 'VehicleStep.run')}
"""Callers that a walk takes from the first one."""
ENDS = {
    FIRST: {
        'MessageCodec.unpack',
        'SoilGrid.window',
        'ScmContact.arrays',
        'body_fixed_pose',
        'cylinder_heights',
        'find_runs',
        'measure_patches',
        'mobilize',
        'add_wrench',
        'twist_of_wheels',
        'observed_state',
        'VehicleNode._keep',
        'MessageTemplate.fill',
    },
    SECOND: {
        'twist_command',
        'InputLatch.set_command',
        'InputLatch.latch',
        'ExternalDriver.receive',
        'ExternalDriver.command',
        'ForeignRegions.allowed',
        'RunningGear.twist',
        '_commands',
        'Motors.ramp',
        'Motors.controls',
        '_run_substeps',
    },
}
"""Functions of each walk that call no other function of it; a walk without one of them lacks a row."""

ROW = re.compile(r'^\| `(regolith_\w+/[\w/]+\.py)` \| (`[\w.` →]+`) \| (.+?) \|', re.MULTILINE)
CALLED_BY = re.compile(
    r'(?:a callback of the process\'s inbox|`(?P<caller>[\w.]+)`)'
    r'(?:, as `(?P<alias>\w+)`)?(?:; set by `(?P<setter>[\w.]+)`)?(?:; overrides `(?P<base>[\w.]+)`)?'
)
Node = ast.FunctionDef | ast.ClassDef
Known = dict[str, str]
"""Modules of functions by their names."""


@dataclass(frozen=True)
class Row:
    """Row of a table: functions of one file that call one another, and the caller of the first."""

    module: str
    functions: tuple[str, ...]
    caller: str | None
    alias: str | None
    setter: str | None
    base: str | None


@cache
def all_modules() -> dict[str, Path]:
    """Return the paths of the modules that a walk can visit, by dotted name; packages do not count."""
    packages = 'regolith_files', 'regolith_world', 'regolith_terrain', 'regolith_vehicles'
    found = {name: path for package in packages for name, path in modules(package).items()}
    return {name: path for name, path in found.items() if path.name != '__init__.py'}


@cache
def definitions(module: str) -> dict[str, Node]:
    """Return the functions, classes and methods that a module defines, by name."""
    path = all_modules().get(module)
    found: dict[str, Node] = {}
    for node in ast.parse(path.read_text(encoding='utf-8')).body if path else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            found |= {f'{node.name}.{each.name}': each for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


@cache
def below(module: str) -> frozenset[str]:
    """Return the modules that a module imports, itself or through other modules."""
    paths = all_modules()
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        new = {each for each, _ in imports(name, paths[name]) if each in paths} - found
        found |= new
        waiting += new
    return frozenset(found)


def calls(function: Node, name: str) -> list[int]:
    """Return the lines in which a function calls a function, method or attribute of a name."""
    return [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and name == (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, 'id', None))
    ]


def mentions(node: Node, name: str) -> bool:
    """Return whether a function or class refers to a name or attribute."""
    return any(name == getattr(each, 'id', getattr(each, 'attr', None)) for each in ast.walk(node))


def last(name: str) -> str:
    """Return a name without its class."""
    return name.rpartition('.')[2]


def bases(module: str, name: str) -> list[str]:
    """Return the modules in which classes with the name of a base are defined, as seen from a module."""
    return [each for each in sorted({module} | below(module)) if name in definitions(each)]


def tables(page: str, title: str) -> Iterator[tuple[bool, list[Row]]]:
    """Yield the tables of a walk, and whether each is part of the walk."""
    section = page.partition(f'## {title}\n')[2].partition('\n## ')[0]
    for heading, text in re.findall(r'(?:^|\n### )(.*)\n((?:.|\n)*?)(?=\n### |\Z)', section):
        rows = []
        for path, names, called_by in ROW.findall(text):
            parts = CALLED_BY.fullmatch(called_by)
            assert parts, f'{path}: called by {called_by!r}'
            rows.append(
                Row(
                    path.removesuffix('.py').replace('/', '.'), tuple(re.findall(r'[\w.]+', names)), **parts.groupdict()
                )
            )
        assert len(rows) == len(re.findall(r'^\| `', text, re.MULTILINE)), f'{heading}: a row cannot be read'
        if rows:
            yield heading != 'Not followed', rows


def row_problems(row: Row, known: Known, every: Known) -> Iterator[str]:
    """Yield what is wrong with a row.

    Args:
        row: The row.
        known: Functions of earlier rows.
        every: Functions of all rows, for the code that sets callbacks.
    """
    own = definitions(row.module)
    missing = [name for name in row.functions if name not in own]
    if missing:
        yield f'{row.module}: defines no {missing}'
        return
    for one, other in zip(row.functions, row.functions[1:]):
        if not calls(own[one], last(other)):
            yield f'{row.module}: {one} does not call {other}'
    first = row.functions[0]
    if row.setter:
        homes = {row.module, *every.values()}
        found = [definitions(home)[row.setter] for home in sorted(homes) if row.setter in definitions(home)]
        if len(found) != 1 or not mentions(found[0], last(first)):
            yield f'{first}: is not set by {row.setter}'
    if row.caller is None:
        return
    if row.caller not in known:
        yield f'{first}: its caller {row.caller} is in no earlier row'
        return
    home = known[row.caller]
    if not calls(definitions(home)[row.caller], row.alias or last(first)):
        yield f'{first}: {row.caller} does not call {row.alias or last(first)}'
    if row.alias is not None:
        if row.setter is None:
            yield f'{first}: nothing sets {row.alias}'
        return
    target = row.module
    if row.base is not None:
        base, _, method = row.base.partition('.')
        found_in = [each for each in bases(row.module, base) if row.base in definitions(each)]
        # A structural interface is defined by its user.
        if not found_in and row.base in definitions(home) and 'Protocol' in ast.unparse(definitions(home)[base]):
            found_in = [home]
        elif base not in map(ast.unparse, getattr(own[first.partition('.')[0]], 'bases', ())):
            found_in = []
        if len(found_in) != 1 or method != last(first):
            yield f'{first}: does not override {row.base}'
            return
        target = found_in[0]
    if target != home and (target not in below(home) or home in below(target)):
        yield f'{first}: {row.caller} calls upward'


def order_problems(rows: list[Row], known: Known) -> Iterator[str]:
    """Yield the rows of a table that have the caller of an earlier row, which calls them before it."""
    lines: dict[str, int] = {}
    for row in rows:
        if row.caller is None or row.caller not in known:
            continue
        at = calls(definitions(known[row.caller])[row.caller], row.alias or last(row.functions[0]))
        if max(at, default=0) < lines.get(row.caller, 0):
            yield f'{row.functions[0]}: {row.caller} calls it before a row above'
        lines[row.caller] = min(at, default=0)


def walk_problems(page: str, title: str, known: Known, every: Known) -> Iterator[str]:
    """Yield what is wrong with a walk.

    Args:
        page: Text of the page.
        title: Title of the walk.
        known: Functions of the first walk that the walk refers to.
        every: Functions of all rows.
    """
    walked: list[Row] = []
    for followed, rows in tables(page, title):
        for row in rows:
            yield from row_problems(row, known, every)
            if followed:
                known = known | dict.fromkeys(row.functions, row.module)
                walked.append(row)
        yield from order_problems(rows, known)
    starts = [row.functions[0] for row in walked if row.caller is None]
    if starts != [STARTS[title]]:
        yield f'{title}: begins with {starts}'
    called = {name for row in walked for name in (row.caller, *row.functions[:-1])}
    ends = {name for row in walked for name in row.functions} - called
    if ends != ENDS[title]:
        yield f'{title}: ends that are new or missing: {sorted(ends ^ ENDS[title])}'


def problems(page: str) -> list[str]:
    """Return what is wrong with the walks of a page."""
    every: Known = {}
    for title in STARTS:
        for _, rows in tables(page, title):
            every |= {name: row.module for row in rows for name in row.functions}
    return [each for title in STARTS for each in walk_problems(page, title, pick(every, ENTRIES[title]), every)]


def pick(known: Known, names: tuple[str, ...]) -> Known:
    """Return the functions with these names."""
    return {name: module for name, module in known.items() if name in names}


def test_every_row_is_a_call_in_the_source() -> None:
    assert not problems(PAGE)


@pytest.mark.parametrize(('title', 'longest'), [(FIRST, 25), (SECOND, 12)])
def test_walks_are_short(title: str, longest: int) -> None:
    files: dict[bool, set[str]] = {True: set(), False: set()}
    for followed, rows in tables(PAGE, title):
        files[followed] |= {row.module for row in rows}
    assert len(files[True]) <= longest
    others = len(files[False] - files[True])
    told = f'The walk has {len(files[True])} files. {others} more file'
    assert told in PAGE.partition(f'## {title}\n')[2].partition('\n## ')[0]


def test_a_walk_without_any_of_its_rows_is_found() -> None:
    walked, followed = [], False
    lines = PAGE.splitlines(keepends=True)
    for n, line in enumerate(lines):
        if line.startswith('##'):
            followed = 'Not followed' not in line
        if followed and ROW.match(line):
            walked.append(n)
    assert len(walked) > 50
    unseen = [lines[n] for n in walked if not problems(''.join(lines[:n] + lines[n + 1 :]))]
    assert not unseen


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        # MessageCodec is imported by this module, and not defined there.
        ('ros/message_codec.py` | `MessageCodec.unpack', 'ros/protocol_codec.py` | `MessageCodec.unpack', 'defines no'),
        (
            '| `VehicleAgent._prepare` | passes the call on',
            '| `Participant.begin` | passes the call on',
            'does not call',
        ),
        ('`; overrides `Participant._evolve`', '`', 'calls upward'),
        ('`; overrides `Participant._evolve`', '`; overrides `GroundContact._evolve`', 'does not override'),
        ('set by `substep_loop` | in each', 'set by `VehicleStep.run` | in each', 'is not set by'),
        ('`, as `on_sent`; set by `VehicleNode.__init__`', '`', 'does not call'),
        ('`, as `_run`; set by `VehicleAgent._prepare`', '`, as `_run`', 'nothing sets'),
        ('| `load_nodes` | `body_wrench` |', '| `load_nodes` | `mobilize` |', 'in no earlier row'),
    ],
)
def test_wrong_rows_are_found(old: str, new: str, problem: str) -> None:
    assert PAGE.count(old) == 1 or old.startswith('|')
    assert any(problem in each for each in problems(PAGE.replace(old, new, 1)))
