# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: built without warnings, whole, and needing no network to be read."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from harness import ROOT

CALL = [sys.executable, '-m', 'sphinx', '-q', '-W', '--keep-going', '-E', '-c', 'docs']


@pytest.mark.slow
def test_the_site(tmp_path: Path) -> None:
    """Every page of docs/ is in it, what pages fetch is in it, and what they link to, too."""
    done = subprocess.run([*CALL, '.', str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(ROOT).with_suffix('.html') for path in (ROOT / 'docs').rglob('*.md')}
    assert len(pages) > 20
    assert not [page for page in pages if not (tmp_path / page).is_file()]
    assert 'docs/index.html' in (tmp_path / 'index.html').read_text(encoding='utf-8')
    assert (tmp_path / 'searchindex.js').stat().st_size > 100_000
    fetched, broken = set(), set()
    for page in tmp_path.rglob('*.html'):
        text = page.read_text(encoding='utf-8')
        # Whatever a browser loads by itself: images, programs, style.
        for tag in re.findall(r'<(?:img|script|link|source|iframe)\b[^>]*>', text):
            fetched |= {at for at in re.findall(r'\b(?:src|href)="([^"]+)"', tag) if urlsplit(at).netloc}
        for at in re.findall(r'<(?:a|img|script|link)\b[^>]*\b(?:href|src)="([^"#]+)', text):
            parts = urlsplit(unescape(at))
            if not parts.scheme and not parts.netloc and not (page.parent / unquote(parts.path)).exists():
                broken.add((page.relative_to(tmp_path), at))
    assert not fetched, fetched
    assert not broken, broken


@pytest.mark.slow
def test_page_without_a_link_to_it_is_reported(tmp_path: Path) -> None:
    """Also a link to a heading that does not exist: a build without warnings is a real check."""
    (tmp_path / 'docs').mkdir()
    (tmp_path / 'docs' / 'conf.py').write_text(
        (ROOT / 'docs' / 'conf.py').read_text(encoding='utf-8'), encoding='utf-8'
    )
    manifest = tmp_path / 'src' / 'regolith_bringup' / 'package.xml'
    manifest.parent.mkdir(parents=True)
    manifest.write_text('<package><version>1.2.3</version></package>')
    (tmp_path / 'docs' / 'index.md').write_text('# A\n\n## B\n\n* [c](c.md#nothing)\n')
    (tmp_path / 'docs' / 'c.md').write_text('# C\n')
    (tmp_path / 'docs' / 'd.md').write_text('# D\n')
    done = subprocess.run([*CALL, '.', 'out'], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert re.search(r'd\.md.*included in any toctree', done.stderr), done.stderr
    assert 'nothing' in done.stderr, done.stderr
