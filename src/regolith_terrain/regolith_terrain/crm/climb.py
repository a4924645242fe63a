# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A driven wheel that climbs a slope of soil as a continuum of particles."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from regolith_terrain.crm import markers
from regolith_terrain.crm.choice import Device, bed_on
from regolith_terrain.crm.soil import Discretisation, ParticleSoil
from regolith_terrain.experiments.climbs import DrivenWheel, Track, WheelRig, check, measured
from regolith_terrain.experiments.runs import Part, packed, unpacked

COURANT = 0.4
"""Step over the time that sound takes through a smoothing length: what moves is slow against sound."""
_AROUND = 1.3
"""Half the length of what moves about the axle, in radii of the tips."""
_BEHIND = 1.37
"""From the axle to the wall behind at the start, in radii of the tips: so that the wall stays frozen."""
_RIM = 3
"""Layers by which the trough's walls stand above the soil."""
_BLOCK = 50
"""Steps of an advance, about. Each begins with new lists of neighbours: so a saved state goes on with the same bits."""
_SAMPLES = 400
"""Of a climb, about."""


def refuse(rig: WheelRig, settings: Discretisation) -> None:
    """Refuse particles that are too coarse.

    :raises ValueError: naming the value and what is allowed
    """
    most = min(rig.width_m, rig.trough.depth_m)
    if settings.spacing_m > most:
        raise ValueError(f'spacing_m {settings.spacing_m!r}; allowed: at most {most!r}, the lesser of width_m of the '
                         'wheel and depth_m of the trough')


class Climb:
    """A climb on its way (:class:`regolith_terrain.experiments.runs.Run`)."""

    def __init__(
        self, rig: WheelRig, slope_deg: float, soil: ParticleSoil, settings: Discretisation, workers: int = 1,
        device: Device = 'cpu',
    ) -> None:
        """Lay the bed, as an elastic layer under its own weight.

        :param slope_deg: upwards in the direction of travel [deg]
        :param workers: threads; the outcome is the same
        :param device: what makes the steps, see :func:`regolith_terrain.crm.choice.bed_on`
        :raises ValueError: if there is no room, or particles are too coarse
        """
        check(rig, slope_deg)
        refuse(rig, settings)
        self.rig = rig
        self.wheel, self.track = DrivenWheel(rig, slope_deg), Track()
        spacing, trough = settings.spacing_m, rig.trough
        behind = _BEHIND * rig.outermost_m
        low = (-behind, -0.5 * trough.width_m, -round(trough.depth_m / spacing) * spacing)
        high = (trough.length_m - behind, 0.5 * trough.width_m, 0.0)
        walls = markers.trough(low, high, spacing, _RIM * spacing)
        rotor = markers.wheel(
            rig.radius_m, rig.width_m, spacing, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m
        )
        self.bed = bed_on(device)(
            soil, settings, rig.pull(slope_deg), markers.lattice(low, high, spacing), *markers.together(walls, rotor),
            workers=workers,
        )
        self.bed.lay_at_rest(0.0)
        self.bed.still *= math.sqrt(rig.gravity_mps2 / 9.81)  # soil freezes at the same place under any gravity
        self.dt = settings.step(self.bed.material)
        self.steps = 0
        self._wall = 0.0

    @property
    def part(self) -> float:
        """Return the part that is done."""
        return self.steps / self._all

    @property
    def _all(self) -> int:
        return max(1, round(self.rig.end_s / self.dt))

    @property
    def _left(self) -> int:
        return max(0, self._all - self.steps)

    def advance(self, tick: Part) -> None:
        """Go on by a few samples."""
        begin = time.perf_counter()
        self._place()
        self.bed.sort()
        each = max(1, self._all // _SAMPLES)
        for _ in range(max(1, round(_BLOCK / each))):
            if self._left:
                self._sample(min(each, self._left))
        self._wall += time.perf_counter() - begin

    def _sample(self, count: int) -> None:
        """Go on by so many steps."""
        wheel, bed = self.wheel, self.bed
        total = np.zeros(2)
        for _ in range(count):
            self._place()
            bed.step(self.dt)
            total += -bed.torque[1, 1], bed.force[1, 2]
            wheel.push(float(bed.force[1, 0]), float(bed.force[1, 2]), self.dt)
        self.steps += count
        self.track.add(wheel.t, float(wheel.state[1]), wheel.depth, *(total / count))

    def _place(self) -> None:
        """Put the wheel's markers where it is, and have move what is about it."""
        _, x, z, vx, vz, _ = self.wheel.state
        bodies, around, side = self.bed.bodies, _AROUND * self.rig.outermost_m, self.rig.trough.width_m
        bodies.center[1] = x, 0.0, z
        bodies.rotation[1] = self.wheel.rotation
        bodies.velocity[1] = vx, 0.0, vz
        bodies.spin[1] = 0.0, self.wheel.rate, 0.0
        self.bed.boxes = np.array([[x - around, -side, -np.inf, x + around, side, np.inf]])

    def row(self) -> dict[str, Any]:
        """Return the figures of the climb so far."""
        return {
            **measured(self.rig, self.track.array()), 'elements': self.bed.soil_count, 'steps': self.steps,
            'step_s': self.dt, 'simulated_s': self.wheel.t, 'wall_s': self._wall, 'largest_overlap': None,
        }

    def save(self) -> bytes:
        """Return everything that evolves."""
        return packed(
            wheel=self.wheel.state, track=self.track.array(), steps=self.steps, wall=self._wall, bed=self.bed.save()
        )

    def load(self, saved: bytes) -> None:
        """Restore what :meth:`save` returned.

        :raises ValueError: if it is that of another climb
        """
        found = unpacked(saved)
        self.wheel.state[:] = found['wheel']
        self.track.put(found['track'])
        self.steps, self._wall = int(found['steps']), float(found['wall'])
        self._place()
        self.bed.load(found['bed'].tobytes())
