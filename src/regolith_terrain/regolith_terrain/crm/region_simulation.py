# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of a CRM region with the parts of its vehicle.

Soil in boxes around nearby parts moves, and so does soil that still flows. All other soil is frozen. Walls and floor
are markers. Walls extend some layers above the surface, so soil does not leave the region, but parts of a vehicle pass
through them. Parts have markers only while they are near.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.constants import SHAPE_CYLINDER
from regolith_terrain.contact.ground_contact import LooseBodies
from regolith_terrain.contact.surfels import Surfels
from regolith_terrain.crm import loose_bodies
from regolith_terrain.crm.arrays import SOIL, BoundaryBodies, Floats, make_bodies
from regolith_terrain.crm.initialization import initial_particles, markers_of
from regolith_terrain.crm.loose_bodies import NO_BODIES, BodyMarkers
from regolith_terrain.crm.mesh_markers import mesh_markers
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.region import MARGIN, ParticleRegion
from regolith_terrain.crm.surface import Columns, free_surface, sort_columns, weigh
from regolith_terrain.crm.surfels import surface_surfels
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.height_field import HeightField
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math

_PARKED_M = 2.0
"""Depth below the floor, at least, of particles that have left the region [m]; they stay there, out of reach."""
_STIRRED = 0.1
"""Distance from its initial position, in spacings, beyond which soil is no longer undisturbed."""


class RegionSimulation(Saved):
    """Particles of a region, the parts of its vehicle in them, and the resulting surface.

    The state is that right after :meth:`settle`.
    """

    STATE = StateLayout(
        'a particle region',
        StateField('length', 'q'),
        StateField('count', 'q', same=True),
        StateField('soil', bytes, ('length',), last=True),
        StateField('nearby', '|b1'),
        *state_fields('<f8', *(f'poses.{name}' for name in BoundaryBodies._fields), shared=True),
        *state_fields('<f8', '_level', '_borne'),
        *state_fields('<f8', 'force', 'torque', shared=True),
        tag=b'REGCRM01',
    )

    def __init__(
        self,
        region: ParticleRegion,
        field: HeightField,
        gravity: Floats,
        shapes: Shapes,
        reach: Floats,
        spacing: float,
        tool_surfaces: Mapping[int, Floats] | None = None,
    ) -> None:
        """Create the particles.

        Args:
            region: Region of particles.
            field: Undisturbed surface.
            gravity: Gravity [m/s^2], shape (3,).
            shapes: Shapes of the vehicle's parts.
            reach: Radius of a sphere about each that encloses it [m], shape (n,).
            spacing: Grid node spacing [m].
            tool_surfaces: Closed surfaces of tools, see
                :attr:`regolith_terrain.contact.ground_contact.ContactSetting.tool_surfaces`.

        Raises:
            ValueError: If a part's mesh is not closed.
        """
        surfaces = tool_surfaces or {}
        self.region, self.spacing = region, spacing
        self._field, self._gravity = field, gravity
        self._markers = markers_of(shapes, region.spacing, surfaces)
        self.reach = reach.copy()
        for part, corners in surfaces.items():
            self.reach[part] = max(reach[part], math.sqrt(float((corners * corners).sum(axis=2).max())))
        self._tools = np.array(sorted(surfaces), np.int64)
        self._tool_is_round = shapes.kind[self._tools] == SHAPE_CYLINDER
        self._tool_half = np.abs(shapes.size[self._tools, :3])
        i0, i1, j0, j1 = self._bounds = region.nodes(spacing)
        i, j = np.meshgrid(np.arange(i0, i1), np.arange(j0, j1), indexing='ij')
        self._i, self._j = i.reshape(-1).astype(np.int32), j.reshape(-1).astype(np.int32)
        self._base = field.nodes(i0, i1, j0, j1, spacing).reshape(-1)
        self._quanta = round(region.soil.density_kgpm3 * region.spacing**3 / spacing**2 / MASS_QUANTUM_KGPM2)
        self.force, self.torque = np.zeros((len(reach), 3)), np.zeros((len(reach), 3))
        """Force of soil on each part [N] and torque about its center [N m], means over the last :meth:`advance`, shape
        (n, 3).
        """
        self.reset()

    def reset(self) -> None:
        """Reset the particles to their initial positions."""
        region, parts = self.region, len(self.reach)
        laid = initial_particles(region, self._field)
        self._trough, self._is_ground, self._laid = laid.trough, laid.ground, laid.soil
        self._low, self._high = self._trough.min(axis=0), self._trough.max(axis=0)
        self._near, self._loose = np.zeros(parts, np.bool_), NO_BODIES
        self.bed = self._made(laid.soil)
        self.bed.lay_at_rest(laid.top)
        self._place_boxes()
        self.bed.sort()
        count = len(self._base)
        self._level, self._borne = self._base.copy(), np.zeros(count)
        self._whole = self._mass()
        self._moved_mass = np.zeros(count, np.int64)
        self._carried = np.zeros(parts, np.int64)
        self.released = np.zeros((0, 6))
        """Positions [m] and velocities [m/s] of the particles that left in the last cycle, shape (n, 6)."""
        self._flat = np.empty(count)
        self._look(np.ones(count, np.bool_), self._flat, np.empty(count))
        self.force[:] = self.torque[:] = 0.0

    def _made(self, places: Floats) -> ParticleBed:
        """Return a bed with markers of the nearby parts, and soil at rest at given positions [m], shape (n, 3)."""
        region, here = self.region, np.flatnonzero(self._near).tolist()
        local = [self._trough, *(self._markers[part] for part in here), *self._loose.local]
        count = 1 + len(self._near) + len(self._loose.names)
        owners = [0, *(1 + part for part in here), *range(1 + len(self._near), count)]
        body = np.repeat(np.array(owners, np.int32), [len(part) for part in local])
        gx, gy, gz = self._gravity.tolist()
        return ParticleBed(
            region.soil,
            region.settings,
            (gx, gy, gz),
            places,
            np.concatenate(local),
            body,
            make_bodies(count),
            region.threads,
        )

    # -- motion -------------------------------------------------------------------------------------------------

    def advance(
        self,
        duration: float,
        center: Floats,
        rotation: Floats,
        velocity: Floats,
        spin: Floats,
        loose: LooseBodies | None = None,
    ) -> None:
        """Advance the soil while parts move with their twists, and store the mean forces on them.

        Args:
            duration: Time to advance [s].
            center: Centers of the first parts, which may touch the terrain, at the start [m], shape (k, 3).
            rotation: Axes of their shapes as columns, shape (k, 3, 3).
            velocity: Velocities of the centers [m/s], shape (k, 3).
            spin: Angular velocities, world axes [rad/s], shape (k, 3).
            loose: Loose bodies, to whose wrenches the mean wrenches of the soil are added; None: there are none.

        Raises:
            FloatingPointError: If the soil diverges.
            ValueError: If the surface of a body is not closed.
        """
        self.force[:] = self.torque[:] = 0.0
        near = np.zeros(len(self.reach), np.bool_)
        k = len(center)
        margin = self.reach[:k, None] + self.bed.reach
        top = self._high + margin
        top[self._carried[:k] > 0, 2] = math.inf  # the soil in a lifted tool
        near[:k] = ((center > self._low - margin) & (center < top)).all(axis=1)
        here, first = np.flatnonzero(near), 1 + len(near)
        within = [] if loose is None else self._bodies_within(loose)
        names = () if loose is None else tuple(loose.names[n] for n in within)
        come_or_gone = not np.array_equal(near, self._near) or names != self._loose.names
        if come_or_gone:
            old, self._near, self._loose = self.bed, near, self._body_markers(loose, within)
            self.bed = self._made(np.zeros((old.soil_count, 3)))
            self.bed.take_soil(old)
        bed, bodies = self.bed, self.bed.bodies
        bodies.center[1 + here], bodies.rotation[1 + here] = center[here], rotation[here]
        bodies.velocity[1 + here], bodies.spin[1 + here] = velocity[here], spin[here]
        if loose is not None and within:
            bodies.center[first:], bodies.rotation[first:] = loose.center[within], loose.rotation[within]
            bodies.velocity[first:], bodies.spin[first:] = loose.velocity[within], loose.spin[within]
        if come_or_gone:
            self._place_boxes()
            bed.sort()
        if not bed.moving_count:
            bed.t += duration
            return
        longest = min(self.region.step, bed.largest_step())
        count = max(1, math.ceil(duration / longest * (1.0 - 1e-9)))
        for _ in range(count):
            bed.step(duration / count)
            self.force += bed.force[1:first] / count
            self.torque += bed.torque[1:first] / count
            if loose is not None and within:
                loose.force[within] += bed.force[first:] / count
                loose.torque[within] += bed.torque[first:] / count
            for body in (*(1 + here).tolist(), *range(first, len(bodies.center))):
                turn = _rotated(bodies.spin[body] * (duration / count))
                bodies.center[body] += bodies.velocity[body] * (duration / count)
                bodies.rotation[body] = portable_math.times(turn, bodies.rotation[body])

    def _bodies_within(self, loose: LooseBodies) -> list[int]:
        """Return the indices of the loose bodies that can touch the region."""
        reach = np.array([math.sqrt(float((corners**2).sum(axis=2).max())) for corners in loose.surfaces])
        margin = reach[:, None] + self.bed.reach
        near = ((loose.center > self._low - margin) & (loose.center < self._high + margin)).all(axis=1)
        return np.flatnonzero(near).tolist()

    def _body_markers(self, loose: LooseBodies | None, within: list[int]) -> BodyMarkers:
        """Return the markers of some loose bodies; those that are known are kept."""
        if loose is None or not within:
            return NO_BODIES
        known = dict(zip(self._loose.names, self._loose.local, strict=True))
        names = tuple(loose.names[n] for n in within)
        local = [known.get(name) for name in names]
        made = (
            mesh_markers(loose.surfaces[n], self.region.spacing) if old is None else old
            for n, old in zip(within, local, strict=True)
        )
        return BodyMarkers(names, tuple(made))

    def _place_boxes(self) -> None:
        """Set the boxes of moving soil around the nearby parts."""
        here = np.flatnonzero(self._near)
        margin = (self.reach[here] + MARGIN * self.region.spacing)[:, None]
        center = self.bed.bodies.center[1 + here]
        boxes = np.concatenate((center - margin, center + margin), axis=1)
        # From the floor up, for any height of the part.
        boxes[:, 2], boxes[:, 5] = self._low[2] - 1.0, self._high[2] + 1e3
        for row, part in enumerate(here.tolist()):
            if part in self._tools:  # long, and often lifted: its sphere would move much more soil
                boxes[row] = self._box_around(self._markers[part], 1 + part)
        loose = [self._box_around(local, 1 + len(self._near) + n) for n, local in enumerate(self._loose.local)]
        self.bed.boxes = np.concatenate((boxes, np.array(loose).reshape(-1, 6)))

    def _box_around(self, local: Floats, body: int) -> Floats:
        """Return the box of moving soil around the markers of a body [m], shape (6,)."""
        bodies, edge = self.bed.bodies, (0.5 + MARGIN) * self.region.spacing
        place = bodies.center[body] + portable_math.times(local, bodies.rotation[body].T)
        return np.concatenate((place.min(axis=0) - edge, place.max(axis=0) + edge))

    # -- the surface --------------------------------------------------------------------------------------------

    def settle(self, fields: tuple[str, ...]) -> NodeRecords:
        """Finish a cycle: sort the soil and return the nodes with changed surface or mass, sorted by (i, j).

        Args:
            fields: Names of the node fields.

        Raises:
            FloatingPointError: If soil has left the region.
        """
        bed = self.bed
        self._place_boxes()
        awake = self._near_moving()  # before some soil freezes
        self._release()
        bed.reset_limits()
        bed.sort()
        self._count_carried()
        if not awake.any():
            return NodeRecords.empty(fields)
        level, borne = self._flat.copy(), np.zeros(len(awake))
        self._look(awake, level, borne)
        level = np.where(awake, self._base + (level - self._flat), self._level)
        borne = np.maximum(borne, self._borne)
        mass = self._mass() - self._whole
        changed = (level != self._level) | (borne != self._borne) | (mass != self._moved_mass)
        self._level, self._borne, self._moved_mass = level, borne, mass
        return self._records(changed, fields)

    def _records(self, nodes: NDArray[np.bool_], fields: tuple[str, ...]) -> NodeRecords:
        level, base = self._level[nodes], self._base[nodes]
        initial = np.maximum(level, base)
        values = {
            'level_initial': initial,
            'level': level,
            'sinkage_plastic': initial - level,
            'sigma_yield': self._borne[nodes],
            'mass_kgpm2': self._moved_mass[nodes] * MASS_QUANTUM_KGPM2,
        }
        none = np.zeros(len(level))
        table = np.stack([values.get(name, none) for name in fields])
        return NodeRecords.from_values(self._i[nodes], self._j[nodes], table, fields)

    def _mass(self) -> NDArray[np.int64]:
        """Return the mass of each node's column in quanta, shape (n,)."""
        i0, i1, j0, j1 = self._bounds
        mass = np.zeros((i1 - i0, j1 - j0), np.int64)
        here = self.bed.particles[:, 2] > self._low[2] - 0.5 * _PARKED_M
        rows = np.flatnonzero((self.bed.kind == SOIL) & here & (self._carried_in() < 0))
        weigh(self.bed.particles, rows, self._quanta, i0, j0, self.spacing, mass)
        return mass.reshape(-1)

    def _carried_in(self) -> NDArray[np.int64]:
        """Return the part in whose shape each particle of soil is, of tools in the region, else -1, shape (n,)."""
        bed, bodies = self.bed, self.bed.bodies
        found = np.full(len(bed.kind), -1, np.int64)
        for part, is_round, half in zip(self._tools.tolist(), self._tool_is_round, self._tool_half, strict=True):
            if not self._near[part]:
                continue
            rows = np.flatnonzero(bed.kind == SOIL)
            x, y, z = (bed.particles[rows, :3] - bodies.center[1 + part]).T
            turn = bodies.rotation[1 + part]
            a, b, c = (turn[0, k] * x + turn[1, k] * y + turn[2, k] * z for k in range(3))
            across = a * a + c * c < half[0] ** 2 if is_round else (np.abs(a) < half[0]) & (np.abs(c) < half[2])
            found[rows[across & (np.abs(b) < half[1])]] = part
        return found

    def _count_carried(self) -> None:
        part = self._carried_in()
        self._carried = np.bincount(part[part >= 0], minlength=len(self.reach))

    def released_parcels(self) -> Floats:
        """Return the soil that left in the last cycle: mass per area of a grid node [kg/m^2], position [m], velocity
        [m/s], shape (n, 7).
        """
        mass = np.full((len(self.released), 1), self._quanta * MASS_QUANTUM_KGPM2)
        return np.concatenate((mass, self.released), axis=1)

    def carried_mass(self) -> Floats:
        """Return the mass of soil inside each tool's shape [kg], shape (n,); exact in quanta.

        It is no part of the ground: the region's nodes lack it, and the surface is that of the soil below.
        """
        return self._carried.astype(np.float64) * (self._quanta * MASS_QUANTUM_KGPM2 * self.spacing**2)

    def _columns(self, carried: bool = False) -> Columns:
        """Return all particles and markers that form the surface, with or without the soil carried in tools."""
        bed = self.bed
        soil = (bed.kind == SOIL) & (carried | (self._carried_in() < 0))
        # Markers of the trough come first; those of parts do not form the surface.
        last = len(self._is_ground) - 1
        rows = np.flatnonzero(soil | (self._is_ground[np.minimum(bed.label, last)] & (bed.label <= last)))
        return sort_columns(
            bed.particles[rows],
            soil[rows].astype(np.uint8),
            self._low[:2],
            self._high[:2],
            bed.scheme.length,
            self.region.spacing,
        )

    def _look(self, nodes: NDArray[np.bool_], level: Floats, pressure: Floats) -> None:
        """Write height and pressure of the particle surface at selected nodes."""
        x, y = self._i[nodes] * self.spacing, self._j[nodes] * self.spacing
        found, borne = np.empty(len(x)), np.empty(len(x))
        free_surface(self._columns(), x, y, found, borne)
        level[nodes], pressure[nodes] = found, borne

    def discs(self) -> Surfels:
        """Return the surface of moving soil, right after :meth:`settle`, without a change of state.

        Soil at its initial position is omitted: it is the undisturbed surface, which all participants have.
        """
        bed = self.bed
        place = bed.moving_places()
        away = place - self._laid[bed.moving_labels()]
        stirred = np.einsum('ij,ij->i', away, away) > (_STIRRED * self.region.spacing) ** 2
        return surface_surfels(self._columns(carried=True), place[stirred]) if stirred.any() else Surfels.none()

    def _near_moving(self) -> NDArray[np.bool_]:
        """Return which nodes are within the kernel's reach of moving soil, by squares of that size, shape (n,)."""
        edge, place = self.bed.reach, self.bed.moving_places()[:, :2]
        low = self._low[:2] - 3.0 * edge
        size = np.floor((self._high[:2] - low) / edge).astype(np.int64) + 4
        busy = np.zeros(tuple(int(v) for v in size), np.bool_)
        a, b = np.clip(np.floor((place - low) / edge).astype(np.int64), 1, size - 2).T
        busy[a, b] = True
        for axis in (0, 1):
            busy = busy | np.roll(busy, 1, axis) | np.roll(busy, -1, axis)
        nodes = np.stack((self._i, self._j), axis=1) * self.spacing
        a, b = np.floor((nodes - low) / edge).astype(np.int64).T
        found: NDArray[np.bool_] = busy[a, b]
        return found

    def _release(self) -> None:
        """Move soil that flew over the edge out of reach, and store its positions and velocities."""
        bed, place = self.bed, self.bed.moving_places()
        over = ((place[:, :2] < self._low[:2]) | (place[:, :2] > self._high[:2])).any(axis=1)
        lost = ~(place[:, 2] > self._low[2])
        if lost.any() or (over.any() and not len(self._tools)):
            x, y, z = place[lost | over][0].tolist()
            raise FloatingPointError(f'soil leaves region {self.region.name!r} at ({x:.3g}, {y:.3g}, {z:.3g}) m')
        rows, label = bed.moving_rows()[over], bed.moving_labels()[over]
        order = np.argsort(label)
        self.released = bed.particles[rows[order], :6].copy()
        nx, ny, _ = self.region.counts
        d = self.region.spacing
        # On a lattice by their numbers: no cell gets many.
        bed.particles[rows, 0] = self._low[0] + d * (label % nx)
        bed.particles[rows, 1] = self._low[1] + d * (label // nx % ny)
        bed.particles[rows, 2] = self._low[2] - _PARKED_M - d * (label // (nx * ny))
        bed.particles[rows, 3:] = 0.0

    def statistics(self) -> dict[str, float]:
        """Return the statistics of the region for a report.

        ``surface_error`` is the volume gained by the surface over that of the soil below changed nodes. Soil is neither
        created nor lost, so it should be zero.
        """
        changed = self._level != self._base
        soil = float(np.count_nonzero(changed)) * self.region.depth
        rise = math.fsum((self._level - self._base)[changed].tolist())
        return {
            'particles': self.bed.soil_count,
            'moving': self.bed.moving_count,
            'surface_error': rise / soil if soil > 0.0 else 0.0,
            'deepest_m': float((self._base - self._level).max()),
            'highest_m': float((self._level - self._base).max()),
        }

    # -- state --------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of nodes of the grid in the region."""
        return len(self._level)

    @property
    def nearby(self) -> NDArray[np.bool_]:
        """Parts with markers, shape (n,); a bed without their markers is replaced."""
        return self._near

    @nearby.setter
    def nearby(self, near: NDArray[np.bool_]) -> None:
        if not np.array_equal(near, self._near):
            self._near = near
            self.bed = self._made(np.zeros((self.bed.soil_count, 3)))

    @property
    def poses(self) -> BoundaryBodies:
        """Poses and twists of the parts."""
        return BoundaryBodies(*(part[1 : 1 + len(self._near)] for part in self.bed.bodies))

    @property
    def soil(self) -> bytes:
        """State of the bed and of loose bodies in it; it is restored among the parts at their poses."""
        return loose_bodies.pack(self._loose, self.bed.bodies, 1 + len(self._near), self.bed.save())

    @soil.setter
    def soil(self, saved: bytes) -> None:
        kept, first = loose_bodies.unpack(saved), 1 + len(self._near)
        if kept.bodies.names or self._loose.names:
            parts = [part[:first].copy() for part in self.bed.bodies]
            self._loose = kept.bodies
            self.bed = self._made(np.zeros((self.bed.soil_count, 3)))
            for part, old in zip(self.bed.bodies, parts, strict=True):
                part[:first] = old
            loose_bodies.place(self.bed.bodies, first, kept.poses)
        self._place_boxes()
        self.bed.load(kept.soil)
        self._moved_mass = self._mass() - self._whole
        self._count_carried()


def _rotated(turn: Floats) -> Floats:
    """Return the rotation by a vector of angle and axis [rad], shape (3, 3)."""
    angle = portable_math.norm(turn)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = (turn / angle).tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Floats = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * portable_math.times(cross, cross)
    return rotation
