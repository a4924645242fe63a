# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of modules, classes, functions and members are those of the rename table of the glossary."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest

from regolith_files.former_names import FORMER_NAMES

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = Path(os.environ.get('REGOLITH_SHARED', ROOT.parent / 'shared')) / 'glossary.md'
PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
pytestmark = pytest.mark.skipif(not GLOSSARY.is_file(), reason=f'no glossary at {GLOSSARY}')

OTHER_CONCEPTS = {
    'count',
    'detail',
    'height_m',
    'range_m',
    'returns',
    'samples',
    'scale',
    'size_m',
    'soil',
    'step_s',
    'world',
}
"""Former names of some keys that other keys have rightly, e.g. ``size_m`` of a collision shape."""

SPLIT_LATER = {
    'regolith_world.objects.{object,static_body,rigid_body,beam}': 'regolith_world.objects.object',
    'regolith_sensors.config.{sensor_types,sensors,lighting,stereo}': 'regolith_sensors.config.sensors',
}
"""Modules that are to be split, and the one module that still holds all of it."""


def entries() -> tuple[dict[str, str], dict[str, str]]:
    """Return new modules by former ones, and new names by (former module).(symbol) or (former module).Class.member."""
    text = GLOSSARY.read_text(encoding='utf-8')
    section = text[text.index('## 3. Rename table, code') : text.index('## 4. Words to avoid')]
    modules, symbols = {}, {}
    for row in re.finditer(
        r'^\| (world|terrain|vehicles|sensors|bringup|comms|files): [^|]*? \| (.*) \|$', section, re.M
    ):
        package, parts = f'regolith_{row[1]}', row[2].split(' · ')
        for part in parts:
            if moved := re.match(r'to `([\w/]+)/`: ', part):
                for name in re.findall(r'`([\w/]+)`', part[moved.end() :]):
                    new = f'{moved[1]}/{name.rsplit("/", 1)[-1]}'
                    modules[f'{package}.{name}'.replace('/', '.')] = f'{package}.{new}'.replace('/', '.')
                continue
            renamed = re.match(r'`([\w/]+)`(?: → `([\w/{},]+)`)?(?: \((.*)\))?$', part.strip())
            assert renamed, part
            old = f'{package}.{renamed[1]}'.replace('/', '.')
            if renamed[2]:
                new = f'{package}.{renamed[2]}'.replace('/', '.')
                modules[old] = SPLIT_LATER.get(new, new)
            for name, new in re.findall(r'`([\w.]+)`→`(\w+)`', renamed[3] or ''):
                symbols[f'{old}.{name}'] = new
    return modules, symbols


def path_of(module: str) -> Path:
    """Return the file of a module, or the folder of a package."""
    folder = ROOT / 'src' / module.split('.')[0] / module.replace('.', '/')
    return folder if folder.is_dir() else folder.with_suffix('.py')


@cache
def defined(module: str) -> frozenset[str]:
    """Return the names that a module defines, and its classes' members as Class.member."""
    path = path_of(module)
    found = set()
    for node in ast.parse((path / '__init__.py' if path.is_dir() else path).read_text(encoding='utf-8')).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f'{node.name}.{item.name}' for item in node.body if isinstance(item, ast.FunctionDef)}
    return frozenset(found)


def test_modules_have_their_new_names_alone() -> None:
    modules, _ = entries()
    assert len(modules) > 300
    assert [new for new in modules.values() if not path_of(new).exists()] == []
    left = [old for old in modules.keys() - set(modules.values()) if path_of(old).with_suffix('.py').is_file()]
    assert left == []


def test_former_names_of_symbols_are_gone() -> None:
    modules, symbols = entries()
    assert len(symbols) > 500
    found = []
    for key, new in symbols.items():
        module, name = key.rsplit('.', 1)
        owner = ''
        if module not in modules and not path_of(module).exists():
            module, owner = module.rsplit('.', 1)
            owner = symbols.get(f'{module}.{owner}', owner) + '.'
        names = defined(modules.get(module, module))
        # A former name may be another symbol's new one.
        taken = {symbols[k] for k in symbols if k.rsplit('.', 1)[0] == key.rsplit('.', 1)[0]}
        if f'{owner}{name}' in names and name not in taken:
            found.append(f'{key} is still there; it is to be {new}')
    assert found == []


def section(begin: str, end: str) -> list[list[str]]:
    """Return the cells of the rows of the tables in a section."""
    text = GLOSSARY.read_text(encoding='utf-8')
    part = text[text.index(begin) : text.index(end)]
    return [[cell.strip() for cell in row.strip('|').split('|')] for row in part.splitlines() if row.startswith('| ')]


def pairs(cell: str) -> list[tuple[str, str]]:
    """Return former and new names of a cell of a table."""
    return re.findall(r'`([\w/~]+)` → `([\w/~]+)`', cell)


def definition(name: str) -> str | None:
    """Return the text of an interface without comments; None if there is none of that name."""
    found = [*(ROOT / 'src' / 'regolith_msgs').glob(f'*/{name}.*')]
    return re.sub(r'#.*', '', found[0].read_text(encoding='utf-8')) if found else None


def test_messages_and_fields_have_their_new_names_alone() -> None:
    renamed = 0
    for first, *others in section('### 2.3 Messages', '### 2.4 Command line'):
        if first == 'name only':
            for old, new in pairs(others[1]):
                assert (definition(old), bool(definition(new))) == (None, True), f'{old} -> {new}'
                renamed += 1
            continue
        new_type = re.findall(r'`(\w+)`', others[0])
        for former in re.findall(r'`(\w+)`', first):
            text = definition(new_type[0] if new_type else former)
            assert text is not None and (not new_type or definition(former) is None), former
            for old, new in pairs(others[1]):
                assert re.search(rf'\b{new}\b', text), f'{former}.{new}'
                assert not re.search(rf'^\S+\s+{old}\b', text, re.M), f'{former}.{old}'
                renamed += 1
    assert renamed > 55


def test_topics_services_and_parameters_have_their_new_names_alone() -> None:
    """Names are looked for where they are quoted whole: in the source, and in the page of parameters."""
    source = '\n'.join(
        path.read_text(encoding='utf-8')
        for package in sorted((ROOT / 'src').glob('regolith_*'))
        for path in sorted((package / package.name).rglob('*.py'))
    )
    parameters = (ROOT / 'docs' / 'parameters.md').read_text(encoding='utf-8')
    names = set(re.findall(r'^\| `(\w+)` \|', parameters, re.M))
    found = []
    for kind, renames, *_ in section('### 2.2 Topics, services, parameters', '### 2.3 Messages'):
        for old, new in pairs(renames):
            if kind == 'parameters':
                assert new in names and old not in names, f'{old} -> {new}'
            elif '/' in old and not old.startswith(('NAME/', 'SENSOR/')):
                name = new.removeprefix('~/')
                assert re.search(rf"'(~/)?{name}'", source), new
                assert not re.search(rf"['/]{re.escape(old)}'", source), old
            found.append(old)
    assert len(found) > 20


def renamed_keys() -> list[tuple[str, str]]:
    """Return former and new names of the tables of keys."""
    return [
        pair for _, renames, *_ in section('### 2.5 Scenario keys', '### 2.7 Experiments') for pair in pairs(renames)
    ]


def fields_by_class() -> dict[str, set[str]]:
    """Return the fields of all configuration classes, from the stored interface."""
    stored = (ROOT / 'test' / 'baselines' / 'interface.json').read_text(encoding='utf-8')
    fields: dict[str, set[str]] = {}
    for owner, name in re.findall(r'^"key (\S+)\.(\w+)"', stored, re.M):
        fields.setdefault(owner, set()).add(name)
    return fields


def test_keys_have_their_new_names_alone() -> None:
    """No configuration class has a former name of the tables of keys beside the new one, and all new ones exist."""
    fields, renamed = fields_by_class(), renamed_keys()
    known = set().union(*fields.values())
    assert len(renamed) > 150
    assert [(old, new) for old, new in renamed if new not in known] == []
    both = [(owner, old, new) for owner, names in fields.items() for old, new in renamed if {old, new} <= names]
    assert both == []
    # Names that are right where they are left: each is the key of another concept.
    assert {old for old, _ in renamed} & known == OTHER_CONCEPTS


def test_errors_know_every_former_key() -> None:
    assert [(old, new) for old, new in renamed_keys() if new not in FORMER_NAMES.get(old, ())] == []


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_pages_set_no_former_key(page: Path) -> None:
    """Neither the commands of a page nor its YAML have a key by a former name."""
    former = '|'.join({old for old, _ in renamed_keys()} - OTHER_CONCEPTS)
    text = page.read_text(encoding='utf-8')
    commands = re.findall(rf'--set [\'"]?(?:\w+\.)*({former})=|experiment [a-z-]+ [^`\n]*--({former})[ =]', text)
    blocks = re.findall(r'^```yaml\n(.*?)^```$', text, re.M | re.S)
    keys = [key for block in blocks for key in re.findall(rf'(?:^|[{{,] )\s*(?:- )?({former}):', block, re.M)]
    assert (commands, keys) == ([], [])
