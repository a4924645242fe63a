# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plasticity and smoothing kernel on a device, as in ``plasticity`` and ``smoothing``."""

# Warp's annotations are values, not types for mypy.
# mypy: ignore-errors

from __future__ import annotations

import math

import warp as wp

from regolith_terrain.crm import arrays, plasticity
from regolith_terrain.crm.device.structs import FOUR, HALF, ONE, THREE, TWO, ZERO, Material, number

CAM_CLAY = wp.constant(wp.int32(arrays.CAM_CLAY))
SOFTEST = number(plasticity.SOFTEST)
SIX, SQRT_3 = number(6.0), number(math.sqrt(3.0))
UNIT = number(21.0 / (16.0 * math.pi))
CLOSE, CLOSER = number(1e-12), number(1e-13)


@wp.func
def weight(q: wp.float64, length: wp.float64):
    """Return W [1/m^3]: :func:`regolith_terrain.crm.smoothing.weight`."""
    t = ONE - HALF * q
    t = t * t
    return UNIT / (length * length * length) * t * t * (TWO * q + ONE)


@wp.func
def slope(q: wp.float64, steepness: wp.float64):
    """Return (dW / dr) / r [1/m^5]: :func:`regolith_terrain.crm.smoothing.slope`."""
    t = ONE - HALF * q
    return steepness * t * t * t


@wp.func
def shear_bound(tau: wp.float64, pressure: wp.float64, dt: wp.float64, material: Material):
    """Return the limited shear stress [Pa]: :func:`regolith_terrain.crm.plasticity.shear_bound`."""
    slow = material.friction * pressure + material.cohesion
    if tau <= slow:
        return tau
    if material.limiting_friction <= material.friction:
        return slow
    fast = material.limiting_friction * pressure + material.cohesion
    alpha = material.thickening * material.shear_modulus * dt * wp.sqrt(pressure)
    b = fast + tau + alpha
    h = fast * tau + slow * alpha
    return TWO * h / (b + wp.sqrt(b * b - FOUR * h))


@wp.func
def cam_clay(
    pressure: wp.float64,
    q: wp.float64,
    borne: wp.float64,
    specific: wp.float64,
    bulk: wp.float64,
    shear: wp.float64,
    material: Material,
):
    """Return pressure, q and preconsolidation pressure [Pa]: :func:`regolith_terrain.crm.plasticity.cam_clay`."""
    ratio = material.friction * material.friction
    if q * q / ratio + pressure * (pressure - borne) <= ZERO:
        return pressure, q, borne
    stiffening = specific / (material.compression - material.swelling)
    low = wp.float64(0.0)
    high = ONE / bulk
    p = wp.float64(pressure)
    top = wp.float64(borne)
    left = wp.float64(q)
    grows = wp.bool(True)
    for _ in range(200):
        g = HALF * (low + high)
        if grows:
            g = high
        top = borne
        for _ in range(30):
            p = (pressure + bulk * g * top) / (ONE + TWO * bulk * g)
            after = borne * wp.exp(wp.min(ONE, wp.max(-ONE, stiffening * g * (TWO * p - top))))
            near = wp.abs(after - top) <= CLOSE * borne
            top = after
            if near:
                break
        left = q / (ONE + SIX * shear * g / ratio)
        now = left * left / ratio + p * (p - top)
        if grows and now > ZERO:
            low = high
            high = TWO * high
            continue
        grows = False
        if now > ZERO:
            low = g
        else:
            high = g
        if high - low <= CLOSER * high:
            break
    return p, left, top


@wp.func
def return_mapping(
    s: wp.vec3d,
    t: wp.vec3d,
    o: wp.vec3d,
    r: wp.vec3d,
    gradient: wp.mat33d,
    borne: wp.float64,
    specific: wp.float64,
    dt: wp.float64,
    material: Material,
):
    """Return stress after a step and the memory: :func:`regolith_terrain.crm.plasticity.return_mapping`.

    Stress is xx, yy, zz in one vector and xy, yz, zx in the next: s, t is the stress whose rate applies, o, r that at
    the start.
    """
    wxy = HALF * (gradient[0, 1] - gradient[1, 0])
    wyz = HALF * (gradient[1, 2] - gradient[2, 1])
    wzx = HALF * (gradient[2, 0] - gradient[0, 2])
    dxy = HALF * (gradient[0, 1] + gradient[1, 0])
    dyz = HALF * (gradient[1, 2] + gradient[2, 1])
    dzx = HALF * (gradient[2, 0] + gradient[0, 2])
    trace = gradient[0, 0] + gradient[1, 1] + gradient[2, 2]
    bulk = material.bulk_modulus
    shear = material.shear_modulus
    if material.law == CAM_CLAY:
        softer = specific * wp.max(ZERO, -(o[0] + o[1] + o[2]) / THREE) / (material.swelling * bulk)
        softer = wp.min(ONE, wp.max(SOFTEST, softer))
        bulk = bulk * softer
        shear = shear * softer
    twice = TWO * shear
    lame = (bulk - twice / THREE) * trace
    nxx = o[0] + dt * (twice * gradient[0, 0] + lame + TWO * (wxy * t[0] - wzx * t[2]))
    nyy = o[1] + dt * (twice * gradient[1, 1] + lame + TWO * (wyz * t[1] - wxy * t[0]))
    nzz = o[2] + dt * (twice * gradient[2, 2] + lame + TWO * (wzx * t[2] - wyz * t[1]))
    nxy = r[0] + dt * (twice * dxy + wxy * (s[1] - s[0]) - wzx * t[1] + wyz * t[2])
    nyz = r[1] + dt * (twice * dyz + wyz * (s[2] - s[1]) - wxy * t[2] + wzx * t[0])
    nzx = r[2] + dt * (twice * dzx + wzx * (s[0] - s[2]) - wyz * t[0] + wxy * t[1])
    trial = -(nxx + nyy + nzz) / THREE
    pressure = wp.max(trial, ZERO)
    nxx = nxx + trial
    nyy = nyy + trial
    nzz = nzz + trial
    tau = wp.sqrt(HALF * (nxx * nxx + nyy * nyy + nzz * nzz) + nxy * nxy + nyz * nyz + nzx * nzx)
    left = wp.float64(0.0)
    if material.law == CAM_CLAY:
        pressure, q, borne = cam_clay(pressure, SQRT_3 * tau, borne, specific, bulk, shear, material)
        left = q / SQRT_3
        specific = specific * (ONE + dt * trace)
    else:
        left = shear_bound(tau, pressure, dt, material)
    scale = wp.float64(1.0)
    if left < tau:
        scale = left / tau
    return (
        wp.vec3d(scale * nxx - pressure, scale * nyy - pressure, scale * nzz - pressure),
        wp.vec3d(scale * nxy, scale * nyz, scale * nzx),
        borne,
        specific,
    )
