#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check the words of documentation, comments, docstrings, messages and test names against tools/terms.txt.

`check_terms.py PATH...` lists the lines of files and folders that use a term to avoid, with the term to use. Without a
path it checks everything that `tools/terms.txt` declares clean, and exits with 1 if a line is found. `--count` prints
numbers by folder. Text in ``code`` is not checked. A line with `term: REASON` in a comment is an exception.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TERMS = ROOT / 'tools' / 'terms.txt'
SUFFIXES = ('.py', '.md', '.rst', '.msg', '.srv', '.action', '.yaml', '.toml', '.sh')
EXCEPTION = re.compile(r'\bterm: \w')


class Term(NamedTuple):
    """A term to avoid."""

    pattern: re.Pattern[str]
    instead: str


class Finding(NamedTuple):
    """A line with a term to avoid."""

    file: str
    line: int
    word: str
    instead: str


def read_terms() -> tuple[list[Term], list[str]]:
    """Return the terms, and the paths in which none of them may be found."""
    terms, clean = [], []
    for line in TERMS.read_text(encoding='utf-8').splitlines():
        if line.startswith('clean '):
            clean.append(line.removeprefix('clean ').strip())
        elif line.strip() and not line.startswith('#'):
            pattern, _, instead = line.partition(' => ')
            terms.append(Term(re.compile(pattern.strip(), re.IGNORECASE), instead.strip()))
    return terms, clean


def text_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Return the lines of text in a file: line number, text without code."""
    content = file.read_text(encoding='utf-8', errors='replace')
    if file.suffix == '.py':
        yield from _python_lines(content)
    elif file.suffix in ('.md', '.rst'):
        yield from _page_lines(content)
    else:
        for number, line in enumerate(content.splitlines(), 1):
            _, mark, comment = line.partition('#')
            if mark and not comment.startswith('!'):
                yield number, _without_code(comment)


def _python_lines(content: str) -> Iterator[tuple[int, str]]:
    lines = content.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        first = token.start[0]
        if token.type == tokenize.COMMENT:
            yield first, _without_code(token.string)
        elif token.type == tokenize.STRING and re.search(r'\s', token.string.strip('\'"')):
            for offset, line in enumerate(token.string.splitlines()):
                # What stands beside the string is kept for the sake of exceptions.
                beside = ' # term: x' if EXCEPTION.search(lines[first + offset - 1].partition('#')[2]) else ''
                yield first + offset, _without_code(re.sub(r'\{[^{}]*\}', ' ', line)) + beside
        elif token.type == tokenize.NAME and token.string.startswith('test_'):
            yield first, token.string.replace('_', ' ')


def _page_lines(content: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(content.splitlines(), 1):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        elif not fenced:
            yield number, _without_code(re.sub(r'\]\([^)]*\)', ']', line))


def _without_code(text: str) -> str:
    return re.sub(r':\w+:`[^`]*`|``[^`]*``|`[^`]*`', ' ', text)


def findings(file: Path, terms: list[Term]) -> list[Finding]:
    """Return the lines of a file that use a term to avoid, one per term and line."""
    name = file.relative_to(ROOT).as_posix()
    return [
        Finding(name, number, found[0], term.instead)
        for number, text in text_lines(file)
        if not EXCEPTION.search(text)
        for term in terms
        if (found := term.pattern.search(text))
    ]


def files_below(paths: list[str]) -> list[Path]:
    """Return the tracked and new text files below paths, in order of their names."""
    command = ['git', '-C', str(ROOT), 'ls-files', '--cached', '--others', '--exclude-standard', '--', *paths]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in sorted(set(listed)) if name.endswith(SUFFIXES) and (ROOT / name).is_file()]


def main() -> int:
    """Print findings or their numbers; return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument('paths', nargs='*', metavar='PATH', help='Files and folders to check.')
    parser.add_argument('--count', action='store_true', help='Print the number of findings by folder.')
    given = parser.parse_args()
    terms, clean = read_terms()
    paths = given.paths or clean
    found = [each for file in files_below(paths) for each in findings(file, terms)] if paths else []
    if given.count:
        for folder, count in sorted(Counter('/'.join(each.file.split('/')[:2]) for each in found).items()):
            print(f'{count:6d} {folder}')
        return 0
    for each in found:
        print(f'{each.file}:{each.line}: {each.word!r}: use {each.instead}')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
