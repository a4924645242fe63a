# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What most nodes need, in memory once this is imported: their modules, and the kernels of a rover on soil.

For the process that nodes are forked from (:mod:`regolith_bringup.run.fork_server`), which can do nothing but import.
"""

from __future__ import annotations

import os
from importlib import import_module

from regolith_world.node_main import end_with

NODES = (
    'regolith_world.world_node',
    'regolith_terrain.terrain_node',
    'regolith_vehicles.agent_node',
    'regolith_vehicles.fleet_node',
    'regolith_bringup.recorder_node',
)


def _load() -> None:
    from regolith_bringup.run.simulation import Simulation
    from regolith_bringup.scenario.loading import load_scenario
    from regolith_world.numerics import kernel_cache
    from regolith_world.ros.gc_settings import freeze_garbage_collector

    for name in NODES:
        import_module(name)
    # Nodes tell when they have to compile kernels; here nobody would.
    if kernel_cache.is_complete():
        Simulation(load_scenario('two_rovers', ['terrain.source=flat']).scenario).run(0.02)
    # Nor do nodes look through all this for garbage again.
    freeze_garbage_collector()


# However the process ends that asked for this one, in the middle of what follows, too.
end_with(os.getppid())
_load()
