#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/parameters.md: all parameters of all nodes, from the source; ``--check`` only compares."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'reference' / 'parameters.md'
HEAD = """# Parameters of the nodes

Written by `tools/make_parameters_page.py` from the source. `./regolith run` and `ros2 launch` start the nodes of a run
with these parameters. The settings of a run are in its scenario (`scenario_file`). Only `real_time_factor` can change
during a run. QoS of the topics for observers can be overridden as in ROS 2 (`qos_overrides`).
"""
Row = tuple[str, str, str]
"""Parameter of a node: name, default, meaning."""


def source_of(module: str) -> Path | None:
    """Return the file of a module of our packages; None for other modules."""
    package = module.split('.')[0]
    path = (ROOT / 'src' / package / Path(*module.split('.'))).with_suffix('.py')
    return path if path.is_file() else None


def home_of(module: str, name: str) -> str:
    """Return the module that defines a name; of a public name of a package, the module it is imported from."""
    init = ROOT / 'src' / module.split('.')[0] / Path(*module.split('.')) / '__init__.py'
    public = init.is_file() and re.search(
        rf'^ +from (\S+) import {name} as {name}$', init.read_text(encoding='utf-8'), re.M
    )
    return public[1] if public else module


class Module:
    """Constants, imports and calls of ``declare_parameter`` of one module."""

    def __init__(self, name: str, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding='utf-8'))
        self.constants = {
            target.id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.imports: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self.imports |= {a.asname or a.name: home_of(node.module, a.name) for a in node.names}

    def text(self, node: ast.expr) -> str:
        """Return a default or a description as human-readable text."""
        if isinstance(node, ast.Name):
            home = self.imports.get(node.id)
            value = self.constants.get(node.id)
            if value is None and home is not None and (path := source_of(home)) is not None:
                return Module(home, path).text(node)
            return self.text(value) if value is not None else 'as of the run'
        if isinstance(node, ast.JoinedStr):
            return ''.join(map(_piece, node.values))
        try:
            value_ = ast.literal_eval(node)
        except ValueError:
            return 'as of the run'
        return value_ if isinstance(value_, str) else repr(value_)

    def rows(self, within: str = '') -> Iterator[Row]:
        """Yield the parameters declared in this module, or in one function of it."""
        for function in ast.walk(self.tree):
            if within and not (isinstance(function, ast.FunctionDef) and function.name == within):
                continue
            for node in ast.walk(function):
                if not isinstance(node, ast.Call):
                    continue
                called = ast.unparse(node.func).split('.')[-1]
                if called == 'declare_parameter' and len(node.args) == 4:
                    yield self.text(node.args[1]), self.text(node.args[2]), self.text(node.args[3])
                elif called == 'declare_parameter' and within == 'declare_real_time_factor':
                    assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
                    about = next(n.value for n in assigned if ast.unparse(n.targets[0]) == 'about')
                    yield self.text(node.args[0]), self.text(node.args[1]), self.text(about)
                elif re.fullmatch('declare_(scenario|run_id|real_time_factor)', called):
                    home = 'regolith_world.ros.parameters'
                    path = source_of(home)
                    assert path is not None
                    yield from Module(home, path).rows(called)
            break


def _piece(part: ast.expr) -> str:
    """Return a part of a formatted text: the text, the name of the inserted value, or dots."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return value.attr.upper() if isinstance(value, ast.Attribute) else '…'


def nodes() -> Iterator[tuple[str, str]]:
    """Yield package and executable of every node."""
    for setup in sorted(ROOT.glob('src/*/setup.py')):
        for name in sorted(re.findall(r"'(\w+_node) = ", setup.read_text(encoding='utf-8'))):
            yield setup.parent.name, name


def parameters(package: str, node: str) -> dict[str, Row]:
    """Return the parameters of a node by name: its own, and those of the modules that it uses."""
    found: dict[str, Row] = {}
    waiting, seen = [f'{package}.{node}'], set()
    while waiting:
        name = waiting.pop(0)
        path = source_of(name)
        if path is None or name in seen or name.endswith('.ros.parameters'):
            continue
        seen.add(name)
        module = Module(name, path)
        for row in module.rows():
            found.setdefault(row[0], row)
        waiting += [home for home in module.imports.values() if '.ros.' in home or home.endswith('_node')]
        waiting += [f'{home}.{alias}' for alias, home in module.imports.items() if home.endswith('.ros')]
    return dict(sorted(found.items()))


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for package, node in nodes():
        parts.append(f'\n## `{package}` `{node}`\n\n| parameter | default | meaning |\n|---|---|---|')
        for name, default, about in parameters(package, node).values():
            shown = f'`{default}`' if default else ''
            parts.append(f'| `{name}` | {shown} | {about.replace("|", chr(92) + "|")} |')
    return '\n'.join(parts) + '\n'


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if '--check' in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding='utf-8') != text:
            where = PAGE.relative_to(ROOT)
            print(f'{where} differs from the source; run tools/make_parameters_page.py', file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
