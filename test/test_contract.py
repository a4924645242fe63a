# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that programs of other people call: they are added to freely, and renamed never."""

from __future__ import annotations

import importlib
import inspect
import subprocess

import pytest
from harness import command

FUNCTIONS = {
    'regolith_sensors.brdf:hapke_reflectance': ('incidence', 'emission', 'azimuth', 'parameters'),
    'regolith_comms.links.visibility:TileGraph.from_dot': ('path',),
    'regolith_comms.links.world_grid:WorldGrid.from_dat': ('path',),
    'regolith_comms.links.world_grid:WorldGrid.tile_at': ('self', 'points'),
    'regolith_comms.links.relays:relay_table': ('graph', 'relay_tiles', 'mode'),
    'regolith_comms.radio:received_power': ('range_m', 'hops', 'cost', 'radio'),
    'regolith_comms.radio:packet_error': ('rx_power_dbm', 'n_bytes', 'radio'),
    'regolith_comms.radio:success_probability': ('mean_dbm', 'variance', 'n_bytes', 'radio'),
    'regolith_comms.radio:load_radio': ('name',),
}
"""``module:name`` -> its first arguments."""
STAGES = ('distort', 'defocus', 'vignette', 'aggregate', 'add_noise', 'respond', 'quantize')
HAPKE = ('w', 'b', 'c', 'Bs0', 'hs', 'phi', 'theta')
COMMANDS = (
    'run',
    'check',
    'scenarios',
    'terrain',
    'experiment',
    'bench',
    'report',
    'recover',
    'doctor',
    'comms',
    'dataset',
)


@pytest.mark.parametrize('name', FUNCTIONS)
def test_a_function_keeps_its_name_and_its_arguments(name: str) -> None:
    module, _, path = name.partition(':')
    found = importlib.import_module(module)
    for part in path.split('.'):
        found = getattr(found, part)
    assert tuple(inspect.signature(found).parameters)[: len(FUNCTIONS[name])] == FUNCTIONS[name]


def test_stages_of_the_camera_and_fields_of_hapke() -> None:
    from regolith_sensors.brdf import HapkeParameters
    from regolith_sensors.camera import stages

    assert [name for name in STAGES if not callable(getattr(stages, name, None))] == []
    assert [name for name in HAPKE if name not in inspect.signature(HapkeParameters).parameters] == []


def test_commands() -> None:
    done = subprocess.run(command('--help'), capture_output=True, text=True, timeout=60, check=True)
    assert [name for name in COMMANDS if f' {name} ' not in done.stdout] == []
