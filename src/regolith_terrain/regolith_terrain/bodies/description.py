# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Description of a rigid body: what does not change during a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace

from regolith_terrain.bodies.shapes import KINDS, BodyShape, make_shape
from regolith_world.cycle import StateField, StateLayout, state_fields

_LAYOUT = StateLayout(
    'the description of a rigid body',
    *state_fields('q', 'kind', 'ploughs', 'weightless'),
    *state_fields('d', 'mass', 'restitution', 'friction'),
    StateField('given', '<f8', ('rows', 3)),
    tag=b'REGBODY1',
)


@dataclass(frozen=True, slots=True)
class BodyDescription:
    """A rigid body."""

    name: str
    shape: BodyShape
    mass: float
    """Mass [kg]."""
    restitution: float = 0.2
    """Coefficient of restitution of a fast impact on rigid terrain [-]."""
    ploughs: bool | None = None
    """Whether soil resists the advancing face; none: for boxes and hulls."""
    weightless: bool = False
    """Whether gravity does not act on the body."""
    friction: float = 0.5
    """Coulomb friction coefficient of vehicles' parts on the body [-]."""

    def save(self) -> bytes:
        """Return the description without its name as bytes."""
        ploughs = -1 if self.ploughs is None else int(self.ploughs)
        return _LAYOUT.pack(
            SimpleNamespace(
                kind=KINDS.index(self.shape.kind),
                ploughs=ploughs,
                weightless=int(self.weightless),
                mass=self.mass,
                restitution=self.restitution,
                friction=self.friction,
                given=self.shape.given,
            )
        )


def restored_description(name: str, blob: bytes) -> BodyDescription:
    """Return the description from :meth:`BodyDescription.save`; its shape is equal bit for bit.

    Raises:
        ValueError: If the bytes are not a description.
    """
    return replace(_restored(blob), name=name)


@lru_cache(maxsize=1024)
def _restored(blob: bytes) -> BodyDescription:
    """Return the description without a name; vehicles receive the same bodies again and again."""
    kept = _LAYOUT.values(blob)
    return BodyDescription(
        '',
        make_shape(KINDS[kept.kind], kept.given),
        kept.mass,
        kept.restitution,
        None if kept.ploughs < 0 else bool(kept.ploughs),
        bool(kept.weightless),
        kept.friction,
    )
