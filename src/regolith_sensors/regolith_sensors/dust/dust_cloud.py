# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust of a run: parcels in flight, their mass balance, and the dirt on lenses, as a function of committed states.

Dust is an observer. It follows the poses of vehicles and bodies and the ground that the world committed, and changes
none of them. Its random numbers are keyed by vehicle or body and time of the commit. So it is the same in every run of
a scenario, however many processes compute it, and the state hash of the world does not depend on it.

Parcels that ended are kept for a while, so that a rewind brings back those in flight at its target.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Longs
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.dust.density import Puffs
from regolith_sensors.dust.emission import EmittingSurface, emitted
from regolith_sensors.dust.flight import hit_boxes, land, positions, stopping_times, velocities
from regolith_terrain.grid import SoilGrid
from regolith_vehicles.visuals import PartRole, VisualDescription
from regolith_world.numerics import rotation

KEPT_S = 30.0
"""Time for which parcels are kept after their end [s]: the longest exact rewind without a saved state."""
SPREAD = 0.15
"""Standard deviation of the velocities of the grains of a parcel, relative to its speed at the start."""
LENS_REACH_M = 0.15
"""Radius of the ball around a lens whose dust falls on it [m]."""
_NEVER = np.iinfo(np.int64).max
_COLUMNS = {
    'place': (np.float64, 3),
    'velocity': (np.float64, 3),
    't_ns': (np.int64, 0),
    'land_ns': (np.int64, 0),
    'hit_ns': (np.int64, 0),
    'hit': (np.int32, 0),
}
"""Columns of the parcels: start [m, m/s, ns], end on the ground [ns], time and number of the vehicle that was hit."""


@dataclass(frozen=True)
class DustBalance:
    """Masses of dust since the start of a run [kg]."""

    emitted_kg: float
    landed_kg: float
    in_flight_kg: float
    on_vehicles_kg: dict[str, float]
    left_out_kg: float
    """Mass that was not emitted, because the largest number of parcels was in flight."""


@dataclass(frozen=True, eq=False)
class Lens:
    """Front of a camera, lidar or SPAD sensor on a vehicle."""

    vehicle: str
    position: Floats
    """Position in the frame of the vehicle's base [m], shape (3,)."""
    axis: Floats
    """Direction in which it looks, in the same frame, shape (3,)."""


@dataclass(eq=False)
class _Boxes:
    """Boxes around the visuals of a vehicle's body, which catch dust."""

    row: Longs
    turn: Floats
    middle: Floats
    half: Floats

    @staticmethod
    def of(looks: VisualDescription) -> _Boxes:
        """Return the boxes of all parts but wheels and tracks."""
        found: list[tuple[int, Floats, Floats, Floats]] = []
        for row, part in enumerate(looks.parts):
            for visual in part.visuals if part.role == PartRole.BODY else ():
                turn, size = rotation.matrix(visual.orientation), visual.size
                if visual.mesh is not None:
                    low, high = visual.mesh.vertices.min(axis=0), visual.mesh.vertices.max(axis=0)
                    middle, half = 0.5 * (low + high).astype(np.float64), 0.5 * (high - low).astype(np.float64)
                elif visual.shape in ('box', 'ellipsoid'):
                    middle, half = np.zeros(3), np.array(size[:3])
                else:
                    length = size[0] if visual.shape == 'sphere' else size[1]
                    length += size[0] if visual.shape == 'capsule' else 0.0
                    middle, half = np.zeros(3), np.array([size[0], size[0], length])
                found.append((row, turn, visual.position + turn @ middle, half))
        if not found:
            return _Boxes(np.zeros(0, np.int64), np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)))
        rows, turns, middles, halves = zip(*found, strict=True)
        return _Boxes(np.array(rows), np.array(turns), np.array(middles), np.array(halves))

    def at(self, poses: Floats) -> tuple[Floats, Floats]:
        """Return the rotations from the world to the boxes, and their centers [m], at poses of the parts."""
        body = rotation.matrices(poses[:, 3:7])[self.row]
        world = np.einsum('nij,njk->nik', body, self.turn)
        return np.swapaxes(world, 1, 2), poses[self.row, :3] + np.einsum('nij,nj->ni', body, self.middle)


@dataclass
class _Totals:
    """Numbers of parcels that ended and are no longer kept."""

    landed: int = 0
    hits: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Commit:
    """What a return to a commit needs beside the parcels."""

    t_ns: int
    poses: dict[str, Floats]
    dirt: Floats
    left_out: int


class DustCloud:
    """Dust of all vehicles and bodies of a scenario."""

    def __init__(
        self,
        config: DustConfig,
        seed: int,
        gravity_mps2: float,
        vehicles: Mapping[str, VisualDescription],
        lenses: Mapping[str, Lens] | None = None,
    ) -> None:
        """Create a cloud without parcels.

        Args:
            config: Section ``dust`` of the scenario.
            seed: Seed of the scenario.
            gravity_mps2: Gravity along -z [m/s^2].
            vehicles: Visual descriptions of all vehicles, by name.
            lenses: Lenses of sensors by name.
        """
        self.config, self.seed, self.gravity = config, seed, gravity_mps2
        self.vehicles = tuple(sorted(vehicles))
        self._surfaces = {name: EmittingSurface.of_vehicle(vehicles[name]) for name in self.vehicles}
        self._stop_s = config.stopping_time_s
        self._boxes = {name: _Boxes.of(vehicles[name]) for name in self.vehicles}
        self.lenses = dict(sorted((lenses or {}).items()))
        self.dirt = np.zeros(len(self.lenses))
        """Mass per area of dust on each lens, in name order [kg/m^2]."""
        self._commits: list[_Commit] = []
        """Recent commits, to which it can return."""
        self._count = 0
        self._first = 0
        """Index of the first parcel that may be in flight."""
        self._data = _columns(1024)
        self._totals = _Totals()
        self._left_out = 0

    @property
    def t_ns(self) -> int:
        """Return the time of the last commit followed [ns]; -1: none."""
        return self._commits[-1].t_ns if self._commits else -1

    @property
    def left_out(self) -> int:
        """Return the number of parcels that were left out, because ``max_parcels`` were in the air."""
        return self._left_out

    @property
    def parcel_extinction_m2(self) -> float:
        """Return the extinction cross section of a parcel [m^2]."""
        return self.config.extinction_m2pkg * self.config.parcel_mass_kg

    # -- following commits --------------------------------------------------------------------------------------

    def follow(
        self,
        t_ns: int,
        poses: Mapping[str, Floats],
        grid: SoilGrid,
        bodies: Mapping[str, EmittingSurface] | None = None,
    ) -> None:
        """Advance to a commit.

        Args:
            t_ns: Time of the commit [ns], later than that of the last one.
            poses: Poses of the parts of each vehicle and body at that time, shape (parts, 7).
            grid: Ground committed at that time.
            bodies: Surfaces of the bodies.
        """
        before = self._commits[-1] if self._commits else _Commit(t_ns, {}, self.dirt, 0)
        moving = {name: (before.poses[name], after) for name, after in poses.items() if name in before.poses}
        span, surfaces = (before.t_ns, t_ns), {**(bodies or {}), **self._surfaces}
        for name, both in sorted(moving.items()):
            if both[0] is not both[1] and not np.array_equal(*both):
                self._emit(name, surfaces[name], both, span, grid)
        self._meet(moving, span)
        self._commits.append(_Commit(t_ns, dict(poses), self.dirt.copy(), self._left_out))
        self._discard_old()

    def _emit(
        self,
        name: str,
        surface: EmittingSurface,
        poses: tuple[Floats, Floats],
        t_ns: tuple[int, int],
        grid: SoilGrid,
    ) -> None:
        new = emitted(name, surface, poses, t_ns, grid, self.config, self.seed)
        room = max(self.config.max_parcels - int(np.count_nonzero(self._flying(t_ns[0]))), 0)
        count = min(len(new.t_ns), room)
        self._left_out += len(new.t_ns) - count + new.left_out
        if not count:
            return
        place, velocity, start = new.place[:count], new.velocity[:count], new.t_ns[:count]
        place, flight = land(place, velocity, self.gravity, grid, self._stop_s)
        self._reserve(self._count + count)
        rows = slice(self._count, self._count + count)
        # The height of the surface is that of the ground at the end of the cycle.
        self._data['place'][rows], self._data['velocity'][rows] = place, velocity
        self._data['t_ns'][rows] = start
        self._data['land_ns'][rows] = start + np.maximum(np.rint(flight * 1e9), 1.0).astype(np.int64)
        self._data['hit_ns'][rows], self._data['hit'][rows] = _NEVER, -1
        self._count += count

    def _meet(self, moving: Mapping[str, tuple[Floats, Floats]], t_ns: tuple[int, int]) -> None:
        """End the parcels that hit a vehicle during a cycle, and let those near a lens soil it."""
        part = self._part()
        up = (part['t_ns'] < t_ns[1]) & (part['land_ns'] > t_ns[0]) & (part['hit_ns'] == _NEVER)
        near = np.flatnonzero(up)
        if not len(near):
            return
        begin = np.maximum(part['t_ns'][near], t_ns[0])
        end = np.minimum(part['land_ns'][near], t_ns[1])
        before, after = self._places(near, begin), self._places(near, end)
        boxes = [(k, *self._two(name, moving[name])) for k, name in enumerate(self.vehicles) if name in moving]
        boxes = [entry for entry in boxes if len(entry[3])]
        if boxes:
            hits = np.empty(len(near), np.int32)
            row = np.concatenate([np.full(len(half), k, np.int64) for k, _, _, half in boxes])
            turn, origin = (np.concatenate([entry[c] for entry in boxes], axis=1) for c in (1, 2))
            half = np.concatenate([entry[3] for entry in boxes])
            hit_boxes(before, after, row, turn, origin, half, np.sqrt((half * half).sum(axis=1)), hits)
            met = near[hits >= 0]
            part['hit_ns'][met], part['hit'][met] = t_ns[1], hits[hits >= 0]
        if self.lenses:
            self._soil_lenses(near, after, moving, t_ns)

    def _two(self, name: str, poses: tuple[Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """Return rotations, centers and half extents of a vehicle's boxes at both ends of a cycle."""
        both = [self._boxes[name].at(each) for each in poses]
        return np.stack([turn for turn, _ in both]), np.stack([at for _, at in both]), self._boxes[name].half

    def _soil_lenses(
        self, near: Longs, place: Floats, moving: Mapping[str, tuple[Floats, Floats]], t_ns: tuple[int, int]
    ) -> None:
        """Add the dust that flies into each lens: its density around the lens times its speed toward it.

        Source: hsu2012.
        Checked by: test_dust_on_lenses.py::test_lens_in_uniform_rain_gets_the_flux.
        """
        dt = (t_ns[1] - t_ns[0]) * 1e-9
        ball = 4.0 / 3.0 * np.pi * LENS_REACH_M**3
        part = self._part()
        age = (t_ns[1] - part['t_ns'][near]) * 1e-9
        velocity = velocities(part['velocity'][near], age, self.gravity, self._stop_s)
        for k, lens in enumerate(self.lenses.values()):
            if lens.vehicle not in moving:
                continue
            (old, new) = (each[0] for each in moving[lens.vehicle])
            turn = rotation.matrix(new[3:7])
            at = new[:3] + turn @ lens.position
            own = (at - old[:3] - rotation.matrix(old[3:7]) @ lens.position) / dt
            away = place - at
            inside = (away * away).sum(axis=1) < LENS_REACH_M**2
            toward = np.maximum(-((velocity[inside] - own) * (turn @ lens.axis)).sum(axis=1), 0.0)
            self.dirt[k] += self.config.parcel_mass_kg * float(toward.sum()) * dt / ball

    def clean(self, lens: str) -> float:
        """Remove the dust from a lens; return its transmission before."""
        k = list(self.lenses).index(lens)
        through = self.transmission(lens)
        self.dirt[k] = 0.0
        return through

    def transmission(self, lens: str) -> float:
        """Return the transmission of a lens: exp(-kappa m) of the dust on it."""
        k = list(self.lenses).index(lens)
        return float(np.exp(-self.config.extinction_m2pkg * self.dirt[k]))

    # -- state --------------------------------------------------------------------------------------------------

    def in_flight(self, t_ns: int) -> Puffs:
        """Return the parcels in flight at a time [ns], at most a cycle later than :attr:`t_ns`."""
        rows, part = np.flatnonzero(self._flying(t_ns)), self._part()
        speed = np.sqrt((part['velocity'][rows] ** 2).sum(axis=1))
        start = part['t_ns'][rows]
        spread = SPREAD * speed * stopping_times((t_ns - start) * 1e-9, self._stop_s)
        return Puffs(self._places(rows, np.full(len(rows), t_ns)), spread, start.astype(np.int64))

    def balance(self) -> DustBalance:
        """Return the masses at :attr:`t_ns`."""
        flying, landed, hits = self._numbers()
        mass = self.config.parcel_mass_kg
        on = {name: mass * hits.get(name, 0) for name in self.vehicles}
        number = flying + landed + sum(hits.values())
        return DustBalance(mass * number, mass * landed, mass * flying, on, mass * self._left_out)

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the state at :attr:`t_ns`: parcels in flight, numbers of all others, dirt."""
        flying, landed, hits = self._numbers()
        rows = np.flatnonzero(self._flying(self.t_ns))
        text = f'{self.t_ns} {flying} {landed} {sorted(hits.items())} {self._left_out}'
        found = hashlib.sha256(text.encode())
        for column in _COLUMNS:
            found.update(np.ascontiguousarray(self._part()[column][rows]).tobytes())
        found.update(self.dirt.tobytes())
        return found.hexdigest()

    def save(self) -> bytes:
        """Return the state at :attr:`t_ns`."""
        _, landed, hits = self._numbers()
        rows = np.flatnonzero(self._flying(self.t_ns))
        out = io.BytesIO()
        numbers = np.array([self.t_ns, landed, self._left_out, *(hits.get(name, 0) for name in self.vehicles)])
        state: dict[str, Any] = {name: values[rows] for name, values in self._part().items()}
        state |= {f'pose {name}': values for name, values in self._commits[-1].poses.items()} if self._commits else {}
        np.savez(out, numbers=numbers, dirt=self.dirt, **state)
        return out.getvalue()

    def restore(self, blob: bytes) -> None:
        """Set the state of :meth:`save`.

        Raises:
            ValueError: If it is that of other vehicles or sensors.
        """
        with np.load(io.BytesIO(blob)) as state:
            numbers, dirt = state['numbers'].tolist(), state['dirt']
            if len(numbers) != 3 + len(self.vehicles) or len(dirt) != len(self.lenses):
                raise ValueError('the state of the dust is that of other vehicles or sensors')
            self.clear()
            self._totals = _Totals(numbers[1], dict(zip(self.vehicles, numbers[3:], strict=True)))
            count = len(state['t_ns'])
            self._reserve(count)
            for name in _COLUMNS:
                self._data[name][:count] = state[name]
            self._count, self.dirt, self._left_out = count, dirt.copy(), numbers[2]
            poses = {name.removeprefix('pose '): state[name] for name in state.files if name.startswith('pose ')}
            self._commits = [_Commit(numbers[0], poses, dirt, self._left_out)]

    def return_to(self, t_ns: int) -> bool:
        """Return to an earlier commit [ns] after a rewind; return whether its state is known, else change nothing."""
        found = next((k for k, commit in enumerate(self._commits) if commit.t_ns == t_ns), None)
        if found is None:
            return False
        del self._commits[found + 1 :]
        self.dirt, self._left_out = self._commits[found].dirt.copy(), self._commits[found].left_out
        # Parcels are in the order of their cycles.
        self._count = int(np.count_nonzero(self._slice(0)['t_ns'] <= t_ns))
        every = self._slice(0)
        undone = every['hit_ns'] > t_ns
        every['hit_ns'][undone], every['hit'][undone] = _NEVER, -1
        self._first = 0
        return True

    def clear(self) -> None:
        """Discard all dust, for a start at a time whose state is unknown."""
        self._data, self._count, self._first, self._totals = _columns(1024), 0, 0, _Totals()
        self.dirt, self._commits, self._left_out = np.zeros(len(self.lenses)), [], 0

    # -- columns ------------------------------------------------------------------------------------------------

    def _slice(self, first: int) -> dict[str, Floats]:
        return {name: values[first : self._count] for name, values in self._data.items()}

    def _part(self) -> dict[str, Floats]:
        """Return the columns of the parcels that may be in flight."""
        return self._slice(self._first)

    def _flying(self, t_ns: int) -> Bools:
        """Return which of :meth:`_part` are in flight at a time [ns]."""
        part = self._part()
        return (part['t_ns'] <= t_ns) & (part['land_ns'] > t_ns) & (part['hit_ns'] > t_ns)

    def _places(self, rows: Longs, t_ns: Longs) -> Floats:
        part = self._part()
        age = (t_ns - part['t_ns'][rows]) * 1e-9
        return positions(part['place'][rows], part['velocity'][rows], age, self.gravity, self._stop_s)

    def _numbers(self) -> tuple[int, int, dict[str, int]]:
        """Return the numbers of parcels in flight, landed, and on vehicles by name."""
        every = self._slice(0)
        hit = every['hit'][every['hit_ns'] <= self.t_ns]
        counts = np.bincount(hit, minlength=len(self.vehicles))
        flying = int(np.count_nonzero(self._flying(self.t_ns)))
        hits = {name: int(n) + self._totals.hits.get(name, 0) for name, n in zip(self.vehicles, counts)}
        return flying, self._totals.landed + self._count - flying - len(hit), hits

    def _reserve(self, count: int) -> None:
        size = len(self._data['t_ns'])
        if count > size:
            larger = _columns(max(count, 2 * size))
            for name, values in self._data.items():
                larger[name][: self._count] = values[: self._count]
            self._data = larger

    def _discard_old(self) -> None:
        """Advance to the first parcel in flight, and drop parcels that ended long ago."""
        part = self._part()
        up = np.minimum(part['land_ns'], part['hit_ns']) > self.t_ns
        self._first += int(np.argmax(up)) if up.any() else len(up)
        old_ns = self.t_ns - round(KEPT_S * 1e9)
        if self._commits[0].t_ns > old_ns - round(0.5 * KEPT_S * 1e9):
            return
        self._commits = [commit for commit in self._commits if commit.t_ns >= old_ns]
        every = self._slice(0)
        ended = np.minimum(every['land_ns'], every['hit_ns']) <= old_ns
        hit = every['hit'][ended & (every['hit'] >= 0)]
        for k, n in enumerate(np.bincount(hit, minlength=len(self.vehicles))):
            name = self.vehicles[k]
            self._totals.hits[name] = self._totals.hits.get(name, 0) + int(n)
        self._totals.landed += int(np.count_nonzero(ended)) - len(hit)
        self._first -= int(np.count_nonzero(ended[: self._first]))
        kept = int(np.count_nonzero(~ended))
        for name, values in every.items():
            self._data[name][:kept] = values[~ended]
        self._count = kept


def _columns(size: int) -> dict[str, Floats]:
    return {name: np.empty((size, wide) if wide else size, kind) for name, (kind, wide) in _COLUMNS.items()}
