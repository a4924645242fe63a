# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that a lidar's clouds suffice for odometry on the ground of ``lidar_traverse``, and do not on bare mare.

Sweeps are taken at one height above the scenario's path, all beams at once: what fails is then the ground's, not motion
within a sweep. They are registered by point-to-plane ICP (Chen & Medioni 1992) that starts from no motion, as odometry
does when it sets off.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial import cKDTree

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.scenario_config import scenario_sensors
from regolith_sensors.scene.build import SensedWorld
from regolith_vehicles.snapshot import Snapshot

HEIGHT_M = 2.6
STEP_M, STEPS = 0.5, 3
RANGE_M, VOXEL_M, PAIR_M, RESIDUAL_M = 40.0, 0.4, 1.0, 0.1
"""Farthest points, width of a voxel that keeps one point, farthest pair, residual at which a pair counts a quarter [m]."""


class Sweep(NamedTuple):
    """A cloud in the world's axes, about the place it was taken from."""

    place: np.ndarray
    points: np.ndarray


def sweeps(*settings: str) -> list[Sweep]:
    """Return sweeps a step apart along the first leg of the path of ``lidar_traverse``."""
    scenario = load_scenario('lidar_traverse', settings).scenario
    (sensor,) = (each for each in scenario_sensors(scenario) if each.kind.sees)
    lidar = Lidar(sensor.config.model_copy(update={'flash': True}), scenario.seed, sensor.full_name)
    ends: dict[str, Snapshot] = {}
    simulation = Simulation(scenario, publish=ends.__setitem__)
    simulation.run(0.02)
    world = SensedWorld(scenario.terrain, scenario.light, scenario.seed, {'rover': simulation.agents['rover'].looks})
    world.states.ground.load(simulation.terrain.grid.all_records(), 0)
    world.states.tracks['rover'].add(0, ends['rover'].poses)
    (view,) = world.views(['rover']).values()
    scene = view.prepare(0)
    start, end = np.array(scenario.vehicles['rover'].driver.waypoints[:2])
    found = []
    for k in range(STEPS + 1):
        xy = start + k * STEP_M * (end - start) / math.dist(start, end)
        place = np.append(xy, simulation.terrain.grid.levels(xy[:1], xy[1:]) + HEIGHT_M)

        def poses(moments: np.ndarray, place: np.ndarray = place) -> tuple[np.ndarray, np.ndarray]:
            return np.repeat(place[None], len(moments), axis=0), np.repeat(np.eye(3)[None], len(moments), axis=0)

        points = lidar.scan(scene, view.scene.origin, poses).points.reshape(-1, 3).astype(np.float64)
        points = points[np.linalg.norm(points, axis=1) < RANGE_M]  # NaN is not
        _, first = np.unique(np.floor(points / VOXEL_M).astype(np.int64), axis=0, return_index=True)
        found.append(Sweep(place, points[np.sort(first)]))
    return found


def register(source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the translation that lays one cloud on another [m], and the information it has in its weakest direction.

    The information is the least eigenvalue of the mean of n n^T over the pairs, n the normals, less what is needed to
    find the rotation (Schur's complement): 1 for a wall square to a direction, 0 where nothing stands against it.
    """
    tree = cKDTree(target)
    near = target[tree.query(target, k=10)[1]]
    away = near - near.mean(axis=1, keepdims=True)
    normals = np.linalg.eigh(np.einsum('nki,nkj->nij', away, away))[1][:, :, 0]
    moved, shift, information = source.copy(), np.zeros(3), np.zeros((6, 6))
    for _ in range(50):
        distance, index = tree.query(moved, distance_upper_bound=PAIR_M)
        paired = np.isfinite(distance)
        p, n = moved[paired], normals[index[paired]]
        residual = np.einsum('ij,ij->i', p - target[index[paired]], n)
        weight = (1.0 + (residual / RESIDUAL_M) ** 2) ** -2.0
        rows = np.concatenate([np.cross(p, n), n], axis=1)
        information = np.einsum('n,ni,nj->ij', weight, rows, rows) / weight.sum()
        change = np.linalg.solve(information, -np.einsum('n,ni,n->i', weight, rows, residual) / weight.sum())
        a, b, c = change[:3]
        turn = np.linalg.qr(np.eye(3) + np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]]))[0]
        turn *= np.sign(np.diag(turn))  # QR leaves the signs of the columns open
        moved, shift = moved @ turn.T + change[3:], turn @ shift + change[3:]
        if np.abs(change).max() < 1e-5:
            break
    coupling = information[3:, :3]
    left = information[3:, 3:] - coupling @ np.linalg.solve(information[:3, :3], coupling.T)
    return shift, float(np.linalg.eigvalsh(left)[0])


@pytest.mark.seconds
@pytest.mark.slow
def test_clouds_on_the_floor_of_a_young_crater_suffice_for_odometry() -> None:
    """Each step of 0.5 m is found to 5 %: 2.5 cm, where points are 40 cm apart and ranges scatter by 1 cm."""
    taken = sweeps()
    for before, after in itertools.pairwise(taken):
        shift, information = register(after.points, before.points)
        assert shift == pytest.approx(after.place - before.place, abs=0.05 * STEP_M)
        assert information > 0.03


@pytest.mark.seconds
@pytest.mark.slow
@pytest.mark.parametrize('setting', ['seed=1', 'terrain.rocks=false'])
def test_bare_ground_does_not(setting: str) -> None:
    """On bare mare, or in a crater swept clean, the rings of beams lie where they lay before, about the lidar: they hold
    each step back by a tenth and more, as nothing stands against that."""
    taken = sweeps(setting)
    for before, after in itertools.pairwise(taken):
        shift, information = register(after.points, before.points)
        assert information < 0.01
        assert np.linalg.norm(shift - (after.place - before.place)) > 0.1 * STEP_M
