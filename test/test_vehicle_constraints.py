# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cables and joints that hold vehicles: a tow, a lander that releases, in one process and in many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.constraints import Constraint
from regolith_world.world import World

FRICTION, G = 0.6, 1.62


def opened(world: World, name: str, ends: tuple[tuple[float, ...], ...]) -> tuple[float, float]:
    """Return how far the ends of a line are apart [m], and how fast they part [m/s]."""
    coupling = world.objects[name]
    assert isinstance(coupling, Constraint)
    places, speeds = [], []
    for held, end in zip(coupling.between, ends):
        body = world.objects[held].body
        arm = matrix(body.orientation) @ np.array(end)
        places.append(body.position + arm)
        speeds.append(body.linear_velocity + np.cross(body.angular_velocity, arm))
    way = places[1] - places[0]
    apart = float(np.linalg.norm(way))
    return apart, float((speeds[1] - speeds[0]) @ way) / apart


@pytest.mark.slow
def test_a_tow_over_rock_pulls_with_the_friction_of_what_it_drags(tmp_path: Path) -> None:
    """Locked wheels slide with mu m g, to 5 %; the cable stretches by less than 5 mm, and gives no energy.

    The 5 % include the cable's slope and the small deflection of a servo.
    """
    ends = ((-0.8, 0.0, 0.1), (0.8, 0.0, 0.1))
    towed = {**vehicle(-5.0, 0.0), 'mass_scale': 0.4}
    cable = {'type': 'cable', 'between': ['amber', 'basalt'], 'ends': [[*end] for end in ends], 'length_m': 3.5}
    file = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.15), 'basalt': towed},
        terrain={'model': 'rigid', 'soil': {'friction': FRICTION}},
        objects={'cable': cable},
    )
    world = Simulation(load_scenario(file).scenario).world
    end_ns, given, since, work = 9_000_000_000, 0.0, 0, 0.0
    while world.t_ns < end_ns:
        world.step(end_ns)
        apart, rate = opened(world, 'cable', ends)
        assert apart < 3.5 + 0.005
        pull = world.objects['cable'].given[0]  # type: ignore[attr-defined]
        mobile = sum(1.0 / world.objects[name].body.mass for name in ('amber', 'basalt'))
        work += pull * (rate + 0.5 * mobile * pull)  # half of the change that it makes: a bound, the chassis is lighter
        if world.t_ns > 6_000_000_000:
            given, since = given - pull, since or world.t_ns
    weight = G * world.objects['basalt'].body.mass
    assert given / (1e-9 * (end_ns - since)) == pytest.approx(FRICTION * weight, rel=0.05)
    assert work <= 0.0
    assert world.objects['basalt'].body.position[0] > -4.6


@pytest.mark.slow
@pytest.mark.seconds
def test_lander_carries_a_rover_with_its_weight_and_releases_it() -> None:
    """m (g + a) all the way down, to 3 % over 0.2 s; after the release it rests on its wheels and drives off."""
    world = Simulation(load_scenario('lander').scenario).world
    end_ns = 22_000_000_000
    rover, lander = world.objects['amber'], world.objects['lander']
    given, asked, mark, checked = 0.0, 0.0, 1_000_000_000, 0
    while world.t_ns < end_ns:
        report = world.step(end_ns)
        if 'clamp' not in world.objects or world.t_ns > 9_800_000_000:
            continue
        assert rover.body.position[2] - lander.body.position[2] == pytest.approx(0.35, abs=0.005)
        given -= sum(float(i.impulse[2]) for i in report.impulses if i.a == 'lander')
        asked += rover.body.mass * (G + lander.free_acceleration()[2]) * 1e-9 * report.dt_ns  # type: ignore[index]
        if world.t_ns >= mark:
            if checked:
                assert given == pytest.approx(asked, rel=0.03)
            given, asked, mark, checked = 0.0, 0.0, world.t_ns + 200_000_000, checked + 1
    assert checked > 40 and 'clamp' not in world.objects
    assert rover.body.position[0] > 1.5 and 0.2 < rover.body.position[2] < 0.25
    assert world.forced_cycles == 0


@pytest.mark.ros
@pytest.mark.seconds
@pytest.mark.parametrize(
    ('name', 'processes'),
    [
        pytest.param(*each, marks=pytest.mark.slow)
        for each in (('lander', 'many'), ('lander', 'one'), ('tow', 'one'), ('tow', 'many'))
    ],
)
def test_held_rovers_are_the_same_in_one_process_and_in_many(tmp_path: Path, name: str, processes: str) -> None:
    """As in the library, once the cable is taut, or the clamp has carried a while."""
    end = '11' if name == 'tow' else '1'
    done = run_scenario(tmp_path, name, '--duration', end, processes=processes)
    assert done.summary['state_hash'] == library_run(name, f'duration_s={end}').world.state_hash
    assert done.summary['bag']['lost'] == 0


def test_what_is_held_must_be_there(tmp_path: Path) -> None:
    cable = {'type': 'cable', 'between': ['amber', 'basal'], 'ends': [[0, 0, 0], [0, 0, 0]]}
    file = write_scenario(tmp_path, {'amber': vehicle(0, 0), 'basalt': vehicle(4, 0)}, objects={'cable': cable})
    with pytest.raises(
        InputError, match=r"objects\.cable\.between\.1 = 'basal': is not a vehicle or object; allowed: .*basalt"
    ):
        load_scenario(file)
