#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/messages.md: all messages, services and actions, from their files; ``--check`` only compares."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
INTERFACES = ROOT / 'src' / 'regolith_msgs'
PAGE = ROOT / 'docs' / 'reference' / 'messages.md'
HEAD = """# Messages, services, actions

`tools/make_messages_page.py` writes this page from the files of [`regolith_msgs`](../../src/regolith_msgs/README.md).
Constants are in capitals, before the fields to which they belong. Types of all topics: [topics](topics.md). Order of
the messages of a cycle: [protocol](protocol.md). Units and frames: [conventions](../concepts/conventions.md).
"""
KINDS = {
    'msg': ('Messages', ('',)),
    'srv': ('Services', ('Request', 'Response')),
    'action': ('Actions', ('Goal', 'Result', 'Feedback')),
}
_TYPE = r'(?P<type>[A-Za-z][\w/]*(?:<=\d+)?(?:\[[<=\d]*\])?)'
_LINE = re.compile(rf'{_TYPE}\s+(?P<name>\w+)(?:\s*=\s*(?P<value>\S+))?')


class Line(NamedTuple):
    """A field, or a constant with its value."""

    type: str
    name: str
    value: str
    meaning: str


class Part(NamedTuple):
    """Part of an interface file between two lines ``---``."""

    about: str
    """Comments before the first field."""
    lines: list[Line]


def part(text: str, where: str) -> Part:
    """Return a part of an interface file.

    Args:
        text: Text of the part.
        where: Name of the file in error messages.
    """
    about: list[str] = []
    lines: list[Line] = []
    said: list[str] = []
    for raw in text.splitlines():
        code, hash_, comment = raw.partition('#')
        code, comment = code.strip(), comment.strip()
        if not code:
            # A comment on its own line: before the first field it describes the whole part, after it the next field.
            if hash_ and comment:
                (said if lines else about).append(comment)
            continue
        match = _LINE.fullmatch(code)
        if match is None:
            raise SystemExit(f'{where}: {raw!r} is neither a field nor a constant')
        lines.append(Line(match['type'], match['name'], match['value'] or '', ' '.join([*said, comment]).strip()))
        said = []
    return Part(' '.join(about), lines)


def linked(kind: str, known: set[str]) -> str:
    """Return a type for a table, with a link to the description of our own types."""
    base = re.split(r'[\[<]', kind)[0]
    return f'[`{kind}`](#{base.lower()})' if base in known else f'`{kind}`'


def cell(text: str) -> str:
    """Return a text escaped for a table cell."""
    return text.replace('|', '\\|').replace('<', '&lt;')


def table(found: Part, known: set[str]) -> Iterator[str]:
    """Yield the lines of a table of fields and constants."""
    if not found.lines:
        yield 'nothing'
        return
    yield '| | type | meaning |'
    yield '|---|---|---|'
    for line in found.lines:
        name = f'`{line.name}` = {line.value}' if line.value else f'`{line.name}`'
        yield f'| {name} | {linked(line.type, known)} | {cell(line.meaning)} |'


def page() -> str:
    """Return the whole page."""
    out = [HEAD]
    known = {path.stem for path in INTERFACES.glob('msg/*.msg')}
    for kind, (title, names) in KINDS.items():
        out.append(f'\n## {title}')
        for path in sorted(INTERFACES.glob(f'{kind}/*.{kind}')):
            where = str(path.relative_to(ROOT))
            texts = re.split(r'^---\s*$', path.read_text(encoding='utf-8'), flags=re.MULTILINE)
            if len(texts) != len(names):
                raise SystemExit(f'{where}: {len(texts)} parts; allowed: {len(names)}')
            out.append(f'\n### {path.stem}\n')
            for name, found in zip(names, (part(text, where) for text in texts)):
                out += [f'{found.about}\n'] if found.about else []
                out += [f'*{name}*\n'] if name else []
                out += [*table(found, known), '']
            out.pop()
    return '\n'.join(out) + '\n'


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if '--check' in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding='utf-8') != text:
            where = PAGE.relative_to(ROOT)
            print(f'{where} differs from the files; run tools/make_messages_page.py', file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
