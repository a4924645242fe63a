# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of the architecture: which package may import which, read from the source. Nothing is run or started."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import zip_longest
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parent.parent / 'src'
PACKAGES = (
    'regolith_files',
    'regolith_world',
    'regolith_comms',
    'regolith_terrain',
    'regolith_vehicles',
    'regolith_sensors',
    'regolith_testbeds',
    'regolith_bringup',
)
"""In the order in which they may lean on each other: on those before them only. Comms needs the world's participants and
nothing of the ground: what lies between two radios comes to it as heights or files."""
NEIGHBORS = dict.fromkeys(
    ('regolith_terrain', 'regolith_vehicles', 'regolith_sensors', 'regolith_testbeds'), ('regolith_comms',)
)
"""Nor on these, though they stand before them."""
ROS = ('rclpy', 'rosidl_runtime_py', 'ament_index_python', 'launch', 'launch_ros', 'rcl_interfaces', 'tf2_msgs')


def modules(package: str) -> dict[str, Path]:
    """Return the modules of a package by dotted name."""
    root = SRC / package
    found = {}
    for path in sorted((root / package).rglob('*.py')):
        parts = path.relative_to(root).with_suffix('').parts
        found['.'.join(parts[:-1] if parts[-1] == '__init__' else parts)] = path
    return found


@cache
def public_names(package: str) -> dict[str, str]:
    """Return the modules from which a package or sub-package imports its public names, by name."""
    init = SRC / package.split('.')[0] / package.replace('.', '/') / '__init__.py'
    if not init.is_file():
        return {}
    return {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(init.read_text(encoding='utf-8')))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


@cache
def imports(name: str, path: Path) -> list[tuple[str, bool]]:
    """Return what :func:`_imports` yields; several rules need it."""
    return list(_imports(name, path))


def _imports(name: str, path: Path) -> Iterator[tuple[str, bool]]:
    """Yield (dotted name, whether at the module's top level) of what a module imports, names from modules included."""
    tree = ast.parse(path.read_text(encoding='utf-8'), str(path))
    # What runs on import: everything but the bodies of functions, and what only type checkers see.
    top: set[ast.AST] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        top.add(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith('TYPE_CHECKING'):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
    package = name if path.name == '__init__.py' else name.rpartition('.')[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node in top
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ''
            if node.level:
                above = package.split('.')[: len(package.split('.')) - node.level + 1]
                base = '.'.join([*above, base] if base else above)
            yield base, node in top
            for alias in node.names:
                yield f'{base}.{alias.name}', node in top
                # A public name is imported from its module.
                if path.name != '__init__.py' and alias.name in public_names(base):
                    yield public_names(base)[alias.name], node in top


def is_node(package: str, path: Path) -> bool:
    """Return whether a module may use ROS: nodes, and what only nodes import."""
    return package == 'regolith_bringup' or path.name.endswith('_node.py') or path.parent.name == 'ros'


def speaks_ros(imported: str) -> bool:
    root = imported.split('.')[0]
    return root in ROS or root.endswith('_msgs') or root in ('std_srvs', 'builtin_interfaces')


ALL = [(package, name, path) for package in PACKAGES for name, path in modules(package).items()]


def test_the_source_is_where_this_looks_for_it() -> None:
    """Otherwise the rules below would hold for nothing."""
    assert len(ALL) > 40
    assert all(modules(package) for package in PACKAGES)
    # A new package has to take its place in the order.
    assert sorted(PACKAGES) == sorted(manifest.parent.name for manifest in SRC.glob('*/setup.py'))


@pytest.mark.parametrize(
    ('package', 'name', 'path'),
    [
        pytest.param(*m, id=m[1])
        for m in ALL
        # A package names its public ROS parts, and imports none: test_public_names.py.
        if (not is_node(m[0], m[2]) and m[2].parent.name != m[0])
        or (m[2].name != '__init__.py' and not is_node(m[0], m[2]))
    ],
)
def test_kernels_know_nothing_of_ros(package: str, name: str, path: Path) -> None:
    """Neither rclpy nor messages; and no node by a detour."""
    guilty = {i for i, _ in imports(name, path) if speaks_ros(i)}
    assert not guilty, f'{path}: a kernel module imports {sorted(guilty)}'
    nodes = {n for p, n, f in ALL if is_node(p, f) and p != 'regolith_bringup'}
    by_detour = {i for i, _ in imports(name, path) if i in nodes or i.rpartition('.')[0] in nodes}
    assert not by_detour, f'{path}: a kernel module imports the nodes {sorted(by_detour)}'


def test_imports_point_one_way() -> None:
    """files <- world <- terrain <- vehicles <- sensors <- testbeds <- bringup: no package imports one that builds on it."""
    wrong = []
    for package, name, path in ALL:
        above = (*PACKAGES[PACKAGES.index(package) + 1 :], *NEIGHBORS.get(package, ()))
        wrong += [f'{name} imports {i}' for i, _ in imports(name, path) if i.split('.')[0] in above]
    assert not wrong, wrong


@cache
def module_graph(package: str) -> dict[str, set[str]]:
    """Return the modules of a package and those of them that each imports."""
    names = modules(package)
    # 'from package.folder import module' names the folder as well, whose __init__ adds nothing to the module.
    folders = {name for name, path in names.items() if path.name == '__init__.py'}
    return {
        name: {i for i, _ in imports(name, path) if i in names and i != name} - folders
        for name, path in names.items()
        if name not in folders
    }


@pytest.mark.parametrize('package', PACKAGES)
def test_no_module_imports_itself_by_a_detour(package: str) -> None:
    """No circle among the modules of a package, what type checkers alone see and imports in functions included."""
    try:
        TopologicalSorter(module_graph(package)).prepare()
    except CycleError as error:
        pytest.fail(' -> '.join(error.args[1]))


MOST_AT_ROOT = 20
"""Largest number of modules at the root of a package."""


@pytest.mark.parametrize('package', PACKAGES)
def test_no_package_has_many_modules_at_its_root(package: str) -> None:
    found = [path.name for path in (SRC / package / package).glob('*.py') if path.name != '__init__.py']
    assert len(found) <= MOST_AT_ROOT, found


LONGEST = 100
"""Largest number of lines of a function without its signature and docstring. ruff checks the complexity."""
LONG_KERNELS = {
    'regolith_terrain.crm.soil_step.advance_soil',
    'regolith_terrain.scm.loading.load_nodes',
    'regolith_sensors.rays.embree.render._render_blocks',
    'regolith_testbeds.dem.step.press',
}
"""Compiled loops that are longer: parts of them would have most of their variables as arguments."""


def long_functions(tree: ast.AST) -> set[str]:
    """Return the functions of a module with more than LONGEST lines."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body and body[-1].end_lineno - body[0].lineno >= LONGEST:  # type: ignore[operator]
                found.add(node.name)
    return found


def test_no_function_is_long() -> None:
    found = {f'{name}.{f}' for _, name, path in ALL for f in long_functions(ast.parse(path.read_text('utf-8')))}
    assert found == LONG_KERNELS


def test_long_functions_are_found() -> None:
    function = 'def f():\n    """D."""\n' + '    a()\n' * LONGEST
    assert long_functions(ast.parse(function)) == set() and long_functions(ast.parse(function + '    a()\n')) == {'f'}


def units(graph: Mapping[str, Iterable[str]]) -> dict[str, dict[str, set[str]]]:
    """Return what the modules and sub-folders of each folder import from one another, by folder and name.

    Args:
        graph: Modules and what they import.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for name, several in graph.items():
        for other in several:
            parts, others = name.split('.'), other.split('.')
            common = next(k for k, pair in enumerate(zip_longest(parts, others)) if pair[0] != pair[1])
            if 0 < common < min(len(parts), len(others)):
                within = found.setdefault('.'.join(parts[:common]), {})
                within.setdefault(parts[common], set()).add(others[common])
    return found


@pytest.mark.parametrize('package', PACKAGES)
def test_no_folder_imports_itself_by_a_detour(package: str) -> None:
    """No circle among the modules and sub-folders of a folder, each sub-folder taken as one, at any depth.

    As above, imports that type checkers alone see and those in functions count.
    """
    graph = module_graph(package)
    circles = []
    for folder, within in units(graph).items():
        try:
            TopologicalSorter(within).prepare()
        except CycleError as error:
            circles.append(f'{folder}: {" -> ".join(error.args[1])}')
    assert not circles, circles


def test_circles_of_folders_are_found() -> None:
    """A circle of two folders has no circle of modules; modules of one folder are no circle."""
    graph = {'p.a.x': {'p.b.y'}, 'p.b.z': {'p.a.w', 'p.b.y'}, 'p.top': {'p.a.x'}, 'p.a.s.deep': {'p.a.w'}}
    assert units(graph) == {'p': {'a': {'b'}, 'b': {'a'}, 'top': {'a'}}, 'p.a': {'s': {'w'}}, 'p.b': {'z': {'y'}}}
    with pytest.raises(CycleError):
        TopologicalSorter(units(graph)['p']).prepare()


def test_kinds_of_sensors_are_known_where_they_live() -> None:
    """What a sensor needs, shows and costs it says itself: a new kind is a new module, not a change in other packages."""
    # One task of the Gymnasium environments observes a camera, and the rover of the challenge has eight.
    tasks = ('regolith_bringup.gym', 'regolith_bringup.bench.environments', 'regolith_bringup.challenge')
    others = [
        (name, path.read_text(encoding='utf-8'))
        for package, name, path in ALL
        if package != 'regolith_sensors' and not name.startswith(tasks)
    ]
    speak = [name for name, text in others if re.search('camera|lidar', text, re.IGNORECASE)]
    assert len(speak) <= 3, speak
    ask = [name for name, text in others if re.search(r"""['"](camera|lidar|imu|gnss)['"]""", text)]
    assert not ask, ask


def test_radios_are_known_where_they_live() -> None:
    """A participant is named in one place; code that checks, plans, runs, records and reports does not know it."""
    speak = [
        name
        for package, name, path in ALL
        # Former names of keys are those of all packages.
        if package != 'regolith_comms'
        and name != 'regolith_files.former_names'
        and re.search('radio|comms|breadcrumb', path.read_text(encoding='utf-8'), re.IGNORECASE)
    ]
    assert not speak, speak


LAWS = ('regolith_terrain.crm', 'regolith_terrain.rigid', 'regolith_terrain.scm')
"""Folders of the terrain models that this project ships."""
NAMED_LAWS = {
    'regolith_terrain.terrain_model: scm': 'the default of the scenario format',
    'regolith_terrain.crm.region_settings: scm': 'a value of the key other_vehicles of the scenario format',
}
"""Modules that name a terrain model although they are not in its folder, each with the reason."""
ENTRY_OF_SCM = {
    'ScmSettings': 'its keys of a terrain section; TerrainConfig has them',
    'ScmSoilConfig': 'its soil parameters, those of the default terrain model',
    'BulldozingConfig': 'a public name of the package',
    'SlipSinkageConfig': 'a public name of the package',
    **dict.fromkeys(
        ('ScmArrays', 'ScmContact', 'press', 'NODE_ROWS', 'nodes_below', 'place_nodes', 'ring_load'),
        'flexible tires balance their belt with the law of its nodes, then press it',
    ),
}
"""What modules outside ``scm/`` import from it, each with the reason. All else is found through its entry point."""
NOT_EXPERIMENTS = [(name, path) for package, name, path in ALL if package != 'regolith_testbeds']


def named_laws(name: str, path: Path) -> set[str]:
    """Return the terrain models whose names the texts of a module contain; docstrings and its own model aside."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    named = {law for text in texts if isinstance(text, str) for law in re.findall(r'\b(scm|crm)\b', text)}
    return {law for law in named if not name.startswith(f'regolith_terrain.{law}')}


def imports_of_scm(name: str, path: Path) -> set[str]:
    """Return what a module outside ``scm/`` imports from it: public names, or modules with their dotted names."""
    scm = 'regolith_terrain.scm'
    if name.startswith(scm):
        return set()
    found = {i for i, _ in imports(name, path) if i == scm or i.startswith(f'{scm}.')}
    public = {i for i in found if i.rpartition('.')[2] in public_names(scm)}
    # A public name comes with its package and its module.
    around = {public_names(scm)[i.rpartition('.')[2]] for i in public} | ({scm} if public else set())
    return {i.rpartition('.')[2] for i in public} | (found - public - around)


def test_terrain_models_are_named_in_their_folders_only() -> None:
    """A terrain model implements what it can do. No code selects one by its name."""
    # The table of public names of the package has those of its folders.
    found = {f'{name}: {law}' for name, path in NOT_EXPERIMENTS for law in named_laws(name, path)}
    assert found - {'regolith_terrain: scm', 'regolith_terrain: crm'} == set(NAMED_LAWS)


def test_scm_is_imported_through_its_entry_only() -> None:
    imported = {i for name, path in NOT_EXPERIMENTS for i in imports_of_scm(name, path)}
    assert imported == set(ENTRY_OF_SCM)


def test_contact_is_below_all_terrain_models() -> None:
    """Terrain models are built on ``contact``, and know nothing of each other."""
    below = ('regolith_terrain.contact', *LAWS)
    guilty = [
        f'{name}: {i}'
        for _, name, path in ALL
        if name.startswith(below)
        for i, _ in imports(name, path)
        if i.startswith(LAWS) and not any(name.startswith(law) and i.startswith(law) for law in LAWS)
    ]
    assert not guilty, guilty


def test_the_rules_of_terrain_models_see_a_breach(tmp_path: Path) -> None:
    module = tmp_path / 'm.py'
    module.write_text(
        '"""Of scm."""\nfrom regolith_terrain.scm import ScmSettings\nfrom regolith_terrain.scm.arrays import scm_ground\n'
        "x = f'{1} crm' if model == 'scm' else 'scm_mode'\n"
    )
    assert named_laws('pkg.m', module) == {'crm', 'scm'} and named_laws('regolith_terrain.scm.m', module) == {'crm'}
    assert imports_of_scm('pkg.m', module) == {'ScmSettings', 'scm_ground'}
    module.write_text('import regolith_terrain.scm.loading\n')
    assert imports_of_scm('pkg.n', module.rename(tmp_path / 'n.py')) == {'regolith_terrain.scm.loading'}
    module.write_text('from regolith_terrain import scm\n')
    assert imports_of_scm('pkg.o', module.rename(tmp_path / 'o.py')) == {'regolith_terrain.scm'}


def test_the_rules_see_a_breach(tmp_path: Path) -> None:
    """The reader of imports finds what it must, in all the ways Python has of saying it."""
    module = tmp_path / 'm.py'
    module.write_text(
        'import rclpy.node as r\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import b\n'
        'try:\n    from ..up import x\nexcept ImportError:\n    pass\ndef f():\n    from . import late\n'
    )
    found = dict(imports('pkg.sub.m', module))
    assert found['rclpy.node'] is True and speaks_ros('rclpy.node') and speaks_ros('regolith_msgs.msg')
    assert found['a.b'] is False and found['pkg.up.x'] is True and found['pkg.sub.late'] is False
    assert not speaks_ros('regolith_world.cycle.records')
    module.write_text('from regolith_world import ParticipantNode\n')
    assert ('regolith_world.participant_node', True) in imports('pkg.sub.n', module.rename(tmp_path / 'n.py'))


def _validators(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the validators of several keys in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(name.startswith('model_validator') for name in names):
                yield node


def _message(node: ast.expr) -> str:
    """Return the text of an f-string, with X for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return ''.join(str(part.value) if isinstance(part, ast.Constant) else 'X' for part in node.values)
    if isinstance(node, ast.BinOp):
        return _message(node.left) + _message(node.right)
    return 'X'


NO_SINGLE_KEY = {'grid of X rows; allowed: up to X'}
"""What no single key is to blame for: the product of the lengths of several lists."""


ONLY_IN = {
    # one host of participants, over topics or within a process
    r'\bVehicleAgent\(': ('regolith_vehicles/agent/agent.py', 'regolith_vehicles/agent/vehicle_group.py'),
    r'\bParticipantEndpoint\(': ('regolith_world/ros/participant_host.py',),
    r'\bSoilCopy\(': ('regolith_vehicles/agent/vehicle_group.py', 'regolith_bringup/bench/empty_agent_node.py'),
    r'\bLoopWorkers\(': ('regolith_world/cycle/participant_group.py',),
    r'\.replay_inputs = \{': ('regolith_world/cycle/participant.py', 'regolith_world/ros/participant_host.py'),
    # one codec of protocol messages
    r'\bm(sg)?\.(Cycle|CycleResult|CycleResultBatch|TerrainDelta|TerrainDeltaBatch|TerrainUpdate|SoilNodes)\(': (),
    r"struct\.Struct\('<QI4xQI'\)": (),
}
"""Places where a part of the protocol may be implemented, by what its implementations contain."""


@pytest.mark.parametrize('pattern', ONLY_IN)
def test_each_part_of_the_protocol_is_implemented_once(pattern: str) -> None:
    found = {
        '/'.join(path.relative_to(SRC).parts[1:])
        for package in PACKAGES
        for path in (SRC / package / package).rglob('*.py')
        if re.search(pattern, path.read_text(encoding='utf-8'))
    }
    assert found <= {*ONLY_IN[pattern]}


def test_checks_of_several_keys_name_the_key_at_fault() -> None:
    """Else the error names the section that holds them, and shows all of it as the value."""
    found = []
    for file in sorted(SRC.glob('regolith_*/regolith_*/**/*.py')):
        for function in _validators(ast.parse(file.read_text())):
            for node in ast.walk(function):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    text = _message(node.exc.args[0])
                    named = re.match(r'(X|[a-z]\w*)(\.(X|\w+))*(( = .+)?: .*|)(; allowed: |X$|$)', text)
                    if named is None and text not in NO_SINGLE_KEY:
                        found.append(f'{file.relative_to(SRC)}:{node.lineno}: {text}')
    assert not found, found


def test_copies_of_settings_change_fields_that_exist() -> None:
    """``model_copy`` takes any name: one that is no field would be set without an error and without an effect."""
    keys = (Path(__file__).parent / 'baselines' / 'interface.json').read_text(encoding='utf-8')
    fields = set(re.findall(r'^"key \S+\.(\w+)"', keys, re.M))
    odd = []
    for package, name, path in ALL:
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'model_copy'
            ):
                continue
            for keyword in node.keywords:
                if isinstance(keyword.value, ast.Dict):
                    named = [key.value for key in keyword.value.keys if isinstance(key, ast.Constant)]
                    odd += [f'{package} {name}: {key}' for key in named if key not in fields]
    assert len(fields) > 600
    assert odd == []
