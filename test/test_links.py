# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Links within the pages: files are there, headings and lines, too. What is on the network is not fetched."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent
_markdown = MarkdownIt('commonmark').enable('table')
_TOPS = (
    'src',
    'docs',
    'tools',
    'test',
    'bench',
    'config',
    'launch',
    'msg',
    'underlay',
    'packaging',
    'docker',
    'examples',
)
"""Folders at the root whose files are named in running text."""


def pages() -> list[Path]:
    """Return all tracked pages, and new ones."""
    found = subprocess.run(
        ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.md', '*.rst', '*.ipynb'],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [ROOT / line for line in found.splitlines() if (ROOT / line).is_file()]


def tokens(text: str) -> Iterator[Token]:
    """Yield all tokens of a Markdown text, those within others, too."""
    waiting = _markdown.parse(text)[::-1]
    while waiting:
        token = waiting.pop()
        yield token
        waiting += (token.children or [])[::-1]


def links(path: Path) -> Iterator[str]:
    """Yield where the links and images of a page lead."""
    text = path.read_text(encoding='utf-8')
    if path.suffix == '.ipynb':
        cells = [cell for cell in json.loads(text)['cells'] if cell['cell_type'] == 'markdown']
        text = '\n\n'.join(''.join(cell['source']) for cell in cells)
    if path.suffix == '.rst':
        yield from re.findall(r'`[^`<]+<([^`>]+)>`_', text)
        yield from re.findall(r'^\.\. (?:image|figure|include)::\s+(\S+)', text, re.MULTILINE)  # term: directive
        return
    for token in tokens(text):
        for name in ('href', 'src'):
            if token.type in ('link_open', 'image') and name in token.attrs:
                yield str(token.attrs[name])
        if token.type in ('html_inline', 'html_block'):
            yield from re.findall(r'(?:href|src|srcset)="([^"]+)"', token.content)


def named_files(path: Path) -> Iterator[str]:
    """Yield the files of ours that a page's running text names in type of fixed width."""
    if path.suffix != '.md':
        return
    for token in tokens(path.read_text(encoding='utf-8')):
        if token.type == 'code_inline':
            yield from re.findall(rf'(?<![\w./])(?:{"|".join(_TOPS)})/[\w./-]*\w/?(?=$|[\s,:;)])', token.content)


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return all anchors of a page."""
    found: dict[str, int] = {}
    all_tokens = list(tokens(path.read_text(encoding='utf-8')))
    named = set()
    for heading, inline in pairwise(all_tokens):
        if heading.type == 'heading_open':
            text = ''.join(child.content for child in inline.children or () if child.type in ('text', 'code_inline'))
            found[slug(text)] = found.get(slug(text), -1) + 1
    for token in all_tokens:
        if token.type in ('html_inline', 'html_block'):
            named |= set(re.findall(r'(?:id|name)="([^"]+)"', token.content))
    return frozenset(named | {f'{name}-{k}' if k else name for name, last in found.items() for k in range(last + 1)})


def problem(page: Path, link: str) -> str:
    """Say what is wrong with a link of a page; '': nothing."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return '' if parts.scheme in ('http', 'https', 'mailto') else 'no known scheme'
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(ROOT) or not target.exists():
        return 'no such file'
    if not parts.fragment:
        return ''
    if target.suffix == '.md':
        return (
            ''
            if unquote(parts.fragment) in anchors(target)
            else f'no such heading; there are {sorted(anchors(target))}'
        )
    line = re.fullmatch(r'L(\d+)', parts.fragment)
    if line is None:
        return 'neither a heading of a page nor a line of a file'
    return '' if int(line[1]) <= len(target.read_text(encoding='utf-8').splitlines()) else 'no such line'


@pytest.mark.parametrize('page', pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links of every page, with their anchors."""
    wrong = {link: why for link in links(page) if (why := problem(page, link))}
    assert not wrong, wrong


@pytest.mark.parametrize(
    'page', [p for p in pages() if p.suffix == '.md'], ids=lambda path: str(path.relative_to(ROOT))
)
def test_files_named_in_the_text_are_there(page: Path) -> None:
    """From the root, from the page, or from the package that the page is of."""
    wrong = [name for name in named_files(page) if not any((base / name).exists() for base in (ROOT, page.parent))]
    assert not wrong, wrong


def test_the_reader_sees_what_is_broken(tmp_path: Path) -> None:
    """Every kind of link that leads nowhere is found, and none that leads somewhere."""
    page = ROOT / 'docs' / 'concepts' / 'no_such_page.md'
    text = '# A `b` & c\n\n[x](#a-b--c) ![y](y.png) <a href="z.md">z</a>\n\n| |\n|---|\n| [t](t.md#u) |\n\n```\n[n](no)\n```\n'
    held = tmp_path / 'page.md'
    held.write_text(text)
    assert list(links(held)) == ['#a-b--c', 'y.png', 'z.md', 't.md#u']
    assert anchors(held) == {'a-b--c'}
    assert (
        problem(page, 'nothing.md') and problem(page, 'soil.md#no-such-heading') and problem(page, '../../README.md#L3')
    )
    assert problem(page, '../../Makefile#L99999') and problem(page, 'ftp://x')
    assert (
        not problem(page, 'soil.md') and not problem(page, '../../Makefile#L3') and not problem(page, 'https://x.y/z#w')
    )
    assert not problem(page, 'soil.md#soil-transport-and-excavation')
    held.write_text('run `python3 tools/nothing.py --x`, see `src/`; not `moon_cart/src/x` nor `/regolith/config/x`\n')
    assert list(named_files(held)) == ['tools/nothing.py']
