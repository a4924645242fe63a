# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Assembly of grains and bodies: stepping, measuring, saving and restoring."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.bodies import Body, body_arrays
from regolith_testbeds.dem.clumps import Clump, sphere
from regolith_testbeds.dem.materials import GrainMaterial, UserStiffness, contact_law, longest_step, user_law
from regolith_testbeds.dem.neighbor_search import find_pairs, find_part_pairs
from regolith_testbeds.dem.state import BodyArrays, GrainArrays, Pairs, PartPairs, empty_pairs, empty_part_pairs
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

_FORMAT = 1
_SKIN = 0.15
"""Distance within which pairs are listed, over the smallest radius."""
_MOST_THREADS = 2


class Assembly:
    """Grains of one material and shape, with bodies among them.

    The same arguments and steps give bit-identical results for any number of threads.
    """

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

    def save(self) -> bytes:
        """Return the complete state: grains, bodies and contact memories."""
        grains, bodies, first = self.grains, self.bodies, self.pairs
        kept = np.flatnonzero(first.touching)
        held = np.flatnonzero(self.part_pairs.touching)
        row = np.repeat(np.arange(len(grains.ball)), np.diff(first.start))
        part_row = np.repeat(np.arange(len(grains.ball)), np.diff(self.part_pairs.start))
        arrays: dict[str, Any] = {
            'place': grains.place,
            'motion': grains.motion,
            'turn': grains.turn,
            'active': grains.active,
            'body_place': bodies.place,
            'body_axes': bodies.axes,
            'body_velocity': bodies.velocity,
            'body_spin': bodies.spin,
            'body_mobility': bodies.mobility,
            'body_impulse': bodies.impulse,
            'pair_first': row[kept],
            'pair_other': first.other[kept],
            'pair_slip': first.slip[kept],
            'part_first': part_row[held],
            'part_other': self.part_pairs.part[held],
            'part_slip': self.part_pairs.slip[held],
        }
        head = {
            'format': _FORMAT,
            'time': self.time,
            'dt': self.dt,
            'overlap': self.largest_overlap,
            'grains': len(grains.place),
            'arrays': [[k, a.dtype.str, list(a.shape)] for k, a in arrays.items()],
        }
        text = json.dumps(head).encode()
        return len(text).to_bytes(8, 'little') + text + b''.join(a.tobytes() for a in arrays.values())

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save` of an assembly with the same arguments.

        Raises:
            ValueError: If the state is of another assembly.
        """
        stream = io.BytesIO(saved)
        head = json.loads(stream.read(int.from_bytes(stream.read(8), 'little')))
        if head['format'] != _FORMAT or head['grains'] != len(self.grains.place):
            raise ValueError(
                f'{head["grains"]} grains, format {head["format"]}; allowed: {len(self.grains.place)} '
                f'grains, format {_FORMAT}'
            )
        found = {}
        for name, kind, shape in head['arrays']:
            size = np.dtype(kind).itemsize * math.prod(shape)
            found[name] = np.frombuffer(stream.read(size), dtype=kind).reshape(shape)
        for name in ('place', 'motion', 'turn', 'active'):
            getattr(self.grains, name)[:] = found[name]
        for name in ('place', 'axes', 'velocity', 'spin', 'mobility', 'impulse'):
            getattr(self.bodies, name)[:] = found[f'body_{name}']
        place_parts(self.bodies)
        set_all_balls(self.grains)
        self.time = head['time']
        self.soften(self.material, head['dt'])
        self._measures[:, OVERLAP] = head['overlap']
        balls = len(self.grains.ball)
        pairs, parts = empty_pairs(balls, len(found['pair_first'])), empty_part_pairs(balls, len(found['part_first']))
        for rows, first, other, slip in (
            (pairs, 'pair_first', pairs.other, 'pair_slip'),
            (parts, 'part_first', parts.part, 'part_slip'),
        ):
            rows.start[1:] = np.cumsum(np.bincount(found[first], minlength=balls))
            other[:] = found[first.replace('first', 'other')]
            rows.slip[:] = found[slip]
            rows.touching[:] = 1
        self.pairs, self.part_pairs, self._listed = pairs, parts, False

    def digest(self) -> str:
        """Return the SHA-256 of :meth:`save`."""
        return hashlib.sha256(self.save()).hexdigest()


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
