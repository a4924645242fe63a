#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What ament's linters look at, for machines without them: licence headers, package.xml, versions, changelogs."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCE = 'SPDX-License-Identifier: Apache-2.0'


def complaints() -> list[str]:
    """Return one line per thing that is not as it should be."""
    found = []
    tracked = subprocess.run(['git', 'ls-files'], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        path = ROOT / name
        if path.suffix in ('.py', '.sh') and path.stat().st_size and LICENCE not in path.read_text()[:400]:
            found.append(f'{name}: no line "{LICENCE}" at its head')
        if path.is_file() and path.stat().st_size > 2_000_000:
            found.append(f'{name}: {path.stat().st_size} bytes; files over 2 MB do not belong in git')
    versions = {}
    for manifest in sorted(ROOT.glob('src/*/package.xml')):
        package = ElementTree.parse(manifest).getroot()
        where = manifest.relative_to(ROOT)
        name = package.findtext('name', '')
        versions[name] = package.findtext('version', '')
        if package.get('format') != '3':
            found.append(f'{where}: format is {package.get("format")}, expected 3')
        if name != manifest.parent.name:
            found.append(f'{where}: name is {name}, the folder {manifest.parent.name}')
        if package.findtext('license') != 'Apache-2.0':
            found.append(f'{where}: license is {package.findtext("license")}')
        if not (manifest.parent / 'CHANGELOG.rst').is_file():
            found.append(f'{where.parent}: no CHANGELOG.rst')
        setup = manifest.parent / 'setup.py'
        if setup.is_file():
            stated = re.search(r"version='([^']+)'", setup.read_text())
            if stated is None or stated[1] != versions[name]:
                found.append(f'{setup.relative_to(ROOT)}: version differs from package.xml ({versions[name]})')
    if len(set(versions.values())) > 1:
        found.append(f'versions differ: {versions}')
    return found


if __name__ == '__main__':
    problems = complaints()
    print('\n'.join(problems) if problems else 'packages: all checks passed')
    sys.exit(bool(problems))
