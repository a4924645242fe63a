# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of force fields that act on rigid bodies of the participant of bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from bodies_on_ground import MOON, RigidBodies, one_body, run, scm_parameters

from regolith_terrain.bodies import rest, shapes, wake_disturbed
from regolith_world.objects import make_field_regions, make_objects


def falling(**field: Any) -> RigidBodies:
    """Return a box at rest 2 m above the ground, in a field about this place."""
    body = one_body(shapes.box([0.2, 0.1, 0.1]), 10.0, scm_parameters())
    region = [{'kind': 'box', 'size_m': [50.0, 50.0, 1.0]}]
    section = {'type': 'force_field', 'position': [0.0, 0.0, 2.0], 'shapes': region, **field}
    (made,) = make_objects({'f': section}, MOON)
    body.force_fields = make_field_regions([made.field_record()])  # type: ignore[attr-defined]
    body.place(0, np.array([0.0, 0.0, 2.0]))
    return body


def test_field_against_gravity_lets_a_body_float() -> None:
    body = falling(acceleration_mps2=[0.0, 0.0, MOON])
    run(body, 2.0)
    assert body.position[0] == pytest.approx([0.0, 0.0, 2.0], abs=1e-12)


def test_drag_slows_a_body_as_the_exponential() -> None:
    """The trapezoidal rule deviates by (d h)^2 / 12 per time constant: 1e-6 at 2 / s and 1 ms."""
    body = falling(acceleration_mps2=[0.0, 0.0, MOON], drag_per_s=2.0)
    body.velocity[0], body.spin[0] = (1.0, 0.5, 0.0), (0.0, 0.0, 3.0)
    run(body, 1.0)
    assert body.velocity[0] == pytest.approx([math.exp(-2.0), 0.5 * math.exp(-2.0), 0.0], rel=2e-6, abs=1e-12)
    assert body.spin[0, 2] == pytest.approx(3.0 * math.exp(-2.0), rel=2e-6)


def test_body_in_a_repulsive_region_swings_as_a_spring_does() -> None:
    """From depth 0.5 m under gravity g the way out is that of a spring about the depth g / k, until it is outside.

    Semi-implicit Euler deviates by w h / 2 = 0.5 % of the amplitude.
    """
    k = 100.0
    body = falling(repulsion_per_s2=k)
    body.place(0, np.array([0.0, 0.0, 2.5]))
    track = run(body, 0.1)
    rest_depth, w = MOON / k, math.sqrt(k)
    depth = rest_depth + (0.5 - rest_depth) * math.cos(0.1 * w)
    assert 3.0 - track[-1, 2] == pytest.approx(depth, abs=0.005 * 0.5)


def test_body_asleep_wakes_in_a_field_and_does_not_sleep_there() -> None:
    body = one_body(shapes.box([0.15, 0.15, 0.15]), 20.0, scm_parameters())
    body.place(0, np.array([0.0, 0.0, 0.149]))
    for _ in range(200):
        run(body, 0.02)
        rest(body, [0], 20_000_000)
        wake_disturbed(body, [0])
    assert not body.awake[0]
    region = [{'kind': 'sphere', 'size_m': [1.0]}]
    section = {'type': 'force_field', 'position': [0.0, 0.0, 0.0], 'shapes': region}
    (made,) = make_objects({'f': {**section, 'acceleration_mps2': [3.0, 0.0, 0.5]}}, MOON)
    body.force_fields = make_field_regions([made.field_record()])  # type: ignore[attr-defined]
    wake_disturbed(body, [0])
    assert body.awake[0]
    run(body, 0.5)
    assert body.velocity[0, 0] > 0.3  # 3 - mu (g - 0.5) at least, for half a second
