# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies that the world assigns to a vehicle, which computes them in its own substeps.

The world decides in each cycle which bodies these are (:mod:`regolith_world.contacts.body_assignment`). Wheels and hull
press them as they press rocks, and the bodies receive the opposite forces in the same substep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies import (
    BodiesConfig,
    BodyDescription,
    BodyGround,
    BodyStep,
    RigidBodies,
    as_solids,
    check_bodies,
    largest_ways,
    lift_bodies,
    make_beds,
    neighbors,
    prepare_cycle,
    rest,
    restored_description,
    shapes,
    soil_margins,
    solids_near,
    split_memory,
    step_arrays,
    wake_disturbed,
)
from regolith_terrain.contact import LooseBodies, Press
from regolith_terrain.grid import SoilWindow
from regolith_terrain.solids import NOTHING_MOVES, STIFFEST, MovingSolids, NearbySolids
from regolith_world.cycle import ComputedBody, Cycle, Saved, StateLayout, decode_record, encode_record, state_fields
from regolith_world.numerics import rotation

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]

DEPTH_M = 5e-4
"""Depth of a wheel in a light body under its share of the weight [m]."""
MOST_PARTS = 4
"""Largest number of parts of a substep."""
_KEPT = StateLayout('assigned bodies', *state_fields(bytes, 'described', 'state'))


@dataclass(slots=True)
class NearBodies:
    """Bodies of a cycle before its soil window is known."""

    members: list[int]
    """Indices of the bodies, ascending."""
    ways: Vector
    """Distance that each of them can move [m]."""
    met: Flags
    """Parts of the vehicle that can touch a body, shape (parts,)."""
    first_solid: int = -1
    """See :attr:`regolith_terrain.bodies.BodyStep.first_solid`."""


class AssignedBodies(Saved):
    """Bodies of the scenario that a vehicle computes at present."""

    def __init__(self, vehicle: str, section: BodiesConfig, ground: BodyGround) -> None:
        """Create an empty assignment.

        Args:
            vehicle: Name of the vehicle.
            section: Section ``bodies`` of the scenario.
            ground: The ground of the vehicle.
        """
        self.vehicle, self.section, self.ground = vehicle, section, ground
        self.bodies: RigidBodies | None = None
        """The bodies; none: no body is assigned."""
        self._described = b''
        """Descriptions of the bodies as bytes."""
        self._members: list[int] = []

    # -- protocol -------------------------------------------------------------------------------------------------

    def follow(self, cycle: Cycle) -> None:
        """Take and release bodies as the world has assigned them; take their committed states and impulses."""
        own = {each.name: each.memory for each in cycle.assigned if each.participant == self.vehicle}
        if list(own) != ([] if self.bodies is None else self.bodies.names):
            self._replace(own, cycle)
        self._members = []
        if self.bodies is not None:
            self._members = self.bodies.follow(cycle)
            wake_disturbed(self.bodies, self._members)
            lift_bodies(self.bodies, self._members)
            for n in self._members:
                if self._in_own_region(n) and not self.bodies.awake[n]:
                    self.bodies.wake(n)

    def _in_own_region(self, n: int) -> bool:
        """Return whether a body can touch a region of moving soil of the vehicle; such a body never sleeps."""
        assert self.bodies is not None
        x, y, _ = self.bodies.position[n].tolist()
        return any(region.distance(x, y) < self.bodies.reach[n] for region in self.ground.soils.owned)

    def _replace(self, own: dict[str, bytes], cycle: Cycle) -> None:
        """Replace the set of bodies; those that stay keep their states and memories."""
        old = self.bodies
        kept = {} if old is None else {body.name: body for body in old.bodies}
        described = [
            restored_description(name, split_memory(memory)[0]) if memory else kept[name]
            for name, memory in own.items()
            if memory or name in kept
        ]
        if not described:
            self.bodies = None
            return
        self._make(described)
        bodies, states = self.bodies, {body.name: body for body in cycle.bodies}
        assert bodies is not None
        if old is not None:
            bodies.take(old)
        for name, n in bodies.index.items():
            if own[name]:
                bodies.load_memory(n, own[name])
                bodies.move(n, states[name])

    def _make(self, described: Sequence[BodyDescription]) -> None:
        """Make the set of bodies; their states must follow."""
        self.bodies = RigidBodies(described, self.ground, self.section)
        self._described = encode_record({body.name: body.save() for body in described})

    def computed(self) -> tuple[ComputedBody, ...]:
        """Return the bodies at the end of the cycle."""
        bodies = self.bodies
        if bodies is None:
            return ()
        return bodies.computed(self._members)

    # -- cycle ----------------------------------------------------------------------------------------------------

    def near(self, balls: Vector, duration: float, acceleration: float) -> NearBodies | None:
        """Return the bodies to advance in a cycle; none: all of them sleep, and no part can touch one.

        Args:
            balls: Bounding spheres of the vehicle's parts over the cycle: x, y, z, radius [m], shape (parts, 4).
            duration: Duration of the cycle [s].
            acceleration: Largest acceleration of a body [m/s^2].

        Raises:
            FloatingPointError: If a body is too fast.
        """
        bodies, rows = self.bodies, self._members
        if bodies is None or not rows:
            return None
        awake = bodies.awake[rows]
        ways = np.where(awake, largest_ways(bodies, rows, duration, acceleration), 0.0)
        apart = balls[:, None, :3] - bodies.position[rows][None]
        gap = np.sqrt(np.sum(np.square(apart), axis=2)) - balls[:, 3:] - (bodies.reach[rows] + ways)[None]
        met = gap < 0.0
        kept = awake | met.any(axis=0)
        if not kept.any():
            return None
        members, asleep = np.array(rows)[kept], np.array(rows)[~kept]
        # A body that wakes within the cycle moves, too, and may touch others.
        ways = largest_ways(bodies, members, duration, acceleration)
        members = np.union1d(members, neighbors(bodies, members, ways, asleep, duration)).tolist()
        ways = largest_ways(bodies, members, duration, acceleration)
        return NearBodies(members, ways, met.any(axis=1))

    def as_solids(self, near: NearBodies, solids: NearbySolids) -> tuple[NearbySolids, MovingSolids]:
        """Return the solids near the vehicle with the bodies behind them."""
        bodies = self.bodies
        if bodies is None or not near.met.any():
            return solids, NOTHING_MOVES
        near.first_solid = len(solids.number)
        return as_solids(bodies, near.members, solids)

    def places(self, near: NearBodies) -> tuple[Vector, Vector, Vector]:
        """Return positions [m], velocities [m/s] and margins [m] of the soil that the bodies need, one row each."""
        bodies, rows = self.bodies, near.members
        assert bodies is not None
        margins = soil_margins(bodies, rows, np.zeros(len(rows)))
        return bodies.position[rows, :2], bodies.velocity[rows, :2], margins

    def split(self, near: NearBodies, step: float, load: float) -> int:
        """Return the number of parts into which a substep is split, 1 to MOST_PARTS.

        An explicit spring is at most STIFFEST m / h^2 stiff, with the effective mass of its point, about a third of a
        light body. Under the load of a wheel, its depth is at most DEPTH_M where the substep is short enough.

        Args:
            near: Bodies of the cycle.
            step: Substep [s].
            load: Load of a wheel [N].
        """
        bodies = self.bodies
        if bodies is None or not near.met.any():
            return 1
        lightest = float(bodies.mass[near.members].min()) / 3.0
        return min(MOST_PARTS, max(1, math.ceil(step * math.sqrt(load / (STIFFEST * lightest * DEPTH_M)))))

    def step_arrays(self, near: NearBodies, window: SoilWindow, count: int) -> BodyStep:
        """Return the bodies of a cycle for :func:`regolith_terrain.bodies.place_bodies` and the substep of bodies."""
        bodies = self.bodies
        assert bodies is not None
        numbers, _ = solids_near(bodies, near.members, near.ways)
        prepare_cycle(bodies, near.members)
        make_beds(bodies, window, near.members)
        return step_arrays(bodies, window, near.members, numbers, count, near.first_solid, bodies.geometry)

    def in_moving_soil(self, members: Sequence[int]) -> LooseBodies:
        """Return the present states of some bodies for the contact of the vehicle with moving soil."""
        bodies = self.bodies
        assert bodies is not None
        order = sorted(members, key=lambda n: bodies.names[n])
        geometry = bodies.geometry
        surfaces = [
            geometry.vertices[geometry.triangles[geometry.first_triangle[n] : geometry.first_triangle[n + 1]]]
            for n in order
        ]
        return LooseBodies(
            tuple(bodies.names[n] for n in order),
            np.array(order, dtype=np.int64),
            tuple(surfaces),
            bodies.position[order],
            np.array([rotation.matrix(bodies.orientation[n]) for n in order]).reshape(-1, 3, 3),
            bodies.velocity[order],
            bodies.spin[order],
            np.zeros((len(order), 3)),
            np.zeros((len(order), 3)),
        )

    def take_wrenches(self, loose: LooseBodies) -> None:
        """Apply the wrenches of moving soil to bodies in the next substeps."""
        assert self.bodies is not None
        self.bodies.contact.take_wrenches(loose)

    def finish(self, near: NearBodies, window: SoilWindow, arrays: BodyStep, duration_ns: int) -> None:
        """Store the memory of the contacts after a cycle, and let bodies at rest sleep.

        Raises:
            FloatingPointError: If a body is lost.
        """
        assert self.bodies is not None
        check_bodies(self.bodies, 0, near.members)
        self.bodies.contact.remember(window, arrays.ground)
        rest(self.bodies, near.members, duration_ns)

    @property
    def press(self) -> Press:
        """Contact of the bodies with the ground."""
        assert self.bodies is not None
        return self.bodies.contact.press

    def check(self, status: int) -> None:
        """Raise the error of a status of the substep of bodies.

        Raises:
            FloatingPointError: Always, if the status is not 0.
        """
        assert self.bodies is not None
        check_bodies(self.bodies, status, ())

    def warm_up(self, position: Vector) -> None:
        """Add a ball at a position [m] that a cycle computes; :meth:`load` removes it."""
        self._make([BodyDescription('ball', shapes.sphere(0.1), 5.0)])
        assert self.bodies is not None
        self.bodies.place(0, position)
        self._members = [0]

    # -- state ----------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Return the state as bytes; without bodies none."""
        bodies = self.bodies
        if bodies is None:
            return b''
        return _KEPT.pack(SimpleNamespace(described=self._described, state=bodies.save()))

    def load(self, blob: bytes) -> None:
        """Restore the state from :meth:`save`.

        Raises:
            ValueError: If the bytes are not such a state.
        """
        if not blob:
            self.bodies, self._members = None, []
            return
        kept = _KEPT.values(blob)
        if self.bodies is None or self._described != kept.described:
            described = decode_record(dict[str, bytes], kept.described)
            self._make([restored_description(name, blob) for name, blob in described.items()])
        assert self.bodies is not None
        self.bodies.load(kept.state)
        self._members = list(range(len(self.bodies)))
