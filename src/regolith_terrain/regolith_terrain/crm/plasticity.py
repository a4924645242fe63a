# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Stress of CRM soil: the return of a trial stress to the yield surface. Stress of a fluid."""

from __future__ import annotations

import math

from regolith_terrain.crm.arrays import CAM_CLAY, FLUID, Material
from regolith_world.numerics import kernel

Stress = tuple[float, float, float, float, float, float]

SOFTEST = 0.1
"""Smallest stiffness of Cam Clay as a fraction of the largest."""
TAIT = 7.0
"""Exponent of Tait's equation of state."""


@kernel(views_only=True, inline='always')
def shear_bound(tau: float, pressure: float, dt: float, material: Material) -> float:
    """Return the shear stress [Pa] of a trial value after a step with mu(I) friction and cohesion.

    The implicit equation is tau = tau* - G dt gamma(tau), where the plastic shear rate gamma follows from mu(I) = mu_s
    + (mu_2 - mu_s) I / (I_0 + I). It is quadratic and solved exactly, so the stress does not lag behind the rate. With
    mu_s = mu_2 it is the limit of Drucker and Prager, mu p + c.

    Args:
        tau: Trial sqrt(s:s / 2) [Pa].
        pressure: Pressure [Pa], not below 0.
        dt: Step [s].
        material: Soil parameters.

    Source: dunatunga2015; jop2006; drucker1952.
    Checked by: test_crm_plasticity.py::test_sheared_element_is_elastic_and_then_yields,
    test_crm_plasticity.py::test_shear_bound_friction_grows_with_the_shear_rate,
    test_crm_flow.py::test_crm_incline_flow_matches_the_bagnold_profile.
    """
    slow = material.friction * pressure + material.cohesion
    if tau <= slow:
        return tau
    if material.limiting_friction <= material.friction:
        return slow
    fast = material.limiting_friction * pressure + material.cohesion
    alpha = material.thickening * material.shear_modulus * dt * math.sqrt(pressure)
    b = fast + tau + alpha
    h = fast * tau + slow * alpha
    return 2.0 * h / (b + math.sqrt(b * b - 4.0 * h))


@kernel(views_only=True)
def cam_clay(
    pressure: float, q: float, consolidated: float, specific: float, bulk: float, shear: float, material: Material
) -> tuple[float, float, float]:
    """Return pressure, q and preconsolidation pressure [Pa] after plastic flow of Modified Cam Clay.

    Flow is associated with q^2 / M^2 + p (p - p_c) = 0. p_c increases with the plastic compression e as exp(v e /
    (lambda - kappa)). The backward Euler step is solved for its multiplier g: p = (p* + K g p_c) / (1 + 2 K g), q = q*
    / (1 + 6 G g / M^2), with p_c of the same step.

    Args:
        pressure: Trial pressure p* [Pa].
        q: Trial sqrt(3/2 s:s) [Pa].
        consolidated: Preconsolidation pressure p_c at the start of the step [Pa].
        specific: Specific volume v [-].
        bulk: Bulk modulus K [Pa].
        shear: Shear modulus G [Pa].
        material: Soil parameters.

    Source: roscoe1968; borja1990.
    Checked by: test_crm_plasticity.py::test_cam_clay_follows_compression_and_swelling_lines,
    test_crm_plasticity.py::test_cam_clay_reaches_the_critical_state.
    """
    slope = material.friction
    excess = q * q / (slope * slope) + pressure * (pressure - consolidated)
    if excess <= 0.0:
        return pressure, q, consolidated
    stiffening = specific / (material.compression - material.swelling)
    low, high = 0.0, 1.0 / bulk
    p, top, left = pressure, consolidated, q
    for _ in range(200):
        # A larger g leaves the yield surface. Bisection needs no derivative and cannot diverge.
        g = high if excess > 0.0 else 0.5 * (low + high)
        top = consolidated
        for _ in range(30):
            p = (pressure + bulk * g * top) / (1.0 + 2.0 * bulk * g)
            after = consolidated * math.exp(min(1.0, max(-1.0, stiffening * g * (2.0 * p - top))))
            if abs(after - top) <= 1e-12 * consolidated:
                top = after
                break
            top = after
        left = q / (1.0 + 6.0 * shear * g / (slope * slope))
        now = left * left / (slope * slope) + p * (p - top)
        if excess > 0.0 and now > 0.0:
            low, high = high, 2.0 * high
            continue
        excess = 0.0
        if now > 0.0:
            low = g
        else:
            high = g
        if high - low <= 1e-13 * high:
            break
    return p, left, top


@kernel(views_only=True, inline='always')
def return_mapping(
    sxx: float,
    syy: float,
    szz: float,
    sxy: float,
    syz: float,
    szx: float,
    oxx: float,
    oyy: float,
    ozz: float,
    oxy: float,
    oyz: float,
    ozx: float,
    lxx: float,
    lxy: float,
    lxz: float,
    lyx: float,
    lyy: float,
    lyz: float,
    lzx: float,
    lzy: float,
    lzz: float,
    consolidated: float,
    specific: float,
    dt: float,
    material: Material,
) -> tuple[float, float, float, float, float, float, float, float]:
    """Return the stress after a step, six numbers [Pa], and the memory of Cam Clay, two numbers.

    Jaumann's rate rotates the stress with the soil: d sigma/dt = W sigma - sigma W + 2 G dev(D) + K tr(D) I, with W and
    D the skew and symmetric parts of L. Stress that the soil cannot support is removed: tension, and shear beyond its
    strength.

    A fluid has the stress -p I + 2 eta dev(D). dp/dt = -(K + 7 p) tr(D) is the rate of Tait's equation p = K / 7
    ((rho / rho_0)^7 - 1), so no density is stored. p is at least 0.

    Args:
        sxx: Stress xx whose rate applies to the step [Pa].
        syy: Stress yy whose rate applies to the step [Pa].
        szz: Stress zz whose rate applies to the step [Pa].
        sxy: Stress xy whose rate applies to the step [Pa].
        syz: Stress yz whose rate applies to the step [Pa].
        szx: Stress zx whose rate applies to the step [Pa].
        oxx: Stress xx at the start of the step [Pa].
        oyy: Stress yy at the start of the step [Pa].
        ozz: Stress zz at the start of the step [Pa].
        oxy: Stress xy at the start of the step [Pa].
        oyz: Stress yz at the start of the step [Pa].
        ozx: Stress zx at the start of the step [Pa].
        lxx: Velocity gradient du_x/dx [1/s].
        lxy: Velocity gradient du_x/dy [1/s].
        lxz: Velocity gradient du_x/dz [1/s].
        lyx: Velocity gradient du_y/dx [1/s].
        lyy: Velocity gradient du_y/dy [1/s].
        lyz: Velocity gradient du_y/dz [1/s].
        lzx: Velocity gradient du_z/dx [1/s].
        lzy: Velocity gradient du_z/dy [1/s].
        lzz: Velocity gradient du_z/dz [1/s].
        consolidated: Preconsolidation pressure of Cam Clay at the start of the step [Pa].
        specific: Specific volume of Cam Clay at the start of the step [-].
        dt: Step [s].
        material: Soil parameters.

    Source: jaumann1911; dunatunga2015; roscoe1968; monaghan1994.
    Checked by: test_crm_plasticity.py::test_sheared_element_is_elastic_and_then_yields,
    test_crm_plasticity.py::test_return_mapping_allows_no_tension,
    test_crm_plasticity.py::test_pressure_of_a_fluid_follows_tait,
    test_crm_sums.py::test_crm_rotating_block_rotates_its_stress.
    """
    wxy, wyz, wzx = 0.5 * (lxy - lyx), 0.5 * (lyz - lzy), 0.5 * (lzx - lxz)
    dxy, dyz, dzx = 0.5 * (lxy + lyx), 0.5 * (lyz + lzy), 0.5 * (lzx + lxz)
    trace = lxx + lyy + lzz
    if material.law == FLUID:
        now, before = -(sxx + syy + szz) / 3.0, -(oxx + oyy + ozz) / 3.0
        pressure = max(before - dt * (material.bulk_modulus + TAIT * now) * trace, 0.0)
        twice, mean = 2.0 * material.viscosity, trace / 3.0
        return (
            twice * (lxx - mean) - pressure,
            twice * (lyy - mean) - pressure,
            twice * (lzz - mean) - pressure,
            twice * dxy,
            twice * dyz,
            twice * dzx,
            consolidated,
            specific,
        )
    bulk, shear = material.bulk_modulus, material.shear_modulus
    if material.law == CAM_CLAY:
        softer = specific * max(0.0, -(oxx + oyy + ozz) / 3.0) / (material.swelling * bulk)
        softer = min(1.0, max(SOFTEST, softer))
        bulk *= softer
        shear *= softer
    twice = 2.0 * shear
    lame = (bulk - twice / 3.0) * trace
    nxx = oxx + dt * (twice * lxx + lame + 2.0 * (wxy * sxy - wzx * szx))
    nyy = oyy + dt * (twice * lyy + lame + 2.0 * (wyz * syz - wxy * sxy))
    nzz = ozz + dt * (twice * lzz + lame + 2.0 * (wzx * szx - wyz * syz))
    nxy = oxy + dt * (twice * dxy + wxy * (syy - sxx) - wzx * syz + wyz * szx)
    nyz = oyz + dt * (twice * dyz + wyz * (szz - syy) - wxy * szx + wzx * sxy)
    nzx = ozx + dt * (twice * dzx + wzx * (sxx - szz) - wyz * sxy + wxy * syz)
    trial = -(nxx + nyy + nzz) / 3.0
    pressure = max(trial, 0.0)
    nxx, nyy, nzz = nxx + trial, nyy + trial, nzz + trial
    tau = math.sqrt(0.5 * (nxx * nxx + nyy * nyy + nzz * nzz) + nxy * nxy + nyz * nyz + nzx * nzx)
    if material.law == CAM_CLAY:
        pressure, q, consolidated = cam_clay(
            pressure, math.sqrt(3.0) * tau, consolidated, specific, bulk, shear, material
        )
        left = q / math.sqrt(3.0)
        specific *= 1.0 + dt * trace
    else:
        left = shear_bound(tau, pressure, dt, material)
    scale = left / tau if left < tau else 1.0
    return (
        scale * nxx - pressure,
        scale * nyy - pressure,
        scale * nzz - pressure,
        scale * nxy,
        scale * nyz,
        scale * nzx,
        consolidated,
        specific,
    )
