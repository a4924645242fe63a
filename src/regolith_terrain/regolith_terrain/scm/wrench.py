# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of one body with SCM soil for one step."""

from __future__ import annotations

import math

from regolith_terrain.contact.arrays import Shapes, Wrench
from regolith_terrain.contact.constants import (
    CONTACT_OK,
    LEFT_WINDOW,
    RING_POINTS,
    SCRATCH_TOO_SMALL,
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_GROUSERED,
    SHAPE_MESH,
    SHAPE_SPHERE,
    STAT_HIT_NODES,
)
from regolith_terrain.contact.lowest_point import lowest
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.arrays import Ground, Scratch
from regolith_terrain.scm.bulldozing import bulldoze, note_plastic_set
from regolith_terrain.scm.constants import CARRIES, ENABLED, HEIGHT, MODE_REFERENCE, SPREAD
from regolith_terrain.scm.loading import load_nodes, measure_patches
from regolith_terrain.scm.patches import find_runs
from regolith_terrain.scm.ring_profile import ring_heights
from regolith_terrain.scm.slip_sinkage import transport_margin, transport_soil
from regolith_terrain.scm.underside_heights import (
    box_heights,
    capsule_heights,
    ceiling,
    cylinder_heights,
    grouser_heights,
    mesh_heights,
    sphere_heights,
)
from regolith_world.numerics import kernel


@kernel(views_only=True)
def body_wrench(
    ground: Ground,
    soils: Floats,
    rules: Floats,
    mode: int,
    dt: float,
    shapes: Shapes,
    which: int,
    center: Floats,
    rotation: Floats,
    velocity: Floats,
    angular_velocity: Floats,
    shear: Floats,
    scratch: Scratch,
    wrench: Wrench,
) -> int:
    """Press a body into the soil for one step; return CONTACT_OK, LEFT_WINDOW or SCRATCH_TOO_SMALL.

    Args:
        ground: Window of soil, :class:`Ground`; changed in place.
        soils: Rows of k_phi, k_c, n, c, tan(phi), K, E, R, density
            (:meth:`regolith_terrain.scm.soil.ScmSoilConfig.parameters`), indexed by ``ground.region``, shape
            (m, 9).
        rules: Displacement rules (:meth:`regolith_terrain.config.TerrainConfig.displacement`), shape (RULES,).
        mode: MODE_REFERENCE or MODE_REGOLITH.
        dt: Step [s].
        shapes: Shapes of all bodies.
        which: Row of the body in ``shapes``.
        center: Origin of the shape, world [m], shape (3,).
        rotation: Axes of the shape in the world as columns, shape (3, 3); the axle of a wheel is its y axis.
        velocity: Velocity of the origin, world axes [m/s], shape (3,).
        angular_velocity: Angular velocity of the body, world axes [rad/s], shape (3,).
        shear: Input and output, shape (ni, nj, 2). Regolith mode: mobilized fraction of the shear strength (x, y) of
            *this* body, for the surface rotated level. Reference mode: (sliding path [m], unused), one array for all
            bodies of a vehicle.
        scratch: Work arrays, see :func:`make_scratch`.
        wrench: Output: wrench, see :class:`Wrench`.

    Source: krenn2009; serban2023.
    Checked by: test_scm_reference.py::test_scm_wheel_at_prescribed_slip_matches_chrono,
    test_scm_reference.py::test_scm_loading_and_unloading_match_chrono.
    """
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    kind = shapes.kind[which]
    size = shapes.size[which]
    flexible = kind == SHAPE_CYLINDER and size[RING_POINTS] > 0.0 and mode != MODE_REFERENCE
    shadow: tuple[int, int, int, int, int] = _rectangle(ground, mode, kind, size, center, rotation, rules, scratch)
    status, r0, r1, c0, c1 = shadow
    if status != CONTACT_OK:
        return status
    around = transport_margin(kind, size, ground.spacing)
    bounds = r0 - around, r1 + around, c0 - around, c1 + around
    floats = scratch.floats
    low, top = lowest(kind, size, center, rotation), ceiling(ground, mode, r0, r1, c0, c1)
    if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
        r0, r1, c0, c1 = _low_part(ground, kind, size, center, rotation, top, r0, r1, c0, c1, shear, mode)
        if r0 >= r1 or c0 >= c1:
            return CONTACT_OK
        cylinder_heights(ground, mode, size[0], size[1], center, rotation, r0, r1, c0, c1, floats)
        if flexible:
            ring_heights(ground, size, shapes.profile, center, rotation, r0, r1, c0, c1, floats)
    else:
        if low > top:  # the case of most shoes of a track
            if mode != MODE_REFERENCE:
                shear[r0:r1, c0:c1] = 0.0
            return CONTACT_OK
        floats[HEIGHT, : (r1 - r0) * (c1 - c0)] = math.inf
    if kind == SHAPE_GROUSERED:
        grouser_heights(ground, size, center, rotation, scratch.blade, top, r0, r1, c0, c1, floats)
    elif kind == SHAPE_BOX:
        box_heights(
            ground, center[0], center[1], center[2], rotation, size[0], size[1], size[2], top, r0, r1, c0, c1, floats
        )
    elif kind == SHAPE_MESH:
        mesh_heights(ground, shapes, which, center, rotation, top, r0, r1, c0, c1, floats)
    elif kind == SHAPE_SPHERE:
        sphere_heights(ground, center[0], center[1], center[2], size[0], top, r0, r1, c0, c1, floats)
    elif kind == SHAPE_CAPSULE:
        capsule_heights(ground, mode, size, center, rotation, top, r0, r1, c0, c1, floats)
    n_runs, hits = find_runs(ground, soils, mode, shear, r0, r1, c0, c1, floats, scratch.ints)
    wrench.stats[STAT_HIT_NODES] = hits
    if n_runs == 0:
        return CONTACT_OK
    measure_patches(floats, scratch.ints, n_runs, ground.spacing, mode != MODE_REFERENCE, wrench.stats)
    if rules[ENABLED] != 0.0:
        note_plastic_set(ground, r0, c0, c1 - c0, n_runs, scratch)
    plates = (0.0, 0.0, 0.0, 0.0)
    if kind == SHAPE_CYLINDER and size[3] > 0.0 and rules[CARRIES] != 0.0:
        plates = (2.0 * math.pi * size[0] / size[2], size[4], size[3], size[0])
    load_nodes(
        ground,
        soils,
        mode,
        dt,
        center,
        rotation,
        low,
        velocity,
        angular_velocity,
        shear,
        r0,
        c0,
        c1 - c0,
        n_runs,
        plates,
        flexible,
        scratch,
        wrench,
    )
    if rules[CARRIES] != 0.0:
        transport_soil(
            ground,
            soils,
            rules,
            dt,
            kind,
            size,
            center,
            rotation,
            velocity,
            angular_velocity,
            bounds,
            r0,
            c0,
            r1 - r0,
            c1 - c0,
            n_runs,
            scratch,
            wrench,
        )
    if rules[ENABLED] != 0.0:
        bulldoze(ground, soils, rules, r0, r1, c0, c1, n_runs, scratch)
    return CONTACT_OK


@kernel(views_only=True)
def _rectangle(
    ground: Ground,
    mode: int,
    kind: int,
    size: Floats,
    center: Floats,
    rotation: Floats,
    rules: Floats,
    scratch: Scratch,
) -> tuple[int, int, int, int, int]:
    """Return (status, first row, end row, first column, end column) of the body's shadow."""
    cx, cy = center[0], center[1]
    if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
        radius = size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)
        ax, ay = rotation[0, 1], rotation[1, 1]
        # Half extents: a disc of this radius seen edge-on spans R sqrt(1 - a^2), the axis adds w |a|.
        reach_x = radius * math.sqrt(max(0.0, 1.0 - ax * ax)) + size[1] * abs(ax)
        reach_y = radius * math.sqrt(max(0.0, 1.0 - ay * ay)) + size[1] * abs(ay)
    elif kind in (SHAPE_SPHERE, SHAPE_CAPSULE):
        reach_x = size[0] + size[1] * abs(rotation[0, 1])
        reach_y = size[0] + size[1] * abs(rotation[1, 1])
    else:
        reach_x = size[0] * abs(rotation[0, 0]) + size[1] * abs(rotation[0, 1]) + size[2] * abs(rotation[0, 2])
        reach_y = size[0] * abs(rotation[1, 0]) + size[1] * abs(rotation[1, 1]) + size[2] * abs(rotation[1, 2])
        if kind == SHAPE_MESH:
            cx += rotation[0, 0] * size[3] + rotation[0, 1] * size[4] + rotation[0, 2] * size[5]
            cy += rotation[1, 0] * size[3] + rotation[1, 1] * size[4] + rotation[1, 2] * size[5]
    spacing = ground.spacing
    # One more node on each side: there, regolith mode resets the shear of nodes that the body has just left.
    margin = 1 if mode != MODE_REFERENCE else 0
    r0 = int(math.ceil((cx - reach_x) / spacing)) - margin - ground.i0
    r1 = int(math.floor((cx + reach_x) / spacing)) + margin - ground.i0 + 1
    c0 = int(math.ceil((cy - reach_y) / spacing)) - margin - ground.j0
    c1 = int(math.floor((cy + reach_y) / spacing)) + margin - ground.j0 + 1
    spread = int(rules[SPREAD]) + 2 if rules[ENABLED] != 0.0 else 0
    around = max(spread, transport_margin(kind, size, spacing)) if rules[CARRIES] != 0.0 else spread
    status = CONTACT_OK
    a, b, c, d = r0 - around, r1 + around - 1, c0 - around, c1 + around - 1
    level = ground.level
    outside = a < 0 or c < 0 or b >= level.shape[0] or d >= level.shape[1]
    # Parts of a window may be undefined. The defined rectangles are larger than any shadow, so its corners are
    # sufficient.
    if outside or math.isnan(level[a, c] + level[a, d] + level[b, c] + level[b, d]):
        status = LEFT_WINDOW
    elif (r1 - r0 + 2 * spread) * (c1 - c0 + 2 * spread) > scratch.ints.shape[0]:
        status = SCRATCH_TOO_SMALL
    return status, r0, r1, c0, c1


@kernel(views_only=True)
def _low_part(
    ground: Ground,
    kind: int,
    size: Floats,
    center: Floats,
    rotation: Floats,
    top: float,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    shear: Floats,
    mode: int,
) -> tuple[int, int, int, int]:
    """Reduce the shadow of a wheel to its part below ``top`` and reset the shear of the rest.

    The shear is reset in regolith mode only. Points of the cylinder are c + s a + u h + v e with |s| <= w, u^2 + v^2 <=
    R^2, h horizontal and across the axle a, e across both. So v e_z <= top - cz + w |az| limits u.
    """
    radius = size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    upright = math.sqrt(max(0.0, 1.0 - az * az))
    down = center[2] - size[1] * abs(az) - top
    a, b, c, d = r0, r1, c0, c1
    if upright > 0.5 and down > 0.0:
        if down >= radius * upright:
            b = a
        else:
            chord = math.sqrt(radius * radius - down * down / (upright * upright)) / upright
            lean = size[1] + radius * abs(az) / upright
            margin = 1 if mode != MODE_REFERENCE else 0
            reach_x = chord * abs(ay) + lean * abs(ax)
            reach_y = chord * abs(ax) + lean * abs(ay)
            a = max(a, int(math.ceil((center[0] - reach_x) / ground.spacing)) - margin - ground.i0)
            b = min(b, int(math.floor((center[0] + reach_x) / ground.spacing)) + margin - ground.i0 + 1)
            c = max(c, int(math.ceil((center[1] - reach_y) / ground.spacing)) - margin - ground.j0)
            d = min(d, int(math.floor((center[1] + reach_y) / ground.spacing)) + margin - ground.j0 + 1)
    if mode != MODE_REFERENCE:
        for r in range(r0, r1):
            inside = a <= r < b
            for k in range(c0, c if inside else c1):
                shear[r, k, 0] = 0.0
                shear[r, k, 1] = 0.0
            for k in range(d if inside else c1, c1):
                shear[r, k, 0] = 0.0
                shear[r, k, 1] = 0.0
    return a, b, c, d
