# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiles every kernel once, so that the first run starts as fast as the next (``python3 -m`` this, at set-up)."""

from __future__ import annotations

import numpy as np

from regolith_bringup.scenario import load_scenario
from regolith_bringup.simulation import Simulation
from regolith_sensors import warm_up as sensors
from regolith_world.config import WorldConfig
from regolith_world.objects import FreeBody, rigid_state, sphere_inertia
from regolith_world.records import Shape, ShapeKind
from regolith_world.world import World


def main() -> None:
    """Run a moment of the demo, and one collision; take one picture."""
    # Two rovers in one place bring the merge of conflicting nodes into the cache, too.
    together = ['world.touch=pose_only', 'vehicles.basalt.position=[0.0, 0.02]']
    for settings in ([], ['terrain.preset=polar'], ['terrain.mode=reference', 'terrain.source=flat', *together]):
        Simulation(load_scenario('two_rovers', settings).scenario).run(0.06)
    ridge = Simulation(load_scenario('comms_ridge').scenario)
    assert ridge.comms is not None
    ridge.comms.warm_up()
    shape = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
    inertia = sphere_inertia(1.0, 0.1)
    balls = []
    for name, x in (('a', -0.2), ('b', 0.2)):
        velocity = np.array([-20.0 * x, 0.0, 0.0])
        state = rigid_state(name, np.array([x, 0.0, 0.0]), 1.0, inertia, linear_velocity=velocity)
        balls.append(FreeBody(name, state, [shape]))
    world = World(WorldConfig(), balls)
    while world.t_ns < 40_000_000:
        world.step()
    sensors.main()


if __name__ == '__main__':
    main()
