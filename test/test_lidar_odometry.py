# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that a lidar's clouds suffice for odometry at the site of ``lidar_traverse``, and do not on the bare plain there.

Sweeps are taken at one height above the scenario's path, all beams at once: what fails is then the ground's, not motion
within a sweep. They are registered by point-to-plane ICP (Chen & Medioni 1992), from no motion, as odometry does when it
sets off, or from the last motion, as it does later.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.config.sensors import scenario_sensors
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_vehicles.agent.vehicle_state import VehicleState

Floats = NDArray[np.float64]

HEIGHT_M = 1.6
STEP_M, STEPS = 0.5, 3
WAY_M, KEPT = 30.0, 10
"""Way over which odometry drifts [m], and the number of last sweeps that are its map."""
RANGE_M, VOXEL_M, PAIR_M, RESIDUAL_M = 40.0, 0.4, 1.0, 0.1
"""Farthest points, width of a voxel that keeps one point, farthest pair, residual at which a pair counts a quarter in the
end [m]."""


class Sweep(NamedTuple):
    """A cloud in the world's axes, about the place it was taken from."""

    place: Floats
    points: Floats
    normals: Floats


class Motion(NamedTuple):
    """A rotation matrix and a translation [m]."""

    turn: Floats
    shift: Floats

    def after(self, first: Motion) -> Motion:
        """Return this motion after another."""
        return Motion(self.turn @ first.turn, self.turn @ first.shift + self.shift)

    def back(self) -> Motion:
        """Return the motion that undoes this one."""
        return Motion(self.turn.T, -self.turn.T @ self.shift)


REST = Motion(np.eye(3), np.zeros(3))


def sweeps(steps: int, *settings: str, seed: int = 1) -> list[Sweep]:
    """Return sweeps a step apart along the path of ``lidar_traverse``.

    Args:
        seed: of the noise
    """
    scenario = load_scenario('lidar_traverse', settings).scenario
    (sensor,) = (each for each in scenario_sensors(scenario) if each.kind.sees)
    lidar = Lidar(sensor.config.model_copy(update={'flash': True}), seed, sensor.full_name)
    ends: dict[str, VehicleState] = {}
    simulation = Simulation(scenario, publish=ends.__setitem__)
    simulation.run(0.02)
    world = SensorScene(scenario.terrain, scenario.light, scenario.seed, {'rover': simulation.agents['rover'].looks})
    world.states.ground.load(simulation.terrain.grid.all_records())
    # The rover waits beneath the ground of its start: it is not to be seen.
    poses = ends['rover'].poses
    assert poses is not None
    world.states.tracks['rover'].add(0, poses - np.array([0.0, 0.0, 20.0, 0.0, 0.0, 0.0, 0.0]))
    (view,) = world.views(['rover']).values()
    scene = view.prepare(0)
    corners = np.array(scenario.vehicles['rover'].driver.waypoints)
    far = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    found = []
    for k in range(steps + 1):
        xy = np.array([np.interp(k * STEP_M, far, corners[:, axis]) for axis in (0, 1)])
        place = np.append(xy, simulation.terrain.grid.levels(xy[:1], xy[1:]) + HEIGHT_M)

        def poses_of(moments: Floats, place: Floats = place) -> tuple[Floats, Floats]:
            return np.repeat(place[None], len(moments), axis=0), np.repeat(np.eye(3)[None], len(moments), axis=0)

        points = lidar.scan(scene, view.scene.origin, poses_of, k).points.reshape(-1, 3).astype(np.float64)
        points = points[np.linalg.norm(points, axis=1) < RANGE_M]  # NaN is not
        _, first = np.unique(np.floor(points / VOXEL_M).astype(np.int64), axis=0, return_index=True)
        points = points[np.sort(first)]
        near = points[cKDTree(points).query(points, k=10)[1]]
        away = near - near.mean(axis=1, keepdims=True)
        normals = np.linalg.eigh(np.einsum('nki,nkj->nij', away, away))[1][:, :, 0]
        found.append(Sweep(place, points, normals))
    return found


def register(source: Floats, target: Floats, normals: Floats, guess: Motion = REST) -> tuple[Motion, float]:
    """Return the motion that lays one cloud on another, and the information it has in its weakest direction.

    The information is the least eigenvalue of the mean of n n^T over the pairs, n the normals, less what is needed to
    find the rotation (Schur's complement): 1 for a wall square to a direction, 0 where nothing stands against it.
    """
    tree = cKDTree(target)
    motion, information = guess, np.zeros((6, 6))
    for k in range(50):
        narrowed = max(PAIR_M * 0.7**k, RESIDUAL_M)
        moved = source @ motion.turn.T + motion.shift
        distance, index = tree.query(moved, distance_upper_bound=PAIR_M)
        paired = np.isfinite(distance)
        p, n = moved[paired], normals[index[paired]]
        residual = np.einsum('ij,ij->i', p - target[index[paired]], n)
        weight = (1.0 + (residual / narrowed) ** 2) ** -2.0
        rows = np.concatenate([np.cross(p, n), n], axis=1)
        information = np.einsum('n,ni,nj->ij', weight, rows, rows) / weight.sum()
        change = np.linalg.solve(information, -np.einsum('n,ni,n->i', weight, rows, residual) / weight.sum())
        a, b, c = change[:3]
        small = np.eye(3) + np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
        turn, signs = np.linalg.qr(small @ motion.turn)  # of the whole, so that rounding does not add up
        turn *= np.sign(np.diag(signs))  # QR leaves the signs of the columns open
        motion = Motion(turn, turn @ motion.turn.T @ motion.shift + change[3:])
        if narrowed == RESIDUAL_M and np.abs(change).max() < 1e-4:
            break
    coupling = information[3:, :3]
    left = information[3:, 3:] - coupling @ np.linalg.solve(information[:3, :3], coupling.T)
    return motion, float(np.linalg.eigvalsh(left)[0])


def errors(taken: list[Sweep]) -> Floats:
    """Return the errors of ICP odometry [m] after each step.

    Each sweep is laid on the last ones, as they were laid, from where the last motion would bring it.
    """
    poses, step = [REST], REST
    for k in range(1, len(taken)):
        last = range(max(k - KEPT, 0), k)
        target = np.concatenate([taken[i].points @ poses[i].turn.T + poses[i].shift for i in last])
        normals = np.concatenate([taken[i].normals @ poses[i].turn.T for i in last])
        pose, _ = register(taken[k].points, target, normals, poses[-1].after(step))
        step = poses[-1].back().after(pose)
        poses.append(pose)
    return np.array(
        [np.linalg.norm(pose.shift - s.place + taken[0].place) for pose, s in zip(poses, taken, strict=True)]
    )


@pytest.mark.seconds
@pytest.mark.slow
def test_clouds_of_the_landing_site_suffice_for_odometry() -> None:
    """Each step of 0.5 m is found to 5 %: 2.5 cm, where points are 40 cm apart and ranges scatter by 1 cm."""
    taken = sweeps(STEPS)
    for before, after in itertools.pairwise(taken):
        motion, information = register(after.points, before.points, before.normals)
        assert motion.shift == pytest.approx(after.place - before.place, abs=0.05 * STEP_M)
        assert information > 0.03


@pytest.mark.seconds
@pytest.mark.slow
@pytest.mark.parametrize('seed', [1, 2])
def test_odometry_drifts_by_less_than_two_percent(seed: int) -> None:
    """ICP odometry is less than 2 % of the way off: after 5 m and from there on to the end, with any noise."""
    off = errors(sweeps(round(WAY_M / STEP_M), seed=seed))
    way = STEP_M * np.arange(len(off))
    assert np.all(off[way >= 5.0] < 0.02 * way[way >= 5.0])


@pytest.mark.seconds
@pytest.mark.slow
def test_bare_ground_does_not() -> None:
    """On the plain without what stands there, the rings of beams lie where they lay before, about the lidar: they hold
    each step back by a tenth and more, as nothing stands against that."""
    taken = sweeps(STEPS, 'obstacles={}')
    for before, after in itertools.pairwise(taken):
        motion, information = register(after.points, before.points, before.normals)
        assert information < 0.01
        assert np.linalg.norm(motion.shift - (after.place - before.place)) > 0.1 * STEP_M
