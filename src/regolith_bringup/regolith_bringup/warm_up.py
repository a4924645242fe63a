# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of all kernels at installation (``python3 -m`` this), so that the first run starts quickly."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors import warm_up as sensors
from regolith_terrain import FlatField, RasterField, build_rocks
from regolith_testbeds import warm_up as testbeds
from regolith_world import World, WorldConfig, end_with_process
from regolith_world.cycle import Shape, ShapeKind, participant_types
from regolith_world.numerics import kernel_cache
from regolith_world.objects import RigidBody, make_rigid_state, sphere_inertia
from regolith_world.ros import freeze_garbage_collector


def _rovers() -> None:
    """Run a short part of the demo."""
    # Two rovers in one place also compile the merge of conflicting nodes.
    together = ['world.contact=none', 'vehicles.basalt.position=[0.0, 0.02]']
    for settings in ([], ['terrain.scm_mode=reference', 'terrain.source=flat', *together]):
        Simulation(load_scenario('two_rovers', settings).scenario).run(0.06)


def _particles() -> None:
    """Run a rover towards particles for a short time."""
    simulation = Simulation(load_scenario('wheel_crm').scenario)
    simulation.agents['amber'].warm_up()
    simulation.run(0.06)


def _moon() -> None:
    """Generate a piece of polar terrain with its rocks, and drive on it."""
    scenario = load_scenario('two_rovers', ['terrain.preset=polar']).scenario
    Simulation(scenario).run(0.06)
    rocks = build_rocks(scenario.terrain, scenario.seed)
    assert rocks is not None
    rocks.rocks_in(-5.0, 5.0, -5.0, 5.0)


def _prepare(name: str, *settings: str) -> None:
    """Prepare all vehicles of a scenario."""
    for agent in Simulation(load_scenario(name, settings).scenario).agents.values():
        agent.warm_up()


def _garage() -> None:
    """Prepare vehicles of all types, with their tools, on soil with rigid pads."""
    _prepare('tow')
    _prepare('garage')


def _on_one_ground() -> None:
    """Prepare vehicles on soil without pads, and on rigid terrain only, which use separate loops."""
    _prepare('garage', 'terrain.regions=[]')
    _prepare('garage', 'terrain.regions=[]', 'terrain.model=rigid', 'terrain.soil={friction: 0.8}')


def _elevation_model() -> None:
    """Read heights of an elevation model, on posts and between them, with and without added detail."""
    posts = np.add.outer(np.where(np.arange(9) < 4, 0.0, 50.0), np.arange(8.0))
    for detail in (None, FlatField()):
        field = RasterField(posts, 2.0, detail=detail)
        field.heights(np.zeros(2), np.ones(2))
        field.nodes(0, 4, 0, 4, 0.5)


def _linkages() -> None:
    """Let a rope and its bodies fall for a short time."""
    Simulation(load_scenario('rope').scenario).run(0.06)


def _participants() -> None:
    """Compile the kernels of all registered participants."""
    for kind in participant_types().values():
        kind.warm_up()


def _bodies() -> None:
    """Prepare a vehicle that touches rigid bodies, and let bodies fall for a short time."""
    _prepare('lander_site')
    Simulation(load_scenario('lander_site').scenario).run(0.06)


def _collision() -> None:
    """Let two balls collide."""
    shape = Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))
    inertia = sphere_inertia(1.0, 0.1)
    balls = []
    for name, x in (('a', -0.2), ('b', 0.2)):
        velocity = np.array([-20.0 * x, 0.0, 0.0])
        state = make_rigid_state(name, np.array([x, 0.0, 0.0]), 1.0, inertia, linear_velocity=velocity)
        balls.append(RigidBody(name, state, [shape]))
    world = World(WorldConfig(), balls)
    while world.t_ns < 40_000_000:
        world.step()


def _start_worker(parent: int) -> None:
    """Initialize a compiling process, which ends with its parent."""
    end_with_process(parent)
    # Compilation creates many objects, few of which are garbage.
    freeze_garbage_collector()


def main() -> None:
    """Compile all kernels, two at a time, in an order that compiles hardly anything twice."""
    parts = (
        _rovers,
        sensors.main,
        testbeds.settle_vehicles,
        _garage,
        _moon,
        _on_one_ground,
        _bodies,
        _linkages,
        _particles,
        _collision,
        _participants,
        _elevation_model,
        testbeds.fill_grain_bin,
    )
    kernel_cache.mark_announced()
    with ProcessPoolExecutor(2, get_context('spawn'), _start_worker, (os.getpid(),)) as pool:
        for done in [pool.submit(part) for part in parts]:
            done.result()
    kernel_cache.mark_complete()


if __name__ == '__main__':
    main()
