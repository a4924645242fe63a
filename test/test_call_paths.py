# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page on call paths: the files and names exist, and the walks stay short."""

from __future__ import annotations

import ast
import re

import pytest
from harness import ROOT

PAGE = (ROOT / 'docs' / 'concepts' / 'call_paths.md').read_text(encoding='utf-8')


def walk(title: str) -> list[tuple[str, str]]:
    """Return files and names of a walk, in order."""
    section = PAGE.partition(f'## {title}\n')[2].partition('\n## ')[0]
    return re.findall(r'^\| `(regolith_\w+/[\w/]+\.py)` \| `([\w.]+)` \|', section, re.MULTILINE)


def names_in(file: str) -> set[str]:
    """Return the functions, classes and methods that a module defines or imports."""
    tree = ast.parse((ROOT / 'src' / file.partition('/')[0] / file).read_text(encoding='utf-8'))
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f'{node.name}.{each.name}' for each in node.body if isinstance(each, ast.FunctionDef)}
        if isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
    return found


@pytest.mark.parametrize(('title', 'longest'), [('From a cycle to odometry', 25), ('From `cmd_vel` to torque', 12)])
def test_every_step_of_a_call_path_exists(title: str, longest: int) -> None:
    steps = walk(title)
    assert 8 < len({file for file, _ in steps}) <= longest
    wrong = [f'{file}: no {name}' for file, name in steps if name not in names_in(file)]
    assert not wrong, wrong
