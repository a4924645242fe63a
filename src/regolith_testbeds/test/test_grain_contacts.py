# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of DEM grain contacts against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.bodies import Body, box, cylinder, plane, tube, wheel
from regolith_testbeds.dem.materials import GrainMaterial, UserStiffness, longest_step, rayleigh_time

RADIUS, GRAVITY = 0.01, 9.81


def solid(**values: Any) -> GrainMaterial:
    return GrainMaterial.model_validate({'youngs_modulus_pa': 1e7, 'density_kgpm3': 2600.0, **values})


def floor(material: GrainMaterial) -> Body:
    return Body((plane((0.0, 0.0, 1.0)),), material)


@pytest.mark.parametrize('restitution', [0.2, 0.5, 0.9])
@pytest.mark.parametrize('other', [RADIUS, 0.6 * RADIUS])
@pytest.mark.parametrize('part', [0.05, 1.0])
def test_grain_impact_has_the_given_restitution(restitution: float, other: float, part: float) -> None:
    material = solid(restitution=restitution)
    gap = (RADIUS + other) * 1.001
    a = Assembly([[0, 0, 0], [gap, 0, 0]], [RADIUS, other], material, gravity=(0, 0, 0))
    a.soften(material, part * a.dt)
    a.grains.motion[0, 0], a.grains.motion[1, 0] = 0.3, -0.1
    before = a.momentum
    a.advance(math.ceil(0.02 / a.dt))
    apart = a.grains.motion[1, 0] - a.grains.motion[0, 0]
    # The damping law is exact. The rest comes from the step, here a twentieth of the limit; inelastic impacts take two
    # dozen steps and lose up to 0.02 more of their speed.
    assert abs(apart / 0.4 - restitution) < (0.01 * restitution if part == 0.05 else 0.02)
    assert a.touching == 0 and not a.pairs.slip.any()
    assert np.abs(a.momentum - before).max() < 1e-12 * before[0]


def test_grain_at_rest_has_hertz_overlap() -> None:
    material = solid(restitution=0.1)
    a = Assembly([[0, 0, RADIUS]], [RADIUS], material, bodies=[floor(material)])
    a.advance(math.ceil(0.3 / a.dt))
    e_star = material.youngs_modulus_pa / (2.0 * (1.0 - material.poisson_ratio**2))
    weight = float(a.grains.mass[0]) * GRAVITY
    deep = (weight / (4.0 / 3.0 * e_star * math.sqrt(RADIUS))) ** (2.0 / 3.0)
    assert RADIUS - a.grains.place[0, 2] == pytest.approx(deep, rel=1e-6)
    assert a.largest_overlap >= deep / RADIUS * (1.0 - 1e-6)
    assert a.bodies.wrench[0, 2] == pytest.approx(-weight, rel=1e-6)


@pytest.mark.parametrize('friction', [0.1, 0.4])
@pytest.mark.parametrize('cohesion', [0.0, 0.8])
def test_sliding_grain_changes_to_rolling(friction: float, cohesion: float) -> None:
    # Sliding for t = 2 v0 / (7 mu g), then rolling with 5/7 v0. Cohesion adds a force of so many weights, and friction
    # is proportional to the total normal force.
    material, speed = solid(friction=friction, restitution=0.1, cohesion=cohesion), 0.5
    a = Assembly([[0, 0, RADIUS]], [RADIUS], material, bodies=[floor(material)])
    a.advance(math.ceil(0.1 / a.dt))  # comes to rest
    a.grains.motion[0, 0] = speed
    ends = 2.0 * speed / (7.0 * friction * GRAVITY * (1.0 + cohesion))
    a.advance(round(0.9 * ends / a.dt))
    slides = a.grains.motion[0, 0] - a.grains.motion[0, 4] * RADIUS
    assert slides == pytest.approx(0.1 * speed, rel=0.05)
    a.advance(round(0.3 * ends / a.dt))
    # The lever arm of friction is shorter than the radius by half the overlap, which grows with the force to the 2/3.
    within = 2e-3 * (1.0 + cohesion) ** (2.0 / 3.0)
    assert a.grains.motion[0, 0] == pytest.approx(5.0 / 7.0 * speed, rel=within)
    assert a.grains.motion[0, 4] * RADIUS == pytest.approx(5.0 / 7.0 * speed, rel=within)


@pytest.mark.parametrize('cohesion', [0.0, 0.8])
@pytest.mark.parametrize(('part', 'holds'), [(0.9, True), (1.1, False)])
def test_rolling_resistance_holds_a_grain_below_its_limit(part: float, holds: bool, cohesion: float) -> None:
    # A moment c_r R N against m g R sin; N is m g cos plus the force of cohesion. A sphere stays if sin(slope) < c_r
    # (cos(slope) + c). Otherwise it accelerates by 5/7 g (sin - c_r (cos + c)).
    material = solid(friction=0.8, rolling_resistance=0.2, restitution=0.1, cohesion=cohesion)
    limit = 0.2 * part
    tilt = math.atan(limit) + math.asin(limit * cohesion / math.hypot(1.0, limit))
    a = Assembly([[0, 0, RADIUS]], [RADIUS], material, bodies=[floor(material)])
    a.advance(math.ceil(0.1 / a.dt))
    a.gravity[:] = (GRAVITY * math.sin(tilt), 0.0, -GRAVITY * math.cos(tilt))
    begin = float(a.grains.place[0, 0])
    a.advance(math.ceil(0.3 / a.dt))
    if holds:  # it loads the spring by a small part of its overlap and stays
        assert abs(a.grains.motion[0, 0]) < 1e-6 and abs(a.grains.place[0, 0] - begin) < 1e-2 * RADIUS
    else:
        rolls = 5.0 / 7.0 * GRAVITY * (math.sin(tilt) - 0.2 * (math.cos(tilt) + cohesion)) * 0.3
        # The spring takes some hundredths of a second to its limit and resists less until then.
        assert rolls < a.grains.motion[0, 0] < 1.05 * rolls


def stack(friction: float, seconds: float) -> float:
    """Return the distance of the four lower spheres of a pyramid of five at the end [radii]."""
    material = solid(friction=friction, restitution=0.1)
    r = RADIUS
    base = [[x * r, y * r, r] for x in (-1, 1) for y in (-1, 1)]
    a = Assembly([*base, [0, 0, r * (1.0 + math.sqrt(2.0))]], [r] * 5, material, bodies=[floor(material)])
    a.advance(math.ceil(seconds / a.dt))
    return float(np.ptp(a.grains.place[:4, 0])) / r


def test_grain_pyramid_is_stable_above_the_friction_threshold() -> None:
    # One sphere on four that are on a floor. The contact with the upper one is 45 deg from the vertical. The moment
    # about the center of the lower one makes both its friction forces equal, so that T (1 + cos a) = N sin a and T / N
    # = tan(a / 2). The pyramid stands above a friction of tan(22.5 deg) = 0.414, of which the floor needs a fifth.
    threshold = math.tan(math.radians(22.5))
    assert stack(1.06 * threshold, 0.4) < 2.02
    assert stack(0.94 * threshold, 0.4) > 2.3


def test_ended_grain_contact_has_no_memory() -> None:
    material = solid(friction=0.5, restitution=0.9)
    a = Assembly([[0, 0, RADIUS * 1.01]], [RADIUS], material, bodies=[floor(material)], gravity=(0, 0, 0))
    a.grains.motion[0, :3] = (0.3, 0.1, -0.5)
    remembered, contacts, before = False, 0, False
    for _ in range(400):
        a.advance(1)
        now = a.touching > 0
        remembered |= now and bool(np.abs(a.part_pairs.slip).max() > 1e-7)
        contacts += now and not before
        before = now
    assert remembered and contacts == 1 and not before
    assert not a.part_pairs.slip.any() and not a.part_pairs.touching.any()


def test_grain_cohesion_equals_its_multiple_of_weight() -> None:
    # Under a ceiling: cohesion of 1.5 weights holds a grain, 0.9 does not; without load it rests without overlap.
    for cohesion, holds in ((1.5, True), (0.9, False)):
        material = solid(cohesion=cohesion, restitution=0.1)
        ceiling = Body((plane((0.0, 0.0, -1.0)),), material)
        a = Assembly([[0, 0, -RADIUS * 0.99999]], [RADIUS], material, bodies=[ceiling])
        a.advance(math.ceil(0.05 / a.dt))
        assert (a.grains.place[0, 2] > -RADIUS) == holds


def test_grain_momenta_are_conserved() -> None:
    material = solid(friction=0.4, rolling_resistance=0.1, restitution=0.7)
    side = np.arange(4) * 2.05 * RADIUS
    places = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)
    a = Assembly(places, RADIUS * np.linspace(0.8, 1.02, 64), material, gravity=(0, 0, 0))
    a.grains.motion[:, :3] = 20.0 * (places.mean(axis=0) - places) + 0.2 * np.sin(100.0 * places[:, ::-1])
    a.grains.motion[:, 3:] = 30.0 * np.cos(70.0 * places)

    def momenta() -> np.ndarray:
        g = a.grains
        turning = np.cross(g.place, g.mass[:, None] * g.motion[:, :3]) + g.inertia * g.motion[:, 3:]
        return np.concatenate((a.momentum, turning.sum(axis=0)))

    before = momenta()
    most = 0
    for _ in range(20):
        a.advance(10)
        most = max(most, a.touching)
    assert most > 50
    scale = np.concatenate(
        (
            np.full(3, np.abs(a.grains.mass[:, None] * a.grains.motion[:, :3]).sum()),
            np.full(3, np.abs(a.grains.mass[:, None] * a.grains.motion[:, :3]).sum() * 4 * RADIUS),
        )
    )
    # Linear momentum to rounding. Moments refer to the position of a grain before it moved by v dt, along which its
    # momentum has no moment. So angular momentum is also conserved to rounding.
    assert (np.abs(momenta() - before) / scale).max() < 1e-12


def test_grain_user_stiffness_gives_the_expected_overlap() -> None:
    # At rest sqrt(delta / 2 R*) k delta = m g.
    material = solid(restitution=0.1)
    user = UserStiffness(normal_npm=1e4, tangential_npm=1e4, normal_damping_ps=2e4)
    a = Assembly([[0, 0, RADIUS]], [RADIUS], material, bodies=[floor(material)], user=user)
    a.advance(math.ceil(0.3 / a.dt))
    weight = float(a.grains.mass[0]) * GRAVITY
    assert RADIUS - a.grains.place[0, 2] == pytest.approx(
        (weight * math.sqrt(2.0 * RADIUS) / 1e4) ** (2.0 / 3.0), rel=1e-6
    )


def test_dem_step_above_the_limit_is_rejected() -> None:
    material = solid()
    shear = 1e7 / 2.6
    expected = 0.2 * math.pi * RADIUS * math.sqrt(2600.0 / shear) / (0.1631 * 0.3 + 0.8766)
    limit = longest_step(material, RADIUS)
    assert limit == pytest.approx(expected, rel=1e-12) and rayleigh_time(material, RADIUS) == pytest.approx(5.0 * limit)
    Assembly([[0, 0, 0]], [RADIUS], material, dt=limit)
    with pytest.raises(ValueError, match=r'allowed: above 0, at most'):
        Assembly([[0, 0, 0]], [RADIUS], material, dt=1.01 * limit)
    user = UserStiffness(normal_npm=1e4, tangential_npm=1e4)
    mass = 2600.0 * 4.0 / 3.0 * math.pi * RADIUS**3
    assert longest_step(material, RADIUS, user) == pytest.approx(0.1 * math.sqrt(0.5 * mass / 1e4))
    with pytest.raises(ValueError, match='contacts would be unstable'):
        Assembly([[0, 0, 0]], [RADIUS], material, dt=2e-3, user=user)


@pytest.mark.parametrize(
    ('key', 'value'),
    [('poisson_ratio', 0.5), ('friction', -0.1), ('restitution', 0.0), ('youngs_modulus_pa', 0.0), ('rolling', -1e-9)],
)
def test_grain_material_invalid_values_are_rejected(key: str, value: float) -> None:
    with pytest.raises(ValidationError, match=key):
        solid(**{key: value})


@pytest.mark.parametrize(
    ('part', 'point', 'away', 'normal'),
    [
        (box((2.0, 4.0, 6.0)), (3.0, 0.0, 0.0), 2.0, (1, 0, 0)),
        (box((2.0, 4.0, 6.0)), (1.0 + 3.0, 2.0 + 4.0, 0.0), 5.0, (0.6, 0.8, 0)),
        (box((2.0, 4.0, 6.0)), (0.0, -1.5, 0.0), -0.5, (0, -1, 0)),
        (cylinder(1.0, 2.0), (0.0, 3.0, 0.5), 2.0, (0, 1, 0)),
        (cylinder(1.0, 2.0), (4.0, 0.0, 5.0), 5.0, (0.6, 0, 0.8)),
        (cylinder(1.0, 2.0), (0.0, 0.1, -0.8), -0.2, (0, 0, -1)),
        (tube(1.0, 2.0), (0.7, 0.0, 0.5), 0.3, (-1, 0, 0)),
        (tube(1.0, 2.0), (1.0, 0.0, -1.5), 0.5, (0, 0, -1)),
        (plane((0.0, 1.0, 1.0), (0.0, 0.0, 1.0)), (5.0, 1.0, 2.0), math.sqrt(2.0), (0, math.sqrt(0.5), math.sqrt(0.5))),
        (wheel(1.0, 0.4, 12, 0.2, 0.1)[0], (0.0, 0.1, -1.5), 0.5, (0, 0, -1)),
        (wheel(1.0, 0.4, 12, 0.2, 0.1)[1], (0.0, 0.1, -1.5), 0.3, (0, 0, -1)),
        (wheel(1.0, 0.4, 12, 0.2, 0.1)[4], (-1.5, 0.1, 0.0), 0.3, (-1, 0, 0)),
    ],
)
def test_distance_to_parts_matches_geometry(part: Any, point: Any, away: float, normal: Any) -> None:
    from regolith_testbeds.dem.bodies import body_arrays
    from regolith_testbeds.dem.parts import distance
    from regolith_testbeds.dem.step import place_parts

    arrays = body_arrays([Body((part,), solid())])
    place_parts(arrays)
    found = distance(arrays, 0, *point)
    assert found == pytest.approx((away, *normal), abs=1e-12)
