# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the bucket drum testbed with SCM and CRM."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain.excavation.cutting import blade_force, cutting_factors, rupture_angle
from regolith_testbeds.crm import drum as soil_drum
from regolith_testbeds.drum_trench import START_S, Drum
from regolith_testbeds.experiments import bucket_drum

COARSE = {'spacing_m': 0.009, 'threads': 1, 'device': 'cpu', 'revolutions': 0.51}


def settings(ground: str = 'scm', **values: Any) -> bucket_drum.Settings:
    return bucket_drum.Settings.model_validate(
        {'terrain_model': ground, **(COARSE if ground == 'crm' else {}), **values}
    )


def dug(ground: str = 'scm', **values: Any) -> dict[str, Any]:
    (row,) = bucket_drum.run(settings(ground, **values), lambda *tick: None)
    return row


def shape(**values: Any) -> Drum:
    return settings(**values).drum(0.1)


def test_drum_path_is_the_integral_of_speed() -> None:
    one, t = shape(), np.linspace(0.0, 1.0, 100_001)
    speed = np.array([one.share(x) for x in t.tolist()])
    for end in (0.1, START_S, 0.7):
        here = t <= end + 1e-12
        assert one.gone(end) == pytest.approx(np.trapezoid(speed[here], t[here]), abs=1e-8)
    assert one.gone(one.end) * one.rate == pytest.approx(2.0 * math.pi * one.turns)


def test_drum_power_matches_cutting_and_lifting() -> None:
    """The scoops are spread over the circle, each in a chip as thick as the advance between two, at edge speed.

    Cut soil moves down the circle below the axle and up to the axle. In a trench that advances, all heights of the face
    give the same amount. The creep speed takes a hundredth of the force. The rest of 5 % comes from steep columns with
    few nodes.
    """
    values = {'advance_mps': 0.01, 'grid_spacing_m': 0.002, 'revolutions': 3.0}
    found, one = dug(**values), shape(**values)
    delta = 2.0 / 3.0 * one.friction
    factors = cutting_factors(one.rake, one.friction, delta, rupture_angle(one.rake, one.friction, delta))
    power, count = 0.0, 2000
    turn = math.acos((one.radius - one.depth) / one.radius)
    for angle in (np.arange(count) + 0.5) / count * turn:  # from below the axle, without a chip, to the front
        chip = one.chip * math.sin(angle)
        speed = math.hypot(
            one.rate * one.radius * math.cos(angle) - one.advance, one.rate * one.radius * math.sin(angle)
        )
        against, _ = blade_force(factors, chip, speed, one.density, one.gravity, one.cohesion, 0.0, 0.0)
        power += against * speed * one.lips / (2.0 * math.pi) * turn / count
    z = one.radius - one.depth * (np.arange(count) + 0.5) / count  # of the face, below the axle
    raised = z + math.tan(one.friction) * np.sqrt(one.radius**2 - z**2)
    carrying = one.density * one.depth * one.advance * one.gravity * float(raised.mean())
    assert carrying > 0.2 * power
    assert found['power_w_per_m'] == pytest.approx(power + carrying, rel=0.05)


def test_drum_gathers_the_swept_soil() -> None:
    """The difference is the soil of the last advance that the scoops have not yet taken."""
    found = dug(revolutions=5.0, grid_spacing_m=0.005)
    late = settings().density_kgpm3 * 0.1 * found['chip_m'] * settings().scoops
    assert 0.0 < found['swept_kg_per_m'] - found['gathered_kg_per_m'] < late


def test_drum_section_is_within_the_circle_with_openings() -> None:
    one = shape()
    lips, shell = soil_drum.section(one, 0.004)
    far = np.hypot(*lips.T)
    assert one.radius - 0.006 < far.max() <= one.radius
    assert np.hypot(*shell.T).max() < one.radius - one.lip
    # Four openings, each 1.5 scoop heights wide.
    turn = np.sort(np.arctan2(*shell.T) % (2.0 * math.pi))
    gaps = np.diff(np.append(turn, turn[0] + 2.0 * math.pi))
    assert np.count_nonzero(gaps > 0.9 * 1.5 * one.lip / (one.radius - one.lip)) == one.lips
    # Edges lead: of the scoop below the axle, which moves backward, the foremost marker in its motion is nearly the
    # lowest.
    below = lips[(lips[:, 1] < -0.5 * one.radius)]
    assert below[below[:, 0].argmin(), 1] == pytest.approx(-one.radius, abs=0.006)


@pytest.mark.seconds
def test_crm_drum_continues_bit_identically_and_gathers() -> None:
    one = settings('crm', depth_m=0.05, revolutions=0.51, spacing_m=0.0098).drum(0.05)

    def trench(workers: int) -> soil_drum.CrmTrench:
        return soil_drum.CrmTrench(one, 0.0098, workers)

    def go(run: soil_drum.CrmTrench, count: int) -> None:
        for _ in range(count):
            run.advance(lambda part: None)

    whole, first, second = trench(1), trench(2), trench(2)
    go(whole, 4)
    go(first, 2)
    second.load(first.save())
    go(second, 2)
    rows = [{**run.row(), 'wall_s': 0.0} for run in (whole, second)]
    assert json.dumps(rows[0]) == json.dumps(rows[1]) and rows[0]['steps'] == 80
    force = whole.bed.force[1:].sum(axis=0)
    assert np.isfinite(force).all() and np.abs(force).max() > 0.0
    # With the axle in the middle of the bed, all soil near it is inside: as much as in a shell three particles thinner.
    whole.bed.bodies.center[1] = 0.1, 0.0, -0.02
    place = whole.bed.particles[whole.bed.soil_rows(), :3] - (0.1, 0.0, -0.02)
    inner = one.radius - one.lip - soil_drum.boundary_markers.LAYERS * 0.0098
    held = int((place[:, 0] ** 2 + place[:, 2] ** 2 < inner**2).sum())
    assert (
        whole._gathered() == pytest.approx(one.density * 0.0098**3 / (soil_drum.ACROSS * 0.0098) * held) and held > 100
    )


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        ({'depth_m': 0.2}, 'depth_m.0 = 0.2: is out of range; allowed'),
        (
            {'advance_mps': 0.5},
            r'advance_mps = 0.5: 0.393 m between successive cuts is too much; allowed: at most scoop_height_m, 0.06',
        ),
        (
            {'terrain_model': 'crm', 'spacing_m': 0.01},
            r'spacing_m = 0.01: is too coarse; allowed: at most a quarter of the advance',
        ),
        ({'scoop_height_m': 0.15}, r'scoop_height_m = 0.15: is too long; allowed: at most half of radius_m, 0.1'),
        ({'scoops': 9}, r'scoops = 9: is too large; allowed: at most 4, for half a shell'),
        (
            {'terrain_model': 'crm', 'grid_spacing_m': 0.01},
            r'grid_spacing_m = 0.01: does not apply to crm; allowed: with terrain_model scm',
        ),
        ({'spacing_m': 0.01}, r'spacing_m = 0.01: does not apply to scm; allowed: with terrain_model crm'),
        ({'revolutions': 0.4}, 'greater than 0.5'),
        ({'friction_angle_deg': -3.0}, 'greater than 0.1'),
    ],
)
def test_drum_invalid_settings_are_rejected(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        bucket_drum.Settings.model_validate(values)
