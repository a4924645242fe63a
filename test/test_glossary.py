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
    'least_m',
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

MISREAD = {
    'regolith_terrain.crm.column': 'regolith_terrain.crm.column_collapse',
    'regolith_terrain.dem.column': 'regolith_terrain.dem.column_collapse',
    'regolith_bringup.view.soil_updates': 'regolith_terrain.updates.committed_soil',
    'regolith_terrain.contact.rigid_contact': 'regolith_terrain.rigid.contact',
    'regolith_terrain.grid.shared_soil_copy': 'regolith_terrain.updates.soil_copy',
    'regolith_terrain.ros.message_conversion': 'regolith_terrain.ros.protocol_codec',
    'regolith_terrain.ros.record_codec': 'regolith_terrain.ros.protocol_codec',
    'regolith_vehicles.agent.agent_factory': 'regolith_vehicles.agent.vehicle_group',
    'regolith_world.restart_policy': 'regolith_world.run_policy',
    'regolith_world.ros.record_codec': 'regolith_world.ros.message_codec',
}
"""Names of the table that readers misunderstood or that say too little by now, and the names taken instead."""

RELOCATED = (
    ('bringup.run', 'bringup.report', 'result_from_bag'),
    ('bringup.run', 'bringup.scenario', 'in_process_simulation'),
    ('comms', 'comms.links', 'link_model_files tile_graph_builder'),
    ('sensors.rays', 'sensors.camera', 'adaptive_sampling'),
    ('sensors.rays', 'sensors.numerics', 'fast_math parallel'),
    ('sensors.scene', 'sensors.surfaces', 'scene_arrays table_columns'),
    ('terrain.crm', 'testbeds.crm', 'baseline blade climb column_collapse driven_body drum impact mirror_symmetry'),
    ('terrain.crm', 'testbeds.crm', 'plate_press'),
    ('terrain', 'terrain.elevation', 'terrain_files'),
    ('terrain.crm', 'terrain.contact', 'surfel_messages'),
    ('terrain.grid', 'terrain', 'height_profiles'),
    ('terrain.grid', 'terrain.updates', 'merge soil_copy'),
    ('terrain.dem', 'testbeds.dem', 'assembly beds bodies climb clump_rotation clumps column_collapse contact'),
    ('terrain.dem', 'testbeds.dem', 'materials neighbor_search packing parts state step'),
    ('terrain.testbeds', 'testbeds', 'drum_trench drum_trench_scm heap_measurement resumable_runs scm_climb settings'),
    ('terrain.testbeds', 'testbeds', 'sinkage_formulas slope_climb slope_settings soil_bin wong_reece'),
    ('terrain.testbeds', 'testbeds.experiments', 'angle_of_repose bevameter bucket_drum cratering multipass'),
    ('terrain.testbeds', 'testbeds.experiments', 'plate_sinkage wheel_rig'),
    ('vehicles.agent', 'vehicles.dynamics', 'errors run_statistics'),
    ('vehicles.commands', 'vehicles.drivers', 'dig_goals'),
    ('vehicles.description', 'vehicles.visuals', 'urdf visual_description visual_messages'),
    ('vehicles.dynamics', 'vehicles', 'curves'),
    ('vehicles.dynamics', 'vehicles.agent', 'body_states vehicle'),
    ('vehicles.experiments', 'testbeds.experiments', 'tire_rig vehicle_slope'),
    ('vehicles.proving_ground', 'testbeds.proving_ground', 'results tracked_drive twist_drive'),
    ('vehicles.tires', 'testbeds', 'bench_motions'),
    ('vehicles.tools', 'vehicles.description', 'tool_config'),
    ('world.checkpoint', 'world', 'timeline'),
    ('world.checkpoint', 'world.cycle', 'codec'),
    ('world.contacts', 'world.objects', 'bounding_box contact_polygons'),
    ('world.cycle', 'world', 'participant_context'),
    ('world.cycle', 'world.checkpoint', 'world_state'),
    ('world.cycle', 'world.reporting', 'run_result'),
)
"""Folder of the table, present folder, and names of modules that moved after the table was written."""
MOVED = {
    'regolith_terrain.dem.bench': 'regolith_testbeds.bench.grains',
    'regolith_vehicles.dynamics.cycle_motion': 'regolith_vehicles.agent.vehicle_state',
    **{
        f'regolith_{former}.{name}': f'regolith_{folder}.{name}'
        for former, folder, names in RELOCATED
        for name in names.split()
    },
}


def present(module: str) -> str:
    """Return the present name of a module of the table."""
    name = MISREAD.get(module, module)
    return MOVED.get(name, name)


def entries() -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return new modules by former ones, and new names by (former module).(symbol) or (former module).Class.member.

    A module with several new ones was split: `{a,b}`.
    """
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
                    modules[f'{package}.{name}'.replace('/', '.')] = [f'{package}.{new}'.replace('/', '.')]
                continue
            renamed = re.match(r'`([\w/]+)`(?: → `([\w/{},]+)`)?(?: \((.*)\))?$', part.strip())
            assert renamed, part
            old = f'{package}.{renamed[1]}'.replace('/', '.')
            if renamed[2]:
                parent, _, names = renamed[2].partition('{')
                split = names.rstrip('}').split(',') if names else ['']
                modules[old] = [f'{package}.{parent}{name}'.replace('/', '.') for name in split]
            for name, new in re.findall(r'`([\w.]+)`→`(\w+)`', renamed[3] or ''):
                symbols[f'{old}.{name}'] = new
    return {old: [present(name) for name in several] for old, several in modules.items()}, {
        f'{present(key.rpartition(".")[0])}.{key.rpartition(".")[2]}': new for key, new in symbols.items()
    }


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
    new_modules = {new for several in modules.values() for new in several}
    assert sorted(new for new in new_modules if not path_of(new).exists()) == []
    left = [old for old in modules.keys() - new_modules if path_of(old).with_suffix('.py').is_file()]
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
        names = frozenset[str]().union(*map(defined, modules.get(module, [module])))
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


@cache
def package_source() -> str:
    """Return the source of all packages, without their tests."""
    return '\n'.join(
        path.read_text(encoding='utf-8')
        for package in sorted((ROOT / 'src').glob('regolith_*'))
        for path in [*sorted((package / package.name).rglob('*.py')), *package.glob('setup.py')]
    )


def test_topics_services_and_parameters_have_their_new_names_alone() -> None:
    """Names are looked for where they are quoted whole: in the source, and in the page of parameters."""
    source = package_source()
    parameters = (ROOT / 'docs' / 'reference' / 'parameters.md').read_text(encoding='utf-8')
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
    # ``soil`` named a set of Hapke's parameters, now ``reflectance``; today it is the reflectance model of the soil.
    assert both == [('regolith_sensors.config.lighting.LightConfig', 'soil', 'reflectance')]
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


def entry_points() -> dict[str, set[str]]:
    """Return the names of the packages' entry points, by group."""
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / 'src').glob('*/setup.py')):
        for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if isinstance(node, ast.keyword) and node.arg == 'entry_points':
                for group, points in ast.literal_eval(node.value).items():
                    names = {point.partition(' = ')[0] for point in points}
                    found.setdefault(group.removeprefix('regolith.'), set()).update(names)
    return found


def test_entry_points_have_their_new_names_alone() -> None:
    found, source = entry_points(), package_source()
    rows = {row[0]: row[1] for row in section('### 2.1 Packages', '### 2.2 Topics')}
    for old, new in re.findall(r'`regolith\.(\w+)` → `regolith\.(\w+)`', rows['entry point groups']):
        assert re.search(rf"'regolith\.{new}'", source) and not re.search(rf"'regolith\.{old}'", source), (
            f'{old} -> {new}'
        )
    groups = {
        'commands': 'commands',
        'benchmarks': 'benchmarks',
        'objects': 'object_types',
        'report section': 'report_sections',
        'view layer': 'view_layers',
        'citation group': 'citations',
    }
    renamed = 0
    for kind, group in groups.items():
        part = re.search(rf'{kind} (`.*?)(?:; (?=report|view|citation)|\. |$)', rows['entry point names'])
        assert part, kind
        pairs_here = re.findall(r'((?:`[\w-]+`, )*`[\w-]+`) → `([\w-]+)`', part[1])
        new_names = {new for _, new in pairs_here}
        for olds, new in pairs_here:
            assert new in found[group], new
            for old in set(re.findall(r'[\w-]+', olds)) - new_names:
                assert old not in found[group], f'{kind} {old} -> {new}'
                renamed += 1
    for old, new in re.findall(r'`([\w-]+)` → `([\w-]+)`', section('### 2.7 Experiments', '## 3.')[1][1]):
        assert new in found['experiments'] and old not in found['experiments'], f'{old} -> {new}'
        renamed += 1
    assert renamed > 12


def test_options_have_their_new_names_alone() -> None:
    stored = (ROOT / 'test' / 'baselines' / 'interface.json').read_text(encoding='utf-8')
    options = {
        f'{command} {option}'
        for command, words in re.findall(
            r'^"command regolith ([a-z -]+?) --[\w-]+": \["words \'([^\']*)\'', stored, re.M
        )
        for option in words.split()
    }
    renamed = 0
    for command, renames, *_ in section('### 2.4 Command line', '### 2.5 Scenario keys'):
        name = re.findall(r'`([a-z ]+?)(?: [A-Z]+)?`', command)
        if not name or command.startswith('`ros2'):
            continue
        moved = re.match(r'`(\w+) [A-Z]+`;', renames)
        name = [moved[1]] if moved else name
        for old, new in re.findall(r'`(--[\w-]+)` → `(--[\w-]+)`', renames):
            assert f'{name[0]} {new}' in options and f'{name[0]} {old}' not in options, f'{name[0]} {old} -> {new}'
            renamed += 1
    assert renamed > 18
    arguments = (ROOT / 'src/regolith_bringup/regolith_bringup/run/launch_adapter.py').read_text(encoding='utf-8')
    for old, new in (('speed', 'rtf'), ('from', 'checkpoint'), ('elsewhere', 'remote')):
        assert f"    '{new}': (" in arguments and f"    '{old}': (" not in arguments


def test_results_and_files_of_runs_have_their_new_names_alone() -> None:
    source = package_source()
    renamed = 0
    for kind, renames, *_ in section('### 2.7 Experiments', '## 3.'):
        if kind not in ('`summary.json`', 'run folder'):
            continue
        for old, new in re.findall(r'`([\w.\[\]*]+)/?` → `([\w.]+)/?`', renames):
            last = old if kind == 'run folder' else old.rpartition('.')[2]
            assert re.search(
                rf"['`/]{re.escape(new.rpartition('.')[2] if kind != 'run folder' else new)}['`/]", source
            ), new
            if last not in (
                'charge',
                'speed',
                'basis',
                'whole',
                'reports',
                'without',
                'snapshots',
            ):  # words of other concepts, too
                assert not re.search(rf"['`/]{re.escape(last)}['`]", source), f'{old} -> {new}'
            renamed += 1
    assert renamed > 8
