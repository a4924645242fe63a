# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Evaluation of the equations of motion of CRM soil, and the resulting step.

d rho/dt = 0, du/dt = div(sigma) / rho + g, and the Jaumann rate of stress from the velocity gradient L:
d sigma/dt = W sigma - sigma W + 2 G dev(D) + K tr(D) I, W and D the skew and symmetric parts of L. Sums over
neighbors:

* du_i/dt = V / rho sum_j (sigma_i + sigma_j + Pi_ij I) grad W_ij + g, which conserves momentum pair by pair;
* L_i = V sum_j (u_j - u_i) (x) grad W_ij, times the inverse of M_i = V sum_j (r_j - r_i) (x) grad W_ij if corrected;
* Pi_ij = alpha h c rho (u_ij r_ij) / (r^2 + 0.01 h^2), an artificial viscosity that acts in both directions.
"""

from __future__ import annotations

import math

from regolith_terrain.crm.arrays import (
    CAM_CLAY,
    PRECONSOLIDATION,
    SPECIFIC,
    XX,
    XY,
    YY,
    YZ,
    ZX,
    ZZ,
    Bytes,
    Floats,
    Material,
    Neighbors,
    Rows,
    Scheme,
    U,
    V,
    W,
    X,
    Y,
    Z,
)
from regolith_terrain.crm.plasticity import return_mapping
from regolith_terrain.crm.simd import (
    CHUNK,
    DX,
    DY,
    DZ,
    GATHERED,
    IS_SOIL,
    LANES,
    LU,
    LV,
    LW,
    LXX,
    LXY,
    LYY,
    LYZ,
    LZX,
    LZZ,
    SUMS,
    gather,
    lane_sum,
)
from regolith_terrain.crm.smoothing import slope, weight
from regolith_world.numerics import kernel

# Columns of the step limits: largest speed [m/s], acceleration [m/s^2], approach rate h u.r / r^2 [m/s].
SPEED, ACCELERATION, APPROACH, LIMITS = range(4)
# Start of eight values of each sum: acceleration, velocity gradient, (r_j - r_i) (x) grad W, mean velocity of
# neighbors, and the largest approach rate.
(AX, AY, AZ, GXX, GXY, GXZ, GYX, GYY, GYZ, GZX, GZY, GZZ, MXX, MYY, MZZ, MXY, MYZ, MZX, PX, PY, PZ, TOP, END) = range(
    SUMS, SUMS + 23 * LANES, LANES
)
ROOM = GATHERED + END
"""Number of values in the work array of a band."""
BAND = 1024
"""Rows per kernel call, which threads share."""


@kernel(views_only=True)
def advance_soil(
    a: int,
    b: int,
    old: Floats,
    now: Floats,
    new: Floats,
    old_memory: Floats,
    new_memory: Floats,
    kind: Bytes,
    near: Neighbors,
    rows: Rows,
    dt: float,
    gravity: Floats,
    material: Material,
    scheme: Scheme,
    limits: Floats,
    work: Floats,
) -> None:
    """Write the soil in ``rows[a:b]`` after a step: ``old`` plus dt times the rates of ``now``.

    Args:
        a: First index into ``rows``.
        b: End index.
        old: Particles at the start of the step, shape (n, 12).
        now: Particles whose rates apply to the step; their neighbors are read.
        new: Output: particles; may be ``old``, but not ``now``.
        old_memory: Memory of Cam Clay at the start of the step, shape (n, 2); empty under the frictional law.
        new_memory: Output: memory of Cam Clay.
        kind: SOIL or MARKER, shape (n,).
        near: Neighbor lists.
        rows: Rows of moving soil.
        dt: Step [s].
        gravity: Gravity [m/s^2], shape (3,).
        material: Soil parameters.
        scheme: Numerical parameters.
        limits: Output: limits of the next step, one row per band, shape (bands, 3).
        work: Work array, shape ``(bands, ROOM)``.

    Source: monaghan1992; monaghan1989; gray2001; bui2008; bonet1999; hu2021.
    Checked by: test_crm_sums.py::test_crm_sums_match_plain_numpy,
    test_crm_rest.py::test_crm_column_at_rest_has_geostatic_stress,
    test_crm_sums.py::test_crm_rotating_block_rotates_its_stress.
    """
    length = scheme.length
    support = 4.0 * length * length
    inverse_length = 1.0 / length
    steepness = scheme.steepness
    softening = 0.01 * length * length
    viscosity = scheme.viscosity * length * scheme.sound_speed * material.density
    volume = scheme.volume
    mean = scheme.shifting * volume
    gathered, lanes = work[a // BAND, :GATHERED], work[a // BAND, GATHERED:]
    top_speed = top_acceleration = top_approach = 0.0
    for k in range(a, b):
        row = rows[k]
        u, v, w = now[row, U], now[row, V], now[row, W]
        sxx, syy, szz = now[row, XX], now[row, YY], now[row, ZZ]
        sxy, syz, szx = now[row, XY], now[row, YZ], now[row, ZX]
        for at in range(SUMS, END):
            lanes[at] = 0.0
        run, place = -1, near.begin[row]
        end = place
        found = CHUNK
        while found == CHUNK:
            found, run, place, end = gather(now, kind, near, row, support, run, place, end, gathered)
            for block in range((found + LANES - 1) // LANES):
                for at in range(SUMS):
                    lanes[at] = gathered[block * SUMS + at]
                for lane in range(LANES):
                    dx, dy, dz = lanes[DX + lane], lanes[DY + lane], lanes[DZ + lane]
                    r2 = dx * dx + dy * dy + dz * dz
                    q = math.sqrt(r2) * inverse_length
                    reached = q < 2.0
                    f = slope(q, steepness) if reached else 0.0
                    g = weight(q, length) * lanes[IS_SOIL + lane] if reached else 0.0
                    gx, gy, gz = f * dx, f * dy, f * dz
                    du, dv, dw = u - lanes[LU + lane], v - lanes[LV + lane], w - lanes[LW + lane]
                    approach = (du * dx + dv * dy + dw * dz) / (r2 + softening)
                    fast = abs(approach) if reached else 0.0
                    fastest = lanes[TOP + lane]
                    lanes[TOP + lane] = fast if fast > fastest else fastest
                    push = viscosity * approach
                    txx = sxx + lanes[LXX + lane] + push
                    tyy = syy + lanes[LYY + lane] + push
                    tzz = szz + lanes[LZZ + lane] + push
                    txy, tyz, tzx = sxy + lanes[LXY + lane], syz + lanes[LYZ + lane], szx + lanes[LZX + lane]
                    lanes[AX + lane] += txx * gx + txy * gy + tzx * gz
                    lanes[AY + lane] += txy * gx + tyy * gy + tyz * gz
                    lanes[AZ + lane] += tzx * gx + tyz * gy + tzz * gz
                    lanes[GXX + lane] -= du * gx
                    lanes[GXY + lane] -= du * gy
                    lanes[GXZ + lane] -= du * gz
                    lanes[GYX + lane] -= dv * gx
                    lanes[GYY + lane] -= dv * gy
                    lanes[GYZ + lane] -= dv * gz
                    lanes[GZX + lane] -= dw * gx
                    lanes[GZY + lane] -= dw * gy
                    lanes[GZZ + lane] -= dw * gz
                    lanes[MXX + lane] -= dx * gx
                    lanes[MYY + lane] -= dy * gy
                    lanes[MZZ + lane] -= dz * gz
                    lanes[MXY + lane] -= dx * gy
                    lanes[MYZ + lane] -= dy * gz
                    lanes[MZX + lane] -= dz * gx
                    lanes[PX + lane] -= du * g
                    lanes[PY + lane] -= dv * g
                    lanes[PZ + lane] -= dw * g
        ax, ay, az = lane_sum(lanes, AX), lane_sum(lanes, AY), lane_sum(lanes, AZ)
        lxx, lxy, lxz = lane_sum(lanes, GXX), lane_sum(lanes, GXY), lane_sum(lanes, GXZ)
        lyx, lyy, lyz = lane_sum(lanes, GYX), lane_sum(lanes, GYY), lane_sum(lanes, GYZ)
        lzx, lzy, lzz = lane_sum(lanes, GZX), lane_sum(lanes, GZY), lane_sum(lanes, GZZ)
        mxx, myy, mzz = lane_sum(lanes, MXX), lane_sum(lanes, MYY), lane_sum(lanes, MZZ)
        px, py, pz = lane_sum(lanes, PX), lane_sum(lanes, PY), lane_sum(lanes, PZ)
        for lane in range(LANES):
            top_approach = max(top_approach, lanes[TOP + lane])
        open_to_space = volume * (mxx + myy + mzz) < scheme.surface
        if scheme.corrected:
            mxy, myz, mzx = lane_sum(lanes, MXY), lane_sum(lanes, MYZ), lane_sum(lanes, MZX)
            # L M^-1 with symmetric M. If neighbors are in a plane, M has no inverse and L is not corrected.
            cxx, cxy, cxz = myy * mzz - myz * myz, myz * mzx - mxy * mzz, mxy * myz - myy * mzx
            cyy, cyz, czz = mxx * mzz - mzx * mzx, mxy * mzx - mxx * myz, mxx * myy - mxy * mxy
            det = mxx * cxx + mxy * cxy + mzx * cxz
            if volume * volume * volume * abs(det) > 0.01:
                inverse = 1.0 / det
            else:
                cxx = cyy = czz = 1.0
                cxy = cxz = cyz = 0.0
                inverse = volume
            cxx, cyy, czz, cxy, cxz, cyz = (
                cxx * inverse,
                cyy * inverse,
                czz * inverse,
                cxy * inverse,
                cxz * inverse,
                cyz * inverse,
            )
            lxx, lxy, lxz = (
                lxx * cxx + lxy * cxy + lxz * cxz,
                lxx * cxy + lxy * cyy + lxz * cyz,
                lxx * cxz + lxy * cyz + lxz * czz,
            )
            lyx, lyy, lyz = (
                lyx * cxx + lyy * cxy + lyz * cxz,
                lyx * cxy + lyy * cyy + lyz * cyz,
                lyx * cxz + lyy * cyz + lyz * czz,
            )
            lzx, lzy, lzz = (
                lzx * cxx + lzy * cxy + lzz * cxz,
                lzx * cxy + lzy * cyy + lzz * cyz,
                lzx * cxz + lzy * cyz + lzz * czz,
            )
        else:
            lxx, lxy, lxz = volume * lxx, volume * lxy, volume * lxz
            lyx, lyy, lyz = volume * lyx, volume * lyy, volume * lyz
            lzx, lzy, lzz = volume * lzx, volume * lzy, volume * lzz
        share = volume / material.density
        ax, ay, az = share * ax + gravity[0], share * ay + gravity[1], share * az + gravity[2]
        mu, mv, mw = u + mean * px, v + mean * py, w + mean * pz
        new[row, X] = old[row, X] + dt * mu
        new[row, Y] = old[row, Y] + dt * mv
        new[row, Z] = old[row, Z] + dt * mw
        nu, nv, nw = old[row, U] + dt * ax, old[row, V] + dt * ay, old[row, W] + dt * az
        new[row, U], new[row, V], new[row, W] = nu, nv, nw
        if open_to_space:
            for column in range(XX, ZX + 1):
                new[row, column] = 0.0
        else:
            consolidated = specific = 0.0
            if material.law == CAM_CLAY:
                consolidated, specific = old_memory[row, PRECONSOLIDATION], old_memory[row, SPECIFIC]
            nxx, nyy, nzz, nxy, nyz, nzx, consolidated, specific = return_mapping(
                sxx,
                syy,
                szz,
                sxy,
                syz,
                szx,
                old[row, XX],
                old[row, YY],
                old[row, ZZ],
                old[row, XY],
                old[row, YZ],
                old[row, ZX],
                lxx,
                lxy,
                lxz,
                lyx,
                lyy,
                lyz,
                lzx,
                lzy,
                lzz,
                consolidated,
                specific,
                dt,
                material,
            )
            new[row, XX], new[row, YY], new[row, ZZ] = nxx, nyy, nzz
            new[row, XY], new[row, YZ], new[row, ZX] = nxy, nyz, nzx
            if material.law == CAM_CLAY:
                new_memory[row, PRECONSOLIDATION], new_memory[row, SPECIFIC] = consolidated, specific
        top_speed = max(top_speed, nu * nu + nv * nv + nw * nw, mu * mu + mv * mv + mw * mw)
        top_acceleration = max(top_acceleration, ax * ax + ay * ay + az * az)
    band = a // BAND
    limits[band, SPEED] = math.sqrt(top_speed)
    limits[band, ACCELERATION] = math.sqrt(top_acceleration)
    limits[band, APPROACH] = length * top_approach
