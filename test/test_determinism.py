# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""States have the same bits as other processors would give them: of every scenario that ships, and by the look of the code."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import ROOT, environment, free_domain, new_domain, vehicle, write_scenario

from regolith_bringup.commands.verify import variants
from regolith_bringup.scenario.library import find_scenarios
from regolith_world.determinism import unpinnable_reason, with_pins

sys.path.insert(0, str(ROOT / 'tools'))
import make_determinism_page as page

FUNCTIONS = {
    'sin',
    'cos',
    'tan',
    'arcsin',
    'arccos',
    'arctan',
    'arctan2',
    'sinh',
    'cosh',
    'tanh',
    'exp',
    'exp2',
    'expm1',
    'log',
    'log2',
    'log10',
    'log1p',
    'power',
    'float_power',
    'cbrt',
    'geomspace',
    'logspace',
}
"""For which NumPy has loops of its own, or which call such."""
BLAS = {'dot', 'vdot', 'inner', 'matmul', 'tensordot', 'polyfit', 'convolve', 'correlate'}
NO_STATE = (
    'regolith_testbeds/',
    'regolith_terrain/crm/device/',
    'regolith_comms/experiments/',
    '/bench/',
    '/bench.py',
    '/ros/',
    # What people look at.
    'regolith_terrain/hillshade.py',
    'regolith_vehicles/visuals/visual_description.py',
    'regolith_vehicles/visuals/urdf.py',
    'regolith_vehicles/dynamics/motion_samples.py',
    'regolith_world/objects/entities.py',
    'regolith_world/reporting/trajectories.py',
    '/view_layer.py',
)
"""Modules, or parts of their paths, that no state of a scenario comes from."""
ALLOWED = {
    # Only used for whether it is positive.
    ('regolith_world/objects/rigid_state.py', 'np.linalg.eigvalsh'),
    # Only used for whether an inertia is possible, and a part of a mesh is flat.
    ('regolith_vehicles/robot_import/tree.py', 'np.linalg.eigvalsh'),
    ('regolith_vehicles/robot_import/mjcf_writer.py', 'np.linalg.matrix_rank'),
    # Rounded to 2^-32.
    ('regolith_terrain/lunar/degradation.py', '@'),
    ('regolith_terrain/lunar/degradation.py', 'np.exp'),
    # Maps for planners, which nothing in a simulation reads.
    ('regolith_terrain/planning_maps/layers.py', 'np.arctan'),
    # What is shown of links; deliveries are drawn by kernels.
    ('regolith_comms/radio.py', '@'),
    ('regolith_comms/radio.py', 'np.exp'),
    ('regolith_comms/radio.py', 'np.expm1'),
    ('regolith_comms/radio.py', 'np.log1p'),
}


def test_no_state_comes_from_blas_or_from_loops_of_one_processor() -> None:
    """Kernels may call functions, which are the C library's there, but not BLAS."""
    found = set()
    for package in ('world', 'terrain', 'vehicles', 'comms'):
        folder = ROOT / 'src' / f'regolith_{package}'
        for file in sorted((folder / f'regolith_{package}').rglob('*.py')):
            name = str(file.relative_to(folder))
            if not any(part in f'/{name}' for part in NO_STATE):
                found |= {
                    (name, what) for what in foreign(ast.parse(file.read_text(encoding='utf-8')), in_kernel=False)
                }
    assert found == ALLOWED, sorted(found ^ ALLOWED)


def dotted(node: ast.AST) -> str:
    """Return the name of what is called, ``np.linalg.norm``; '' of anything that does not begin with a name."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f'{before}.{node.attr}' if (before := dotted(node.value)) else ''
    return node.id if isinstance(node, ast.Name) else ''


def foreign(node: ast.AST, in_kernel: bool) -> Iterator[str]:
    """Yield what of a module or function is computed by BLAS or by NumPy's own loops."""
    if isinstance(node, ast.FunctionDef):
        in_kernel = in_kernel or any(
            dotted(decorator).rpartition('.')[2] in ('njit', 'kernel') for decorator in node.decorator_list
        )
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
        yield '@'
    if isinstance(node, ast.Call):
        called = dotted(node.func)
        library, _, name = called.rpartition('.')
        along = any(word.arg == 'axis' for word in node.keywords)
        if library == 'np.linalg' and not (name == 'norm' and along):  # along an axis it is a sum of NumPy's
            yield called
        if library == 'np' and (name in BLAS or (name in FUNCTIONS and not in_kernel)):
            yield called
    for child in ast.iter_child_nodes(node):
        yield from foreign(child, in_kernel)


def test_the_table_has_a_row_for_every_scenario_that_ships() -> None:
    own = {name for name, file in find_scenarios().items() if file.is_relative_to(ROOT / 'src')}
    table = page.PAGE.read_text(encoding='utf-8').split(page.BEGIN)[1].split(page.END)[0]
    assert own == page.SIMULATED_S.keys() == {line.split('`')[1] for line in table.splitlines() if '`' in line}


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(bool(unpinnable_reason()), reason='processors of this kind cannot pose as others')
@pytest.mark.timeout(1800)
@pytest.mark.parametrize('scenario', sorted(page.SIMULATED_S))
def test_a_scenario_that_ships_has_the_same_bits_as_the_page_says(scenario: str) -> None:
    """Everything but the C library by itself; that, too, when pinned."""
    domain = new_domain()
    try:
        loose, firm = page.row(scenario, environment(domain))
    finally:
        free_domain(domain)
    assert loose.keys() == firm.keys() == page.COLUMNS.keys()
    assert {name for name, first in loose.items() if first} <= {'c_library'}, loose
    assert not any(firm.values()), firm


THINGS = {
    'boulder': {'type': 'static_body', 'position': [1.9, 0.0, 0.3], 'shapes': [{'kind': 'sphere', 'size_m': [0.35]}]},
    'ball': {
        'type': 'rigid_body',
        'position': [-1.4, 0.0, 0.6],
        'velocity_mps': [1.5, 0.0, 0.3],
        'mass_kg': 6.0,
        'restitution': 0.6,
        'shape': {'kind': 'sphere', 'size_m': [0.15]},
    },
    'crate': {
        'type': 'rigid_body',
        'position': [-2.4, 0.3, 0.9],
        'velocity_mps': [1.7, -0.1, 0.5],
        'angular_velocity_radps': [1.0, 2.0, 0.3],
        'mass_kg': 4.0,
        'shape': {'kind': 'box', 'size_m': [0.15, 0.1, 0.2]},
    },
    'gate': {
        'type': 'linkage',
        'position': [6.0, 0.0, 0.0],
        'bodies': {
            'leaf': {
                'shape': {'kind': 'box', 'size_m': [0.02, 0.5, 0.4]},
                'mass_kg': 4.0,
                'position': [0.0, 0.5, 0.5],
                'velocity_mps': [0.3, 0.0, 0.0],
            }
        },
        'joints': [
            {
                'kind': 'hinge',
                'between': ['world', 'leaf'],
                'at': [0.0, 0.0, 0.5],
                'axis': [0.0, 0.0, 1.0],
                'damping': 0.1,
            }
        ],
    },
    'cable': {
        'type': 'rope',
        'ends': [[0.0, 4.0, 2.0], [3.0, 4.0, 2.0]],
        'length_m': 4.0,
        'rods': 20,
        'mass_kg': 2.0,
        'damping': 0.05,
    },
}
RUN = """
import sys
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
simulation = Simulation(load_scenario(sys.argv[1], sys.argv[3:]).scenario)
impacts = [len(simulation.world.step(int(sys.argv[2])).impulses) for _ in iter(lambda: simulation.world.t_ns < int(sys.argv[2]), False)]
print(sum(impacts), simulation.world.state_hash, simulation.terrain.height_field.fingerprint())
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(unpinnable_reason()), reason='processors of this kind cannot pose as others')
@pytest.mark.parametrize(
    ('scenario', 'seconds', 'settings'),
    [
        ('things', 2.0, ()),
        ('two_rovers', 0.4, ('terrain.preset=polar',)),
        ('comms_ridge', 0.4, ('terrain.detail={preset: highland}', 'comms=null')),
    ],
)
def test_what_no_shipped_scenario_has_is_the_same_for_other_processors(
    scenario: str, seconds: float, settings: tuple[str, ...], tmp_path: Path
) -> None:
    """Except for the C library, which is pinned."""
    file = scenario
    if scenario == 'things':
        amber = vehicle(0.0, 0.0, type='constant', speed_mps=0.4)
        file = str(
            write_scenario(
                tmp_path, {'amber': amber}, objects=THINGS, terrain={'source': 'procedural', 'spacing_m': 0.04}
            )
        )
    found = {}
    usual = with_pins(os.environ)
    for name, _, surroundings in (('usual', '', usual), *variants(usual)):
        command = [sys.executable, '-c', RUN, file, str(round(seconds * 1e9)), *settings]
        done = subprocess.run(command, env=dict(surroundings), capture_output=True, text=True, check=True)
        found[name] = done.stdout.split()
    assert len(found) == 5 and len(set(map(tuple, found.values()))) == 1, found
    assert scenario != 'things' or int(found['usual'][0]) > 0, 'the ball hits the rover'
