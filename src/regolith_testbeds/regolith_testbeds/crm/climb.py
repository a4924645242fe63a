# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slope climb of a driven wheel on CRM soil."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import Device, Discretization, ParticleSoil, boundary_markers, refuse_too_many
from regolith_testbeds.crm.driven_body import DrivenBody, filled_trough
from regolith_testbeds.crm.mirror_symmetry import symmetric_bed
from regolith_testbeds.slope_climb import DrivenWheel, WheelRig, WheelTrack, check, measured

COURANT = 0.45
"""Courant number: step over the time in which sound crosses a smoothing length. It is large because the motion is slow
compared to sound.
"""
_BACK, _FORTH = 0.8, 1.2
"""Range of moving soil behind and ahead of the axle, in radii of the tips; soil that still flows also moves outside it.
With 1.3 on both sides, slip was 0.007 larger (20 mm, 15 degrees), for a third more work."""
_BEHIND = 1.37
"""Distance from the axle to the rear wall at the start, in radii of the tips, so the wall stays frozen."""
_BLOCK = 50
"""Approximate number of steps of one advance."""
_SAMPLES = 400
"""Approximate number of samples of a climb."""


def refuse(rig: WheelRig, soil: ParticleSoil, settings: Discretization) -> None:
    """Reject particles that are too coarse, or more than fit into memory.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    most = min(rig.width_m, rig.trough.depth_m)
    if settings.spacing_m > most:
        raise ValueError(
            f'spacing_m {settings.spacing_m!r}: is too coarse; allowed: at most {most!r}, the lesser of width_m of the '
            'wheel and depth_m of the trough'
        )
    trough = rig.trough
    refuse_too_many(trough.length_m * trough.width_m * trough.depth_m, rig.end_s, soil, settings)


class CrmClimb(DrivenBody):
    """A climb on CRM."""

    def __init__(
        self,
        rig: WheelRig,
        slope_deg: float,
        soil: ParticleSoil,
        settings: Discretization,
        workers: int = 1,
        device: Device = 'cpu',
    ) -> None:
        """Create the bed as an elastic layer under its own weight.

        Args:
            rig: Rig of the climb.
            slope_deg: Slope, positive upward in the direction of travel [deg].
            soil: Soil of the bed.
            settings: Discretization of the soil.
            workers: Number of threads; it does not change the result.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.

        Raises:
            ValueError: If the trough is too small, or particles are too coarse.
        """
        check(rig, slope_deg)
        refuse(rig, soil, settings)
        self.rig = rig
        self.wheel, self.track = DrivenWheel(rig, slope_deg), WheelTrack()
        spacing, trough = settings.spacing_m, rig.trough
        behind = _BEHIND * rig.outermost_m
        filled, walls = filled_trough((-behind, trough.length_m - behind), trough.width_m, trough.depth_m, spacing)
        rotor = boundary_markers.wheel(
            rig.radius_m, rig.width_m, spacing, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m, even=True
        )
        super().__init__(symmetric_bed(device, soil, settings, rig.pull(slope_deg), filled, walls, rotor, workers))
        self.bed.lay_at_rest(0.0)
        self.bed.still *= math.sqrt(rig.gravity_mps2 / 9.81)  # soil freezes at the same position under any gravity
        self.dt = settings.step(self.bed.material)

    @property
    def part(self) -> float:
        """Completed fraction."""
        return self.steps / self._all

    @property
    def _all(self) -> int:
        return max(1, round(self.rig.end_s / self.dt))

    @property
    def _left(self) -> int:
        return max(0, self._all - self.steps)

    def _block(self) -> None:
        each = max(1, self._all // _SAMPLES)
        for _ in range(max(1, round(_BLOCK / each))):
            if self._left:
                self._sample(min(each, self._left))

    def _sample(self, count: int) -> None:
        """Advance by a number of steps."""
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
        """Place the wheel's markers at its pose, and select the moving soil around it."""
        _, x, z, vx, vz, _ = self.wheel.state
        bodies, radius, side = self.bed.bodies, self.rig.outermost_m, self.rig.trough.width_m
        bodies.center[1] = x, 0.0, z
        bodies.rotation[1] = self.wheel.rotation
        bodies.velocity[1] = vx, 0.0, vz
        bodies.spin[1] = 0.0, self.wheel.rate, 0.0
        self.bed.boxes = np.array([[x - _BACK * radius, -side, -np.inf, x + _FORTH * radius, side, np.inf]])

    def row(self) -> dict[str, Any]:
        """Return the results of the climb so far."""
        return {
            **measured(self.rig, self.track.array()),
            **self._cost(),
            'step_s': self.dt,
            'largest_overlap': None,
        }

    def _state(self) -> Mapping[str, Any]:
        return {'wheel': self.wheel.state, 'track': self.track.array()}

    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        self.wheel.state[:] = found['wheel']
        self.track.put(found['track'])
