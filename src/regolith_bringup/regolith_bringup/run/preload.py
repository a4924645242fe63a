# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules and kernels that most nodes need, loaded into memory by importing this module.

It is for the fork server (:mod:`regolith_bringup.run.fork_server`), which can only import modules.
"""

from __future__ import annotations

import os
from importlib import import_module

from regolith_world import end_with_process

NODES = (
    'regolith_world.world_node',
    'regolith_terrain.terrain_node',
    'regolith_vehicles.vehicle_node',
    'regolith_bringup.recorder_node',
)


def _load() -> None:
    from regolith_bringup.run.simulation import Simulation
    from regolith_bringup.scenario.loading import load_scenario
    from regolith_world.numerics import kernel_cache
    from regolith_world.ros import freeze_garbage_collector

    for name in NODES:
        import_module(name)
    # Nodes report when they compile kernels. Here the message would be lost.
    if kernel_cache.is_complete():
        Simulation(load_scenario('two_rovers', ['terrain.source=flat']).scenario).run(0.02)
    # Exclude these objects from garbage collection in the nodes.
    freeze_garbage_collector()


# Ends this process together with its parent, even during the imports below.
end_with_process(os.getppid())
_load()
