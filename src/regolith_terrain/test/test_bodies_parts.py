# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of contacts between parts of vehicles and rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.solids.friction_memory import NOTHING_MOVES
from regolith_terrain.solids.moving_solids import set_relative


def cross_matrix(r: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product r x, shape (3, 3)."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


@pytest.mark.parametrize('sharing', [0, 1, 3])
def test_relative_inertia_and_twist_are_those_of_both_bodies(sharing: int) -> None:
    """Against 6x6 matrices: the velocities at points of both bodies, and the inverse inertia X M^-1 X^T of the body.

    X takes a twist at the center of mass to that at the origin of the part. 1e-12: rounding.
    """
    rng = np.random.default_rng(4)
    center, place, velocity, spin, own_velocity, own_spin = rng.normal(size=(6, 3))
    half = rng.normal(size=(6, 6))
    inverse, root = half @ half.T, rng.normal(size=(3, 3))
    mobility = np.zeros((6, 6))
    mobility[:3, :3], mobility[3:, 3:] = np.eye(3) / 7.0, root @ root.T
    moving = NOTHING_MOVES._replace(
        position=place[None],
        velocity=velocity[None],
        spin=spin[None],
        mobility=mobility[None],
        force=np.zeros((1, 3)),
        torque=np.zeros((1, 3)),
        touching=np.array([[0, sharing]]),
        relative=PartPose(*(np.zeros(shape) for shape in (3, (3, 3), 3, 3))),
        both=np.zeros((6, 6)),
    )
    set_relative(moving, 0, inverse, PartPose(center, np.eye(3), own_velocity, own_spin))
    for point in rng.normal(size=(4, 3)):
        expected = own_velocity + np.cross(own_spin, point - center) - velocity - np.cross(spin, point - place)
        found = moving.relative.velocity + np.cross(moving.relative.angular_velocity, point - moving.relative.center)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    move = np.eye(6)
    move[:3, 3:] = -cross_matrix(center - place)
    np.testing.assert_allclose(moving.both, inverse + max(1, sharing) * move @ mobility @ move.T, atol=1e-12)
