# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of docstrings: Google sections whose parameters and exceptions exist."""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from harness import ROOT

FOLDERS = ('src', 'examples', 'tools', 'test')
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
SECTION = re.compile(r'^( *)(Args|Raises):\n((?:\1    .*\n|\n)*)', re.MULTILINE)


@functools.cache
def sources() -> list[tuple[Path, ast.Module]]:
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob('*.py'))]
    return [(file.relative_to(ROOT), ast.parse(file.read_text(encoding='utf-8'))) for file in files]


def names_of(text: str, section: str) -> list[str]:
    """Return the names that a section of a docstring describes."""
    return [
        name.lstrip('*')
        for indent, title, body in SECTION.findall(text + '\n')
        if title == section
        for line in re.findall(rf'^{indent}    (\S[^:]*):', body, re.MULTILINE)
        for name in re.split(r'[, ]+(?:or )?', line.strip('`'))
    ]


def parameters(node: Documented) -> set[str]:
    """Return the parameters of a function, or those of a class: of its initializer and its fields."""
    if isinstance(node, ast.ClassDef):
        inner = [
            parameters(f) for f in node.body if isinstance(f, ast.FunctionDef) and f.name in ('__init__', '__new__')
        ]
        fields = {f.target.id for f in node.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)}
        return fields.union(*inner)
    if isinstance(node, ast.Module):
        return set()
    given = node.args
    several = [one for one in (given.vararg, given.kwarg) if one is not None]
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)}


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the module and its statements at any depth, without expressions: a tenth of the nodes."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        left += [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt | ast.excepthandler | ast.match_case)]


@functools.cache
def documented() -> list[tuple[Path, Documented, str]]:
    return [
        (file, node, text)
        for file, tree in sources()
        for node in statements(tree)
        if isinstance(node, Documented) and (text := ast.get_docstring(node))
    ]


def test_documented_parameters_exist() -> None:
    unknown = [
        f'{file}:{node.lineno}: {name}'
        for file, node, text in documented()
        if not isinstance(node, ast.Module)
        for name in names_of(text, 'Args')
        if name not in parameters(node)
    ]
    assert not unknown, '\n'.join(unknown)


def test_documented_exceptions_exist() -> None:
    known = {*dir(builtins), 'pydantic'}
    for _, tree in sources():
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                known |= {(one.asname or one.name).rpartition('.')[2] for one in node.names}
    raised = [(file, name) for file, _, text in documented() for name in names_of(text, 'Raises')]
    assert len(raised) > 300
    unknown = [
        f'{file}: {name}' for file, name in raised if not {name.partition('.')[0], name.rpartition('.')[2]} & known
    ]
    assert not unknown, '\n'.join(unknown)


def test_docstrings_have_no_field_lists() -> None:
    """A section is found by readers and by the API pages; a reST field is not."""
    left = [
        f'{file}:{getattr(node, "lineno", 1)}'
        for file, node, text in documented()
        if re.search(r'^\s*:(param|return|returns|raises|yields)\b[^:]*:', text, re.MULTILINE)
    ]
    assert not left, '\n'.join(left)
