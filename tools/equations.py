#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/equations.md (equation, source, test) from docstrings; ``--check`` prints inconsistencies.

The docstring of a function, class or module with physics ends with two lines::

    Source: bekker1969, eq. 4.5; wong2010, section 2.3.
    Checked by: test_scm.py::test_a_plate_sinks_as_bekker_says.

Keys are those of ``references.bib`` in the package. Tests are searched in the package's ``test``, in the suite's, and
in that of the testbeds.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regolith_files.extension_points import Citations

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'reference' / 'equations.md'
PHYSICS = (
    'regolith_comms/radio.py',
    'regolith_sensors/brdf.py',
    'regolith_sensors/camera/stages.py',
    'regolith_terrain/elevation/detail.py',
    'regolith_terrain/hillshade.py',
    'regolith_terrain/lunar/degradation.py',
    'regolith_terrain/lunar/relief.py',
    'regolith_terrain/lunar/statistics.py',
    'regolith_vehicles/dynamics/odometry_covariance.py',
    'regolith_testbeds/wong_reece.py',
)
"""Modules whose public functions must all have a source and a test."""
HEAD = """# Equations

`tools/equations.py` writes this page from the docstrings. The papers are in the `references.bib` of each package.
`./regolith cite RUN` prints the papers of the models that a run used.
"""


@dataclass(frozen=True)
class Statement:
    """Equation, source and tests of one docstring."""

    package: str
    path: Path
    name: str
    line: int
    about: str
    """First sentence of the docstring."""
    source: str
    """Text after ``Source:``; '' if there is none."""
    checked_by: tuple[str, ...]

    @property
    def where(self) -> str:
        """File and line."""
        return f'{self.path.relative_to(ROOT)}:{self.line}'

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the cited papers."""
        return tuple(re.split('[, ]', part)[0].rstrip('.') for part in map(str.strip, self.source.split(';')) if part)


def statements() -> Iterator[Statement]:
    """Yield all docstrings of the packages, in order of package, file and line."""
    for path in sorted(ROOT.glob('src/*/regolith_*/**/*.py')):
        package = path.relative_to(ROOT / 'src').parts[0]
        tree = ast.parse(path.read_text(encoding='utf-8'))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
                name = '' if isinstance(node, ast.Module) else node.name
                line = 1 if isinstance(node, ast.Module) else node.lineno
                yield _statement(package, path, name, line, text)


def _statement(package: str, path: Path, name: str, line: int, text: str) -> Statement:
    source = re.search(r'^Source: (.*?)(?=\n\n|\nChecked by:|\Z)', text, re.MULTILINE | re.DOTALL)
    tests = re.search(r'^Checked by: (.*?)(?=\n\n|\Z)', text, re.MULTILINE | re.DOTALL)
    named = tuple(re.findall(r'(\w+\.py::\w+)', tests[1])) if tests else ()
    about = ' '.join(text.split('\n\n')[0].split())
    return Statement(package, path, name, line, about, ' '.join(source[1].split()) if source else '', named)


def bibliography(package: str) -> dict[str, str]:
    """Return the entries of a package's ``references.bib`` by key."""
    path = ROOT / 'src' / package / package / 'references.bib'
    return Citations(path, ()).entries() if path.is_file() else {}


def test_file(package: str, name: str) -> Path | None:
    """Return the file of a test."""
    found = (
        ROOT / 'src' / package / 'test' / name,
        ROOT / 'test' / name,
        ROOT / 'src' / 'regolith_testbeds' / 'test' / name,
    )
    return next((path for path in found if path.is_file()), None)


def complaints() -> list[str]:
    """Return one line per inconsistency."""
    found, used = [], {}
    for s in statements():
        known = bibliography(s.package)
        used.setdefault(s.package, set()).update(s.keys)
        found += [f'{s.where}: {s.name}: Source: {key} is not in references.bib' for key in s.keys if key not in known]
        if bool(s.source) != bool(s.checked_by):
            found.append(f'{s.where}: {s.name}: has only one of Source: and Checked by:')
        for test in s.checked_by:
            file, _, function = test.partition('::')
            path = test_file(s.package, file)
            if path is None or f'def {function}(' not in path.read_text(encoding='utf-8'):
                found.append(f'{s.where}: {s.name}: Checked by: {test}: no such test')
        in_physics = str(s.path.relative_to(ROOT / 'src' / s.package)) in PHYSICS
        if in_physics and s.name and not s.name.startswith('_') and not s.source:
            found.append(f'{s.where}: {s.name}: states physics and no Source:')
    for package, keys in used.items():
        idle = [key for key in bibliography(package) if key not in keys]
        found += [f'src/{package}: references.bib: {key} is used nowhere' for key in idle]
    entries: dict[str, str] = {}
    for package in used:
        for key, entry in bibliography(package).items():
            if entries.setdefault(key, entry) != entry:
                found.append(f'src/{package}: references.bib: {key} differs from the entry of another package')
    return found


def page() -> str:
    """Return the whole page."""
    parts, package = [HEAD], ''
    for s in statements():
        if not s.source:
            continue
        if s.package != package:
            package = s.package
            parts.append(f'\n## {package}\n\n| equation | source | checked by |\n|---|---|---|')
        link = f'[`{s.name or s.path.stem}`](../../{s.path.relative_to(ROOT)}#L{s.line})'
        about = s.about.partition('. ')[0].rstrip('.:').replace('|', '\\|')
        tests = ', '.join(_test_link(s.package, test) for test in s.checked_by)
        parts.append(f'| {link}: {about} | {s.source.rstrip(".")} | {tests} |')
    return '\n'.join(parts) + '\n'


def _test_link(package: str, test: str) -> str:
    file, _, function = test.partition('::')
    path = test_file(package, file)
    return f'[`{function}`](../../{path.relative_to(ROOT)})' if path is not None else f'`{test}`'


def main() -> int:
    """Write the page, or check everything."""
    if '--check' not in sys.argv:
        PAGE.write_text(page(), encoding='utf-8')
        return 0
    found = complaints()
    if not PAGE.is_file() or re.sub(r'#L\d+', '', PAGE.read_text(encoding='utf-8')) != re.sub(r'#L\d+', '', page()):
        found.append(f'{PAGE.relative_to(ROOT)} is not what the docstrings say; run tools/equations.py')
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
