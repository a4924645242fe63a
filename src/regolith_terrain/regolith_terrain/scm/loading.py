# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Stress law of SCM: Bekker pressure, elastic unloading and Janosi-Hanamoto shear."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import (
    STAT_DISPLACED,
    STAT_INVERSE_WIDTH,
    STAT_LOADED_AREA,
    STAT_LOADED_NODES,
    STAT_MAX_SINKAGE,
    STAT_MEAN_PRESSURE,
    STAT_PATCHES,
)
from regolith_terrain.contact.mobilization import mobilize
from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.scm.arrays import Ground, Scratch
from regolith_terrain.scm.constants import (
    COHESION,
    DAMPING,
    DEPTH,
    ELASTIC,
    EXPONENT,
    FIRST,
    HEIGHT,
    INVERSE_WIDTH,
    JANOSI,
    K_C,
    K_PHI,
    LAST,
    MODE_BODY,
    MODE_REFERENCE,
    PATCH,
    RATE,
    ROW,
    SLOPE_X,
    SLOPE_Y,
    TAN_PHI,
    VOLUME,
)
from regolith_terrain.scm.patches import inverse_width
from regolith_world.numerics import kernel

Plates = tuple[float, float, float, float]
"""Grousers of a wheel: pitch, thickness, height and radius of their tips [m]; zeros for other bodies."""


@kernel(views_only=True)
def measure_patches(floats: Floats, runs: Indices, n_runs: int, spacing: float, regolith: bool, stats: Floats) -> None:
    """Write 1 / b [1/m] of each patch at its first run and clear its displaced volume.

    Args:
        floats: Float work array, see :class:`Scratch`.
        runs: Runs of hit nodes, see :class:`Scratch`.
        n_runs: Number of runs.
        spacing: Grid node spacing [m].
        regolith: Whether the hull encloses the cells of the nodes.
        stats: Output: statistics of the contact.
    """
    widths, volumes = floats[INVERSE_WIDTH], floats[VOLUME]
    largest = 0
    for run in range(n_runs):
        if runs[run, PATCH] == run:
            nodes, width = inverse_width(runs, n_runs, run, spacing, regolith)
            widths[run] = width
            volumes[run] = 0.0
            stats[STAT_PATCHES] += 1.0
            if nodes > largest:
                largest = nodes
                stats[STAT_INVERSE_WIDTH] = width


@kernel(views_only=True)
def _power(sinkage: float, exponent: float) -> float:
    return sinkage if exponent == 1.0 else sinkage**exponent


@kernel(views_only=True)
def _silo(soil: Floats, plates: Plates) -> float:
    """Return the factor by which friction on the flanks of plates raises the pressure between them.

    It is exp(2 K_0 tan(phi) h / (p - t)) with the stress ratio at rest K_0 = 1 - sin(phi), and 1 without grousers.

    Args:
        soil: Parameters of the soil.
        plates: Grousers as for :func:`_virgin`.

    Source: janssen1895; jaky1944.
    Checked by: test_slip_sinkage.py::test_grouser_plates_and_drum_share_the_load.
    """
    pitch, thickness, height, _ = plates
    if height == 0.0:
        return 1.0
    if pitch <= thickness:
        return math.inf
    friction = soil[TAN_PHI]
    at_rest = 1.0 - friction / math.sqrt(1.0 + friction * friction)
    return math.exp(2.0 * at_rest * friction * height / (pitch - thickness))


@kernel(views_only=True)
def _virgin(soil: Floats, inverse_width: float, sinkage: float, plates: Plates, silo: float) -> float:
    """Return the pressure of undisturbed soil on a body at a depth [Pa]: (k_c / b + k_phi) s^n.

    Grousers that are not modeled individually are thin plates at a pitch p around a drum. A plate penetrates with its
    own width, 1 / b = 1 / t, and covers the fraction f = t / p of the rim. Soil displaced by a plate rises between it
    and the next one, so the drum touches it at the depth h - h w / p. The slot w is wider than the plate: without slip
    a tip moves on a cycloid and pushes the soil ahead of it by R angle^3 / 6, which is (R / 15) (2 s / R)^1.5 on
    average over the depth. Friction on the flanks of the plates transfers a part of the load to the soil at the tips,
    as on the walls of a silo, by a factor j (:func:`_silo`):

        sigma = f (k_c / t + k_phi) s^n + (1 - f) (k_c / b + k_phi) max(0, s - h + h w / p)^n j,

    limited by the pressure on a solid cylinder around the tips, the limit of adjacent plates. So a wheel rests on its
    plates where soil is firm, and on its drum where soil is soft and plates are few. The soil between two plates counts
    as pressed down to the tips, although it is higher in a real print: the floor of the rut is too low by up to h.

    Args:
        soil: Parameters of the soil.
        inverse_width: 1 / b of the patch [1/m].
        sinkage: Sinkage s of the body's surface; with grousers, of the cylinder around their tips [m].
        plates: Pitch p, thickness t, height h and tip radius R of the grousers [m]; h is 0 without grousers.
        silo: Factor j of the soil and the plates [-].

    Source: bekker1969.
    Checked by: test_scm.py::test_scm_plate_matches_bekker,
    test_slip_sinkage.py::test_grouser_plates_and_drum_share_the_load,
    test_slip_sinkage.py::test_grouser_plates_without_gaps_equal_a_cylinder.
    """
    bearing = soil[K_PHI] + soil[K_C] * inverse_width
    whole: float = bearing * _power(sinkage, soil[EXPONENT])
    pitch, thickness, height, radius = plates
    if height == 0.0:
        return whole
    share = thickness / pitch
    sigma: float = share * max(0.0, soil[K_PHI] + soil[K_C] / thickness) * _power(sinkage, soil[EXPONENT])
    square = 2.0 * sinkage / radius
    slot = thickness + radius / 15.0 * square * math.sqrt(square)
    drum = sinkage - height + height * min(1.0, slot / pitch)
    if drum > 0.0:
        sigma += (1.0 - share) * bearing * _power(drum, soil[EXPONENT]) * silo
    return min(whole, sigma)


@kernel(views_only=True)
def virgin_pressure(soil: Floats, inverse_width: float, sinkage: float) -> float:
    """Return the pressure of undisturbed soil on a smooth body at a depth [Pa], see :func:`_virgin`."""
    bearing: float = soil[K_PHI] + soil[K_C] * inverse_width
    pressure: float = bearing * _power(sinkage, soil[EXPONENT])
    return pressure


@kernel(views_only=True)
def _yielded(trial: float, virgin: float, sigma_yield: float, regolith: bool) -> float:
    """Return the pressure [Pa] of a node whose elastic trial pressure is above its yield pressure.

    That is the pressure of the virgin curve. In regolith mode it is at least the yield pressure and at most the trial.

    Source: bekker1969; krenn2009.
    Checked by: test_scm.py::test_scm_plate_matches_bekker, test_scm.py::test_scm_loading_cycles_never_gain_energy.
    """
    return min(trial, max(virgin, sigma_yield)) if regolith else virgin


@kernel(views_only=True)
def _flank_gradient(gx: float, gy: float, rotation: Floats, most: float, everywhere: bool) -> tuple[float, float]:
    """Return the gradient of a body's surface above a node, limited to ``most`` on a flank.

    Stresses on a node act on the surface above a whole cell. A steep flank covers only a strip of the cell. At a node
    in that strip the horizontal force would be too large by the ratio of their widths: a wheel that leans by half a
    degree could not slide sideways over the next line of nodes. With the limit, the area of the flank is at most that
    of a wall with the depth of the body there, or with the spacing if that is more. The cost: nodes are seldom in the
    strip, so the mean resistance of the wall of a rut against a flank is too small.

    Args:
        gx: Gradient along x, rise over run [-].
        gy: Gradient along y, rise over run [-].
        rotation: Rotation of the body, shape (3, 3); faces with a normal within 45 deg of its y axis are flanks.
        most: Depth of the body there over the spacing, for wheels at least 1 [-].
        everywhere: Whether any steep face is a flank, as those of a box or a rock are.
    """
    steep = gx * gx + gy * gy
    along = rotation[2, 1] - gx * rotation[0, 1] - gy * rotation[1, 1]
    if steep > most * most and (everywhere or 2.0 * along * along > 1.0 + steep):
        scale = most / math.sqrt(steep)
        return gx * scale, gy * scale
    return gx, gy


@kernel(views_only=True)
def load_nodes(
    ground: Ground,
    soils: Floats,
    mode: int,
    dt: float,
    center: Floats,
    rotation: Floats,
    low: float,
    velocity: Floats,
    angular_velocity: Floats,
    shear: Floats,
    r0: int,
    c0: int,
    cols: int,
    n_runs: int,
    plates: Plates,
    flexible: bool,
    scratch: Scratch,
    wrench: Wrench,
) -> None:
    """Load every hit node and sum the wrench; the terrain keeps the imprint of the body.

    Pressure sigma = min(E (s - s_p), (k_c / b + k_phi) s^n) and damping R act against the body's surface, along its
    normal. Shear up to c + sigma tan(phi) acts in its tangent plane. The package lists the differences of reference
    mode.

    Args:
        ground: Window of soil, changed in place.
        soils: Table of soils, shape (m, 9).
        mode: MODE_REFERENCE, MODE_REGOLITH or MODE_BODY.
        dt: Step [s].
        center: Origin of the shape, world [m], shape (3,).
        rotation: Rotation of the body as in :func:`body_wrench`.
        low: Height of the body's lowest point [m].
        velocity: Velocity of the origin, world axes [m/s], shape (3,).
        angular_velocity: Angular velocity, world axes [rad/s], shape (3,).
        shear: Input and output: shear memory, shape (ni, nj, 2).
        r0: First row of the body's shadow in the window.
        c0: First column of the body's shadow in the window.
        cols: Number of columns of the body's shadow.
        n_runs: Number of runs of hit nodes in the scratch.
        plates: Grousers of a wheel that are not modeled individually; zeros for other bodies.
        flexible: Whether the surface moves toward the y axis of the body with the RATE of each cell.
        scratch: Work arrays.
        wrench: Output: wrench of the body.

    Source: bekker1969; krenn2009; serban2023; janosi1961; wong1967.
    Checked by: test_scm.py::test_scm_plate_matches_bekker, test_scm.py::test_scm_shear_saturates_at_mohr_coulomb,
    test_shapes.py::test_leaning_wheel_has_no_side_force_of_single_nodes,
    test_scm.py::test_scm_damping_is_proportional_to_speed, test_wong_reece.py::test_steady_wheel_matches_wong_reece,
    test_scm_reference.py::test_scm_wheel_at_prescribed_slip_matches_chrono.
    """
    floats, runs = scratch.floats, scratch.ints
    depth, heights, volumes = floats[DEPTH], floats[HEIGHT], floats[VOLUME]
    regolith, of_body = mode != MODE_REFERENCE, mode == MODE_BODY
    uniform = soils.shape[0] == 1
    soil, held = soils[0], 0
    silo = _silo(soil, plates)
    spacing = ground.spacing
    cell_area = spacing * spacing
    wx, wy, wz = angular_velocity[0], angular_velocity[1], angular_velocity[2]
    loaded = 0
    area_sum = 0.0
    pressure_sum = 0.0
    deepest = 0.0
    displaced = 0.0
    fx = fy = fz = tx = ty = tz = 0.0
    for run in range(n_runs):
        row = runs[run, ROW]
        patch = runs[run, PATCH]
        # Unsigned: a signed index could count from the end, which Numba would check.
        r = np.uintp(row + r0)
        px = (ground.i0 + row + r0) * spacing - center[0]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            cell = np.uintp(row * cols + col)
            s = depth[cell]
            c = np.uintp(col + c0)
            if not uniform:
                here = int(ground.region[r, c])
                if here != held:
                    soil, held = soils[here], here
                    silo = _silo(soil, plates)
            before = ground.sinkage_plastic[r, c]
            trial = soil[ELASTIC] * (s - before)
            if trial < 0.0:
                continue
            nz = ground.upright[r, c]
            py = (ground.j0 + col + c0) * spacing - center[1]
            # The reference uses the body's point at the previous height of the terrain. Here it is on the body's
            # surface.
            pz = (heights[cell] if regolith else ground.level[r, c]) - center[2]
            vx = velocity[0] + wy * pz - wz * py
            vy = velocity[1] + wz * px - wx * pz
            vz = velocity[2] + wx * py - wy * px
            if flexible:
                out = px * rotation[0, 1] + py * rotation[1, 1] + pz * rotation[2, 1]
                ox, oy, oz = px - out * rotation[0, 1], py - out * rotation[1, 1], pz - out * rotation[2, 1]
                inward = floats[RATE, cell] / math.sqrt(ox * ox + oy * oy + oz * oz)
                vx -= inward * ox
                vy -= inward * oy
                vz -= inward * oz
            ground.touched[r, c] = True
            surface = ground.level[r, c]
            ground.level[r, c] = ground.level_initial[r, c] - (s if nz == 1.0 else s / nz)
            sigma = trial
            if trial > ground.sigma_yield[r, c]:
                virgin = _virgin(soil, floats[INVERSE_WIDTH, patch], s, plates, silo)
                sigma = _yielded(trial, virgin, ground.sigma_yield[r, c], regolith)
                ground.sigma_yield[r, c] = sigma
                ground.sinkage_plastic[r, c] = s - sigma / soil[ELASTIC]
                flow = (ground.sinkage_plastic[r, c] - before) / nz
                volumes[patch] += flow
                displaced += flow
            if regolith:
                # (-gx, -gy, 1) is the upward normal of the body's surface. Its length is the ratio of surface to cell
                # area.
                gx, gy = floats[SLOPE_X, cell], floats[SLOPE_Y, cell]
                if gx * gx + gy * gy > 1.0:
                    deep = (surface - low) / spacing
                    gx, gy = _flank_gradient(gx, gy, rotation, deep if of_body else max(1.0, deep), of_body)
                stretch = math.sqrt(1.0 + gx * gx + gy * gy)
                rise = vz - gx * vx - gy * vy
                sigma = max(0.0, sigma - soil[DAMPING] * rise * nz)
                inverse = 1.0 / (stretch * (1.0 + stretch))
                upright = inverse * (1.0 + stretch)
                half = inverse * stretch * stretch  # 1 / (1 + mz)
                mx, my, mz = -gx * upright, -gy * upright, upright
                vn = rise * upright
                vx -= vn * mx
                vy -= vn * my
                vz -= vn * mz
                speed = math.sqrt(vx * vx + vy * vy + vz * vz)
                # Shear is stored as if the surface were rotated level about a horizontal axis (without twist). So a
                # point on the rim of a wheel keeps its history while the rim turns.
                # a wheel's rim keeps its history while the rim turns.
                lean = vz * half
                ax, ay, ux, uy = mobilize(
                    shear[r, c, 0], shear[r, c, 1], vx - lean * mx, vy - lean * my, speed, dt, soil[JANOSI]
                )
                shear[r, c, 0] = ax
                shear[r, c, 1] = ay
                dot = ux * mx + uy * my
                lean = dot * half
                strength = (soil[COHESION] + sigma * soil[TAN_PHI]) * stretch
                area = cell_area * stretch
                ex = cell_area * (strength * (ux - lean * mx) - sigma * gx)
                ey = cell_area * (strength * (uy - lean * my) - sigma * gy)
                ez = cell_area * (sigma - strength * dot)
            else:
                share = nz / (2.0 * spacing)
                nx = share * (ground.base[r, col + c0 + 1] - ground.base[row + r0 + 2, col + c0 + 1])
                ny = share * (ground.base[row + r0 + 1, c] - ground.base[row + r0 + 1, col + c0 + 2])
                vn = vx * nx + vy * ny + vz * nz
                vx -= vn * nx
                vy -= vn * ny
                vz -= vn * nz
                speed = math.sqrt(vx * vx + vy * vy + vz * vz)
                sigma -= vn * soil[DAMPING]
                shear[r, c, 0] += speed * dt
                strength = soil[COHESION] + sigma * soil[TAN_PHI]
                tau = strength * (1.0 - math.exp(-shear[r, c, 0] / soil[JANOSI]))
                scale = -tau / speed if speed > 0.0 else 0.0
                area = cell_area
                ex = area * (sigma * nx + scale * vx)
                ey = area * (sigma * ny + scale * vy)
                ez = area * (sigma * nz + scale * vz)
            fx += ex
            fy += ey
            fz += ez
            tx += py * ez - pz * ey
            ty += pz * ex - px * ez
            tz += px * ey - py * ex
            loaded += 1
            area_sum += area
            pressure_sum += sigma * area
            deepest = max(deepest, s)
    wrench.force[0], wrench.force[1], wrench.force[2] = fx, fy, fz
    wrench.torque[0], wrench.torque[1], wrench.torque[2] = tx, ty, tz
    stats = wrench.stats
    stats[STAT_LOADED_NODES] = loaded
    stats[STAT_LOADED_AREA] = area_sum
    stats[STAT_MAX_SINKAGE] = deepest
    stats[STAT_DISPLACED] = displaced * cell_area
    if loaded > 0:
        stats[STAT_MEAN_PRESSURE] = pressure_sum / area_sum
