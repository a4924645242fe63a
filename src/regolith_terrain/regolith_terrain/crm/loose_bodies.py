# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Loose bodies in a CRM region: which of them have markers, and their saved form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from regolith_terrain.crm.arrays import BoundaryBodies, Floats
from regolith_world.cycle import StateField, StateLayout, state_fields

TAG = b'REGLOOSE'
_KEPT = StateLayout(
    'loose bodies of a particle region',
    *state_fields('q', 'count', 'size', 'length'),
    StateField('names', bytes, ('size',)),
    StateField('counts', '<i8', ('count',)),
    StateField('markers', '<f8', ('length', 3)),
    StateField('poses', '<f8', ('count', 21)),
    StateField('soil', bytes),
    tag=TAG,
)


class BodyMarkers(NamedTuple):
    """Names of loose bodies and the markers of each."""

    names: tuple[str, ...]
    local: tuple[Floats, ...]
    """Markers in the frame of each body [m], shape (m, 3) each."""


NO_BODIES = BodyMarkers((), ())


class SavedRegion(NamedTuple):
    """Saved soil of a region with loose bodies in it."""

    bodies: BodyMarkers
    poses: Floats
    """Poses and twists, shape (n, 21)."""
    soil: bytes


def pack(bodies: BodyMarkers, poses: BoundaryBodies, first: int, soil: bytes) -> bytes:
    """Return the soil of a region with its loose bodies as bytes; without bodies the soil alone.

    Args:
        bodies: The loose bodies.
        poses: Poses and twists of all bodies of the region.
        first: Index of the first loose body among them.
        soil: State of the soil.
    """
    if not bodies.names:
        return soil
    return _KEPT.pack(
        SimpleNamespace(
            names='\0'.join(bodies.names).encode(),
            counts=np.array([len(local) for local in bodies.local], np.int64),
            markers=np.concatenate(bodies.local),
            poses=np.concatenate([part[first:].reshape(len(bodies.names), -1) for part in poses], axis=1),
            soil=soil,
        )
    )


def unpack(saved: bytes) -> SavedRegion:
    """Return what :func:`pack` has packed.

    Raises:
        ValueError: If the bytes are not such a state.
    """
    if not saved.startswith(TAG):
        return SavedRegion(NO_BODIES, np.zeros((0, 21)), saved)
    kept = _KEPT.values(saved)
    local = np.split(kept.markers, np.cumsum(kept.counts)[:-1])
    return SavedRegion(BodyMarkers(tuple(kept.names.decode().split('\0')), tuple(local)), kept.poses, kept.soil)


def place(poses: BoundaryBodies, first: int, table: Floats) -> None:
    """Write saved poses and twists of loose bodies."""
    start = 0
    for part in poses:
        shape = part[first:].shape
        size = int(np.prod(shape[1:]))
        part[first:] = table[:, start : start + size].reshape(shape)
        start += size
