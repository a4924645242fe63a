# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""State of one rigid body of a set, which another set can load."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.ground_contact import BodyMemory
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.friction_memory import PartFriction
from regolith_world.cycle import Part, Saved, StateField, StateLayout, state_fields

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

AROUND = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
"""Places at which the soil below a sleeping body is watched, in units of 0.7 of its reach, shape (9, 2)."""


class MemberState(Saved):
    """State of one body except its pose and twist, with the memory of its contacts."""

    STATE = StateLayout(
        'a rigid body on the ground',
        *state_fields('|b1', 'awake', 'in_bed', shared=True),
        *state_fields('<i8', 'quiet_ns', shared=True),
        *state_fields('<f8', 'contact_force', 'footprint', 'resting_pose', shared=True),
        StateField('memories', Part(1)),
        StateField('friction', Part(1)),
    )

    def __init__(
        self,
        awake: Flags,
        in_bed: Flags,
        quiet_ns: Indices,
        contact_force: Floats,
        footprint: Floats,
        resting_pose: Floats,
        memories: list[BodyMemory],
        friction: PartFriction,
    ) -> None:
        """Refer to the state of a body in the arrays of a set, see :class:`regolith_terrain.bodies.RigidBodies`.

        Args:
            awake: Whether it is computed, shape (1,).
            in_bed: Whether it lies in soil that does not have its shape yet, shape (1,).
            quiet_ns: Time for which it has been at rest [ns], shape (1,); see :mod:`regolith_terrain.bodies.sleep`.
            contact_force: Mean contact force over the last cycle [N], shape (3,).
            footprint: Level of the soil at :data:`AROUND` [m], shape (9,).
            resting_pose: Pose near which it has been since ``quiet_ns`` began: position [m], quaternion (x, y, z, w),
                shape (7,); NaN: none.
            memories: Memory of its contact with the ground.
            friction: Memory of its contact with solids and other bodies.
        """
        self.awake, self.in_bed, self.quiet_ns = awake, in_bed, quiet_ns
        self.contact_force, self.footprint, self.resting_pose = contact_force, footprint, resting_pose
        self.memories, self.friction = memories, friction
        self.kept: bytes | None = None
        """State of a body that has not changed."""

    def save(self) -> bytes:
        """Return the state as bytes."""
        if self.kept is None:
            self.kept = super().save()
        return self.kept

    def setters(self, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state from :meth:`save`."""
        self.kept = None
        return super().setters(blob)


def join_memory(description: bytes, state: bytes) -> bytes:
    """Return description and state of a body as bytes."""
    return struct.pack('<q', len(description)) + description + state


def split_memory(memory: bytes) -> tuple[bytes, bytes]:
    """Return description and state from :func:`join_memory`.

    Raises:
        ValueError: If the bytes are too short.
    """
    (length,) = struct.unpack_from('<q', memory) if len(memory) >= 8 else (-1,)
    if not 0 <= length <= len(memory) - 8:
        raise ValueError(f'{len(memory)} bytes are no memory of a rigid body')
    return memory[8 : 8 + length], memory[8 + length :]
