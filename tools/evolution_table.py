#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the table in docs/validation/simulation_loop.md from docstrings of tests; ``--check`` prints differences.

A test of a sentence of "Simulator Architecture" (2024) has the sentence as the first paragraph of its docstring,
after its number (chapter or section, a dash, the count). A paragraph ``Here:`` states differences
of the engine, with reasons.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'simulation_loop.md'
TESTS = ROOT / 'src' / 'regolith_world' / 'test'
BEGIN, END = '<!-- sentences: tools/evolution_table.py -->\n', '<!-- end -->'
SECTIONS = {
    '1': 'World evolution',
    '1.1': 'The ball-throwing robot',
    '1.2': 'Evolution cycles',
    '2': 'Objects',
    '2.1': 'Parents and children',
    '2.2': 'Object types',
    '3': 'Constraints',
    '4': 'State management',
    '4.1': 'Its API',
    '5': 'Intersection',
    '6': 'Force management',
}


class Sentence(NamedTuple):
    """A sentence of the paper with its test."""

    section: str
    number: int
    text: str
    here: str
    """Differences of the engine; '' if there are none."""
    path: Path
    test: str


def sentences() -> list[Sentence]:
    """Return all sentences, in their order."""
    found = []
    for path in sorted(TESTS.glob('test_evolution*.py')):
        for node in ast.parse(path.read_text(encoding='utf-8')).body:
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith('test_')):
                continue
            paragraphs = [' '.join(part.split()) for part in (ast.get_docstring(node) or '').split('\n\n')]
            if match := re.fullmatch(r'(\d(?:\.\d)?)-(\d+) (.*)', paragraphs[0]):
                here = next((part.removeprefix('Here: ') for part in paragraphs if part.startswith('Here: ')), '')
                found.append(Sentence(match[1], int(match[2]), match[3], here, path, node.name))
    order = list(SECTIONS)
    return sorted(found, key=lambda s: (order.index(s.section), s.number))


def table(found: list[Sentence]) -> str:
    """Return the tables of all sections."""
    parts = []
    for section, title in SECTIONS.items():
        parts.append(f'\n### {section} {title}\n\n| sentence | here | test |\n|---|---|---|')
        for s in (one for one in found if one.section == section):
            link = f'[`{s.test}`](../../{s.path.relative_to(ROOT)})'
            parts.append(f'| {s.text} | {s.here} | {link} |'.replace('``', '`'))
    return '\n'.join(parts) + '\n\n'


def complaints(found: list[Sentence]) -> list[str]:
    """Return one line per section whose sentences are not numbered 1, 2, … without gaps."""
    said = []
    for section in SECTIONS:
        numbers = [s.number for s in found if s.section == section]
        if numbers != list(range(1, len(numbers) + 1)) or not numbers:
            said.append(f'sentences of section {section} are {numbers}; allowed: 1, 2, … each once')
    return said


def main() -> int:
    """Write the table, or check it."""
    found = sentences()
    page = PAGE.read_text(encoding='utf-8')
    head, rest = page.split(BEGIN)
    wanted = head + BEGIN + table(found) + END + rest.split(END, 1)[1]
    said = complaints(found)
    if '--check' not in sys.argv:
        PAGE.write_text(wanted, encoding='utf-8')
    elif wanted != page:
        said.append(f'{PAGE.relative_to(ROOT)} differs from the tests; run tools/evolution_table.py')
    for line in said:
        print(line, file=sys.stderr)
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
