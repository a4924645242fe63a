# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil strength of a single CRM element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from particles import soil

from regolith_terrain.crm.arrays import Material
from regolith_terrain.crm.fluid import Fluid
from regolith_terrain.crm.plasticity import return_mapping, shear_bound

ZERO = (0.0,) * 9


def strained(
    material: Material,
    stress: tuple[float, ...],
    gradient: tuple[float, ...],
    dt: float,
    steps: int,
    memory: tuple[float, float] = (0.0, 0.0),
) -> list[tuple[float, ...]]:
    rows = []
    for _ in range(steps):
        *stress_, borne, specific = return_mapping(*stress, *stress, *gradient, *memory, dt, material)
        stress, memory = tuple(stress_), (borne, specific)
        rows.append((*stress, *memory))
    return rows


def _tau(stress: tuple[float, ...]) -> float:
    sxx, syy, szz, sxy, syz, szx = stress[:6]
    mean = (sxx + syy + szz) / 3
    return math.sqrt(0.5 * ((sxx - mean) ** 2 + (syy - mean) ** 2 + (szz - mean) ** 2) + sxy**2 + syz**2 + szx**2)


@pytest.mark.parametrize('cohesion', [0.0, 500.0])
def test_sheared_element_is_elastic_and_then_yields(cohesion: float) -> None:
    made = soil(friction=0.6, cohesion_pa=cohesion)
    p, rate, dt = 1e4, 1.0, 1e-5
    rows = strained(made.material(), (-p, -p, -p, 0.0, 0.0, 0.0), (0, 0, rate, 0, 0, 0, 0, 0, 0), dt, 4000)
    # The forward step rotates the stress by W dt: second order in a strain of 1e-2, 5e-5 here.
    assert rows[499][5] == pytest.approx(made.shear_modulus * rate * 500 * dt, rel=1e-4)
    sxx, syy, szz = rows[-1][:3]
    pressure = -(sxx + syy + szz) / 3
    assert _tau(rows[-1]) == pytest.approx(0.6 * pressure + cohesion, rel=1e-12)
    assert pressure == pytest.approx(p, rel=1e-12)  # shear does not change the volume


def test_shear_bound_friction_grows_with_the_shear_rate() -> None:
    """At a steady rate, the stress is mu(I) p with I of that rate, for any step size."""
    made = soil(friction=0.4, limiting_friction=0.7, reference_inertial_number=0.3, grain_size_m=0.002)
    p, rate = 5e3, 50.0
    number = rate * made.grain_size_m * math.sqrt(made.density_kgpm3 / p)
    expected = 0.4 + 0.3 * number / (0.3 + number)
    for dt in (1e-6, 1e-4):
        tau = 0.0
        for _ in range(2000):
            tau = shear_bound(tau + made.shear_modulus * rate * dt, p, dt, made.material())
        assert tau / p == pytest.approx(expected, rel=1e-9)


def test_return_mapping_allows_no_tension() -> None:
    made = soil(friction=0.6, cohesion_pa=100.0)
    rows = strained(made.material(), (0.0,) * 6, (1.0, 0, 1.0, 0, 1.0, 0, 0, 0, 1.0), 1e-4, 50)
    sxx, syy, szz = rows[-1][:3]
    assert sxx + syy + szz == pytest.approx(0.0, abs=1e-9)
    assert _tau(rows[-1]) == pytest.approx(100.0, rel=1e-9)  # only cohesion remains


def test_cam_clay_follows_compression_and_swelling_lines() -> None:
    """The specific volume falls by lambda ln(p) on first loading and rises by kappa ln(p) on unloading."""
    made = soil(
        law='cam_clay',
        youngs_modulus_pa=2e7,
        swelling_index=0.02,
        compression_index=0.12,
        critical_state_ratio=1.1,
        preconsolidation_pressure_pa=2e4,
    )
    rate, dt = -1e-3, 1e-2
    down = strained(
        made.material(), (-2e4,) * 3 + (0.0,) * 3, (rate, 0, 0, 0, rate, 0, 0, 0, rate), dt, 2000, (2e4, 1.8)
    )
    p = -np.array([r[0] for r in down])
    v = np.array([r[7] for r in down])
    # Bulk modulus v p / kappa at the start of the step: forward step of an exponential, 2 % strain in thousandths.
    assert (v[-1] - v[200]) / math.log(p[-1] / p[200]) == pytest.approx(-0.12, rel=1e-2)
    assert p[-1] == pytest.approx(down[-1][6], rel=1e-9)
    up = strained(made.material(), down[-1][:6], (-rate, 0, 0, 0, -rate, 0, 0, 0, -rate), dt / 10, 800, down[-1][6:])
    p, v = -np.array([r[0] for r in up]), np.array([r[7] for r in up])
    assert (v[-1] - v[0]) / math.log(p[-1] / p[0]) == pytest.approx(-0.02, rel=1e-2)
    assert up[-1][6] == down[-1][6]


@pytest.mark.parametrize('borne', [2e4, 2e5])
def test_cam_clay_reaches_the_critical_state(borne: float) -> None:
    """Sheared at constant volume, normally consolidated and overconsolidated soil end at q = M p, p_c = 2 p."""
    made = soil(
        law='cam_clay',
        youngs_modulus_pa=2e7,
        swelling_index=0.02,
        compression_index=0.12,
        critical_state_ratio=1.1,
        preconsolidation_pressure_pa=borne,
    )
    rows = strained(
        made.material(), (-2e4,) * 3 + (0.0,) * 3, (0.5e-2, 0, 0, 0, 0.5e-2, 0, 0, 0, -1e-2), 1e-2, 4000, (borne, 1.8)
    )
    sxx, syy, szz, _, _, _, borne_after, _ = rows[-1]
    p, q = -(sxx + syy + szz) / 3, abs(szz - sxx)
    assert q / p == pytest.approx(1.1, rel=1e-3)
    assert borne_after / p == pytest.approx(2.0, rel=1e-2)


@pytest.mark.parametrize(('friction', 'cohesion'), [(0.6593, 0.0), (0.7786, 0.0), (0.58, 300.0)])
def test_compression_strength_matches_mohr_coulomb(friction: float, cohesion: float) -> None:
    """At the yield bound with the highest stress along z, the Mohr circle touches the line of angle and cohesion."""
    made = soil(friction=friction, cohesion_pa=cohesion)
    angle, c = made.compression_strength
    p = 1e4
    tau = friction * p + cohesion
    # s1 - s3 = sqrt(3) tau, and p is the mean of s1 and twice s3.
    s3 = p - tau / math.sqrt(3.0)
    s1 = s3 + math.sqrt(3.0) * tau
    assert 0.5 * (s1 - s3) == pytest.approx(0.5 * (s1 + s3) * math.sin(angle) + c * math.cos(angle), rel=1e-12)
    if friction == 0.7786:
        assert math.degrees(angle) == pytest.approx(33.4, abs=0.01)


def test_pressure_of_a_fluid_follows_tait() -> None:
    """p = K / 7 ((rho / rho_0)^7 - 1) for a density that grows as exp(-tr(D) t), and viscous stress 2 eta dev(D)."""
    fluid = Fluid(sound_speed_mps=20.0, viscosity_pas=3.0)
    rate, dt, steps = -0.1, 1e-4, 1000
    gradient = (rate, 0.4, 0, 0, 0, 0, 0, 0, 0)
    stress = (0.0,) * 6
    for _ in range(steps):
        middle = return_mapping(*stress, *stress, *gradient, 0.0, 0.0, 0.5 * dt, fluid.material())[:6]
        stress = return_mapping(*middle, *stress, *gradient, 0.0, 0.0, dt, fluid.material())[:6]
    sxx, syy, szz, sxy, syz, szx = stress
    bulk = 1000.0 * 20.0**2
    expected = bulk / 7.0 * (math.exp(-7.0 * rate * steps * dt) - 1.0)
    # Second order in 7 rate dt = 7e-5.
    assert -(sxx + syy + szz) / 3.0 == pytest.approx(expected, rel=1e-8)
    assert sxx - syy == pytest.approx(2.0 * 3.0 * rate, rel=1e-9) and syy == szz
    assert (sxy, syz, szx) == pytest.approx((3.0 * 0.4, 0.0, 0.0), rel=1e-12)
    # A fluid that expands from rest has no pressure, and no tension.
    (*stress, _, _) = return_mapping(*(0.0,) * 12, 1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 0.0, 0.0, dt, fluid.material())
    assert stress == pytest.approx([0.0] * 6)
