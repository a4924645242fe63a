# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Assembly of grains and bodies: stepping, measuring, saving and restoring."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.bodies import Body, body_arrays
from regolith_testbeds.dem.clumps import Clump, sphere
from regolith_testbeds.dem.contact import MEMORY
from regolith_testbeds.dem.materials import GrainMaterial, UserStiffness, contact_law, longest_step, user_law
from regolith_testbeds.dem.neighbor_search import find_pairs, find_part_pairs
from regolith_testbeds.dem.state import (
    BodyArrays,
    GrainArrays,
    Ints,
    Pairs,
    PartPairs,
    empty_pairs,
    empty_part_pairs,
)
from regolith_testbeds.dem.step import (
    MEASURES,
    MOVED,
    OVERLAP,
    TOUCHING,
    move,
    move_bodies,
    outdated,
    place_parts,
    press,
    run_steps,
    set_all_balls,
)
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields

_ROW = np.dtype([('first', '<i8'), ('other', '<i8'), ('slip', '<f8', (MEMORY,))])
"""Contact of a ball with another one or with a part of a body, and its memory."""
_SKIN = 0.15
"""Distance within which pairs are listed, over the smallest radius."""
_MOST_THREADS = 2


class Assembly(Saved):
    """Grains of one material and shape, with bodies among them.

    The same arguments and steps give bit-identical results for any number of threads.
    """

    STATE = StateLayout(
        'an assembly of grains',
        StateField('count', 'q', same=True),
        *state_fields('d', 'time', 'dt', '_overlap'),
        *state_fields('<f8', 'grains.place', 'grains.motion', 'grains.turn', shared=True),
        StateField('grains.active', '|u1', shared=True),
        *state_fields('<f8', 'bodies.place', 'bodies.axes', 'bodies.velocity', 'bodies.spin', shared=True),
        *state_fields('<f8', 'bodies.mobility', 'bodies.impulse', shared=True),
        *state_fields('q', 'contacts', 'part_contacts'),
        StateField('_contacts', _ROW, ('contacts',)),
        StateField('_part_contacts', _ROW, ('part_contacts',)),
        tag=b'REGDEM02',
    )

    def __init__(
        self,
        place: ArrayLike,
        scale: ArrayLike,
        material: GrainMaterial,
        *,
        bodies: Sequence[Body] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        dt: float | None = None,
        shape: Clump | None = None,
        turn: ArrayLike | None = None,
        threads: int = 1,
        user: UserStiffness | None = None,
    ) -> None:
        """Create the assembly at rest.

        Args:
            place: Centers of mass [m], shape (n, 3).
            scale: Sizes: radii of spheres [m], shape (n,).
            material: Material of the grains.
            bodies: Bodies among the grains.
            gravity: Gravity [m/s^2].
            dt: Step [s]; none: the maximum allowed.
            shape: Shape of all grains; none: spheres.
            turn: Orientations as quaternions (x, y, z, w), shape (n, 4).
            threads: Number of threads, 1 or 2.
            user: Given stiffness of all contacts; none: from elasticity.

        Raises:
            ValueError: If the step is too large, or a value is invalid.
        """
        self.material, self.shape, self.user = material, shape or sphere(), user
        self.gravity = np.array(gravity, dtype=np.float64)
        self.grains = _grain_arrays(
            self.shape,
            np.array(place, dtype=np.float64),
            np.array(scale, dtype=np.float64),
            material.density_kgpm3,
            turn,
        )
        self.bodies: BodyArrays = body_arrays(bodies)
        place_parts(self.bodies)
        self.body_materials = tuple(body.material for body in bodies)
        if threads not in range(1, _MOST_THREADS + 1):
            raise ValueError(f'threads {threads!r}; allowed: 1 to {_MOST_THREADS}')
        self.threads = threads
        self.time = 0.0
        """Simulated time [s]."""
        self.rebuilt = 0
        """Number of times the lists of pairs were built."""
        balls = len(self.grains.ball)
        self.pairs: Pairs = empty_pairs(balls, 0)
        self.part_pairs: PartPairs = empty_part_pairs(balls, 0)
        self._measures = np.zeros((threads, MEASURES))
        self._way = 0.0
        self._listed = False
        self.skin = _SKIN * float(self.grains.ball[:, 3].min())
        self.soften(material, dt)

    def soften(self, material: GrainMaterial, dt: float | None = None) -> None:
        """Change the material of the grains, except sizes and masses, and the step.

        Args:
            material: New material of the grains.
            dt: Step [s]; none: the maximum allowed.

        Raises:
            ValueError: If the step is too large.
        """
        smallest = float(self.grains.ball[:, 3].min())
        limit = longest_step(material, smallest, self.user)
        if dt is not None and not 0.0 < dt <= limit * (1.0 + 1e-9):
            raise ValueError(f'dt {dt!r} s; allowed: above 0, at most {limit:.4g} s (the contacts would be unstable)')
        self.material, self.dt = material, dt if dt is not None else limit
        weight = float(np.linalg.norm(self.gravity))
        if self.user is not None:
            rows = [user_law(self.user, m, weight) for m in (material, *self.body_materials)]
        else:
            rows = [contact_law(material, m, weight) for m in (material, *self.body_materials)]
        self.laws: Floats = np.array(rows)

    # -- stepping ----------------------------------------------------------------------------------------------------

    def advance(self, steps: int) -> None:
        """Advance by a number of steps."""
        left = steps
        while left > 0:
            if not self._listed:
                self.find_contacts()
            left -= self._shared(left) if self.threads > 1 else self._alone(left)
        self.time += steps * self.dt

    def find_contacts(self) -> None:
        """Build the lists of pairs again."""
        self.pairs = find_pairs(self.grains, self.pairs, self.skin)
        self.part_pairs = find_part_pairs(self.grains, self.bodies, self.part_pairs, self.skin)
        self._way, self._listed = 0.0, True
        self.rebuilt += 1

    def _alone(self, steps: int) -> int:
        done, self._way = run_steps(
            steps,
            self.grains,
            self.pairs,
            self.part_pairs,
            self.bodies,
            self.laws,
            self.gravity,
            self.dt,
            self.skin,
            self._way,
            self._measures[0],
        )
        self._listed = not self._stale()
        return int(done)

    def _stale(self) -> bool:
        return bool(outdated(math.sqrt(float(self._measures[:, MOVED].max())), self._way, self.skin))

    def _shared(self, steps: int) -> int:
        """Advance with a second thread for the second half of the grains in each pass."""
        n, per = len(self.grains.place), len(self.grains.offset)
        moving = np.cumsum(self.grains.active, dtype=np.int64)
        half = int(np.searchsorted(moving, moving[-1] // 2))
        g, m = self.grains, self._measures

        def press_in(low: int, high: int, measures: Floats) -> None:
            press(low, high, g, self.pairs, self.part_pairs, self.bodies, self.laws, self.dt, measures)

        with ThreadPoolExecutor(1) as other:
            for done in range(steps):
                rest = other.submit(press_in, half * per, n * per, m[1])
                press_in(0, half * per, m[0])
                rest.result()
                rest = other.submit(move, half, n, g, self.pairs, self.gravity, self.dt, m[1])
                move(0, half, g, self.pairs, self.gravity, self.dt, m[0])
                rest.result()
                self._way += move_bodies(self.bodies, self.part_pairs, self.gravity, self.dt)
                if self._stale():
                    self._listed = False
                    return done + 1
        return steps

    def freeze_outside(self, low: Sequence[float], high: Sequence[float]) -> None:
        """Let only grains in a box move from now on [m]; all others are frozen permanently."""
        inside = np.all((self.grains.place >= low) & (self.grains.place <= high), axis=1)
        self.grains.active[:] = inside
        self.grains.motion[~inside] = 0.0

    def put_body(self, body: int, place: Sequence[float]) -> None:
        """Move a body to a new position at once [m]."""
        self.bodies.place[body] = place
        place_parts(self.bodies)
        self._listed = False

    # -- measuring ---------------------------------------------------------------------------------------------------

    @property
    def largest_overlap(self) -> float:
        """Largest overlap over the radius of the smaller ball since :meth:`reset_overlap`."""
        return float(self._measures[:, OVERLAP].max())

    def reset_overlap(self) -> None:
        """Reset the largest overlap."""
        self._measures[:, OVERLAP] = 0.0

    @property
    def touching(self) -> int:
        """Number of contacts in the last step."""
        return int(self._measures[:, TOUCHING].sum())

    def overlaps(self) -> Floats:
        """Return the overlap of each contact between grains over the smaller radius [-]."""
        p = self.pairs
        first = np.repeat(np.arange(len(self.grains.ball)), np.diff(p.start))[p.touching != 0]
        one, two = self.grains.ball[first], self.grains.ball[p.other[p.touching != 0]]
        deep = one[:, 3] + two[:, 3] - np.linalg.norm(one[:, :3] - two[:, :3], axis=1)
        out: Floats = np.maximum(deep, 0.0) / np.minimum(one[:, 3], two[:, 3])
        return out

    @property
    def momentum(self) -> Floats:
        """Sum of mass times velocity of all grains [kg m/s], shape (3,)."""
        out: Floats = self.grains.mass @ self.grains.motion[:, :3]
        return out

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of all grains [J]; that of rotation uses their mean moment of inertia."""
        mean = self.grains.inertia.mean(axis=1)
        square = np.square(self.grains.motion)
        return float(0.5 * (self.grains.mass @ square[:, :3].sum(axis=1) + mean @ square[:, 3:].sum(axis=1)))

    @property
    def bytes_per_grain(self) -> float:
        """Memory of all arrays over the number of grains [B]."""
        arrays = (*self.grains, *self.pairs, *self.part_pairs)
        return float(sum(a.nbytes for a in arrays) / len(self.grains.place))

    # -- saving ------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of grains."""
        return len(self.grains.place)

    @property
    def _overlap(self) -> float:
        """Largest overlap so far."""
        return self.largest_overlap

    @_overlap.setter
    def _overlap(self, overlap: float) -> None:
        self._measures[:, OVERLAP] = overlap

    @property
    def _contacts(self) -> NDArray[Any]:
        """Memories of the contacts between balls, by the columns of _ROW."""
        return _memories(self.pairs, self.pairs.other)

    @_contacts.setter
    def _contacts(self, rows: NDArray[Any]) -> None:
        self.pairs = empty_pairs(len(self.grains.ball), len(rows))
        _remember(self.pairs, self.pairs.other, rows)

    @property
    def _part_contacts(self) -> NDArray[Any]:
        """Memories of the contacts of balls with parts of bodies, by the columns of _ROW."""
        return _memories(self.part_pairs, self.part_pairs.part)

    @_part_contacts.setter
    def _part_contacts(self, rows: NDArray[Any]) -> None:
        self.part_pairs = empty_part_pairs(len(self.grains.ball), len(rows))
        _remember(self.part_pairs, self.part_pairs.part, rows)

    def setters(self, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state of an assembly with the same arguments; see the base class."""
        return [*super().setters(blob), self._follow]

    def _follow(self) -> None:
        place_parts(self.bodies)
        set_all_balls(self.grains)
        self.soften(self.material, self.dt)
        self._listed = False

    def digest(self) -> str:
        """Return the SHA-256 of :meth:`save`."""
        return hashlib.sha256(self.save()).hexdigest()


def _memories(pairs: Pairs | PartPairs, other: Ints) -> NDArray[Any]:
    """Return the memories of all pairs in contact."""
    kept = np.flatnonzero(pairs.touching)
    rows = np.zeros(len(kept), _ROW)
    rows['first'] = np.repeat(np.arange(len(pairs.start) - 1), np.diff(pairs.start))[kept]
    rows['other'], rows['slip'] = other[kept], pairs.slip[kept]
    return rows


def _remember(pairs: Pairs | PartPairs, other: Ints, rows: NDArray[Any]) -> None:
    """Store the memories of pairs in contact in new lists of as many pairs."""
    pairs.start[1:] = np.cumsum(np.bincount(rows['first'], minlength=len(pairs.start) - 1))
    other[:], pairs.slip[:], pairs.touching[:] = rows['other'], rows['slip'], 1


def _grain_arrays(shape: Clump, place: Floats, scale: Floats, density: float, turn: ArrayLike | None) -> GrainArrays:
    n, k = len(scale), len(shape.radius)
    if place.shape != (n, 3) or n == 0:
        raise ValueError(f'positions have shape {place.shape} for {n} sizes; allowed: shape (n, 3), n > 0')
    if not (np.isfinite(place).all() and np.isfinite(scale).all() and (scale > 0.0).all()):
        raise ValueError(
            'positions or sizes are not finite, or sizes are not above 0; allowed: finite positions, sizes > 0'
        )
    upright = np.zeros((n, 4))
    upright[:, 3] = 1.0
    grains = GrainArrays(
        place=np.ascontiguousarray(place),
        motion=np.zeros((n, 6)),
        turn=upright if turn is None else np.array(turn, dtype=np.float64).reshape(n, 4),
        mass=density * shape.volume * scale**3,
        inertia=density * np.outer(scale**5, shape.moments),
        scale=np.ascontiguousarray(scale),
        active=np.ones(n, dtype=np.uint8),
        offset=np.ascontiguousarray(shape.offset),
        ball=np.zeros((n * k, 4)),
        load=np.zeros((n * k, 6)),
        built=np.zeros((n * k, 3)),
    )
    grains.ball[:, 3] = np.outer(scale, shape.radius).reshape(-1)
    set_all_balls(grains)
    return grains
