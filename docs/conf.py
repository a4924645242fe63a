# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site (``make docs``): the pages of this repository as they are, with contents and search, offline.

The root of the sources is the checkout itself, so that links between pages, and to files, lead where they lead on any
forge. Contents are the links of docs/index.md: what is not linked there, or from a page linked there, is complained of.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent

project = 'Regolith'
author = 'Regolith contributors'
copyright = f'2026, {author}'
release = version = ElementTree.parse(ROOT / 'src' / 'regolith_bringup' / 'package.xml').findtext('version', '')

root_doc = 'docs/index'
include_patterns = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs/**.md',
    'bench/README.md',
    'packaging/**/README.md',
    'examples/**/README.md',
    'src/**/README.md',
    'src/*/CHANGELOG.rst',
]
exclude_patterns = ['.*', 'build', 'install', 'log', 'runs']
extensions = ['myst_parser']
# As on a forge: anchors of all headings, and single line breaks that mean nothing.
myst_heading_anchors = 6
nitpicky = True

html_theme = 'furo'
html_title = f'Regolith {release}'
html_copy_source = html_show_sourcelink = False
html_theme_options = {'navigation_with_keys': True}
pygments_style = 'friendly'


def contents(text: str) -> str:
    """Return the contents of the site: a list of the pages linked under each heading of a page, in its order."""
    parts = []
    for section in re.split(r'^## ', text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition('\n')
        pages = dict.fromkeys(re.findall(r'\]\(([^)#:]+)\.(?:md|rst)\)', body))
        if pages:
            parts.append('\n'.join(['```{toctree}', ':hidden:', f':caption: {title}', '', *pages, '```']))
    return '\n\n'.join(parts)


def adapt(app: Any, name: str, source: list[str]) -> None:
    """Adapt a page to the site.

    Below the first page come its contents, below that of releases the packages' changes; notes beside data are in no
    contents; a link to a folder, which a forge shows and the site does not have, becomes plain text.
    """
    text = source[0]
    if name == root_doc:
        text += '\n' + contents(text)
    elif name == 'docs/development/releases':
        text += '\n```{toctree}\n:hidden:\n\n' + '\n'.join(re.findall(r'\((\S+)\.rst\)', text)) + '\n```\n'
    elif name.endswith('/README') and len(Path(name).parts) > 3:
        text = f'---\norphan: true\n---\n{text}'
    source[0] = re.sub(r'\[([^]]+)]\([^)\s:]+/\)', r'\1', text)


def add_entrance(app: Any, error: Exception | None) -> None:
    """Have the folder itself lead to the first page."""
    if error is None:
        way = f'{root_doc}.html'
        head = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={way}">'
        text = f'{head}<a href="{way}">{project}</a>\n'
        (Path(app.outdir) / 'index.html').write_text(text, encoding='utf-8')


def setup(app: Any) -> dict[str, Any]:
    """Register what is ours with Sphinx."""
    app.connect('source-read', adapt)
    app.connect('build-finished', add_entrance)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
