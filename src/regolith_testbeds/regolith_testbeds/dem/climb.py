# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slope climb of a driven wheel on grains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_terrain.grid import Floats
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.beds import Filled, GrainBin, Grains, fill_bin
from regolith_testbeds.dem.bodies import Body, wheel
from regolith_testbeds.resumable_runs import Part, packed, unpacked
from regolith_testbeds.slope_climb import Trough, WheelRig, WheelTrack, measured
from regolith_testbeds.slope_climb import check as check_rig

Tick = Callable[[int, int], None]

_USUAL_S = 4.0
"""Approximate duration of a climb [s]."""
_BLOCK_S = 0.01
"""Interval of samples [s]."""
_BEHIND, _AHEAD = 0.27, 0.33
"""Distance behind and ahead of the axle within which grains move; other grains are frozen [m]."""
_PREPARING = 0.25
"""Fraction of progress for filling the bin."""
_SHARED = (
    'slip',
    'slip_drift',
    'sinkage_m',
    'speed_mps',
    'torque_nm',
    'power_w',
    'normal_force_n',
    'largest_overlap',
    'step_s',
    'wall_s',
)


class ClimbBed(Section):
    """Settings of the bed of a climb."""

    grains: Grains = Field(default_factory=Grains, description='Grains of the bed.')
    bin: GrainBin = Field(default_factory=GrainBin, description='Bin of the bed.')
    wheel_friction: float = Field(
        default=0.5, ge=0.0, le=10.0, description='Friction coefficient between wheel and grains [-].'
    )
    threads: int = Field(default=2, ge=1, le=2, description='Number of threads; it does not change the result.')

    @model_validator(mode='after')
    def _possible(self) -> ClimbBed:
        self.grains.affordable(self.bin.count(self.grains), _USUAL_S)
        return self


class Climbed(NamedTuple):
    """Results of a climb: means over its end."""

    slip: float
    """Slip ratio 1 - v / (omega R), with R to the tips of the grousers [-]."""
    slip_drift: float
    """Slip of the second half of the averaging time minus that of the first [-]."""
    sinkage_m: float
    """Depth of the circle of grouser tips below the surface [m]."""
    speed_mps: float
    """Speed along the slope [m/s]."""
    torque_nm: float
    """Driving torque of the wheel [N m]."""
    power_w: float
    """Torque times rotation rate [W]."""
    normal_force_n: float
    """Force of the grains on the wheel normal to the slope [N]."""
    largest_overlap: float
    """Largest overlap of all contacts of the climb over the smaller radius [-]."""
    usual_overlap: float
    """Overlap not exceeded by 99.9 % of the contacts at the end [-]."""
    grains: int
    """Number of grains in the bin."""
    bulk_density_kgpm3: float
    """Bulk density of the bed [kg/m^3]."""
    step_s: float
    """Step size [s]."""
    wall_s: float
    """Wall time of the climb without filling the bin [s]."""
    track: tuple[tuple[float, float, float, float], ...]
    """Time [s], travel along the slope [m], depth of the circle of tips [m], torque [N m]."""


class DemClimb:
    """A climb on grains; filling the bin is its first advance.

    It is a :class:`regolith_testbeds.resumable_runs.ResumableRun`. The bin is filled once for all slopes of a
    process. The wheel starts at rest slightly above the surface.
    """

    def __init__(self, rig: WheelRig, slope_deg: float, bed: ClimbBed) -> None:
        """Store the settings of the climb.

        Args:
            rig: Rig of the climb.
            slope_deg: Slope, positive upward in the direction of travel [deg].
            bed: Settings of the bed.

        Raises:
            ValueError: If the bed is too short, or grains are too large for the wheel.
        """
        check(rig, slope_deg, bed)
        self.rig, self.slope_deg, self.bed = rig, slope_deg, bed
        self.track = WheelTrack()
        self._filled: Filled | None = None
        self._overlaps: list[Floats] = []
        self._blocks = 0
        self._wall = 0.0

    @property
    def part(self) -> float:
        """Completed fraction."""
        if self._filled is None:
            return 0.0
        return _PREPARING + (1.0 - _PREPARING) * self._blocks / self._all

    def advance(self, tick: Part) -> None:
        """Fill the bin, or advance by one sample."""
        if self._filled is None:
            bed, gravity = self.bed, self.rig.gravity_mps2
            self._start(_filled(bed.bin, bed.grains, gravity, bed.threads, lambda part: tick(_PREPARING * part)))
            return
        begin = time.perf_counter()
        rig, a = self.rig, self.assembly
        x = float(a.bodies.place[1, 0])
        a.freeze_outside((x - _BEHIND, -np.inf, -np.inf), (x + _AHEAD, np.inf, np.inf))
        a.bodies.impulse[:] = 0.0
        a.bodies.spin[1, 1] = rig.rate(a.time)
        a.bodies.mobility[1, 0] = 1.0 / rig.mass_kg if a.time >= rig.settle_s else 0.0
        a.advance(self._steps)
        mean = a.bodies.impulse[1] / (self._steps * a.dt)
        self._sample(-float(mean[4]), float(mean[2]))
        if a.time > rig.end_s - rig.averaging_fraction * rig.drive_s:
            self._overlaps.append(a.overlaps())
        self._blocks += 1
        self._wall += time.perf_counter() - begin

    def _start(self, filled: Filled) -> None:
        """Place the wheel on the bed."""
        self._filled, rig, bed = filled, self.rig, self.bed
        tip = rig.outermost_m
        near = np.abs(filled.place[:, 0] - rig.start_m) < tip
        level = float((filled.place[near, 2] + filled.scale[near]).max())  # no grain overlaps the wheel
        rotor = Body(
            wheel(rig.radius_m, rig.width_m, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m),
            bed.grains.material().model_copy(update={'friction': bed.wheel_friction}),
            place=(rig.start_m, 0.0, tip + level),
            mass=rig.mass_kg,
            free=(True, False, True),
        )
        self.assembly = Assembly(
            filled.place,
            filled.scale,
            bed.grains.material(),
            bodies=[bed.bin.walls(bed.grains), rotor],
            gravity=rig.pull(self.slope_deg),
            shape=bed.grains.clump(),
            turn=filled.turn,
            threads=bed.threads,
        )
        self._steps = max(1, round(_BLOCK_S / self.assembly.dt))
        self._all = math.ceil(rig.end_s / (self._steps * self.assembly.dt))
        self._sample(0.0, 0.0)

    def _sample(self, torque: float, load: float) -> None:
        x, _, z = self.assembly.bodies.place[1].tolist()
        self.track.add(self.assembly.time, x - self.rig.start_m, self.rig.outermost_m - z, torque, load)

    def row(self) -> dict[str, Any]:
        """Return the results of the climb so far."""
        found = measured(self.rig, self.track.array())
        if self._filled is None:
            unknown = ('elements', 'steps', 'step_s', 'simulated_s', 'wall_s', 'largest_overlap')
            return {**found, **dict.fromkeys(unknown)}
        a = self.assembly
        return {
            **found,
            'elements': len(self._filled.scale),
            'steps': self._blocks * self._steps,
            'step_s': a.dt,
            'simulated_s': a.time,
            'wall_s': self._wall,
            'largest_overlap': a.largest_overlap,
        }

    def climbed(self) -> Climbed:
        """Return the results of a completed climb."""
        row, filled = self.row(), self._filled
        assert filled is not None
        return Climbed(
            **{key: row[key] for key in _SHARED},
            usual_overlap=float(np.quantile(np.concatenate(self._overlaps), 0.999)),
            grains=len(filled.scale),
            bulk_density_kgpm3=filled.bulk_density,
            track=tuple((t, way, depth, torque) for t, way, depth, torque, _ in self.track.rows),
        )

    def save(self) -> bytes:
        """Return the complete state; before the bin is filled nothing is needed."""
        if self._filled is None:
            return b''
        return packed(
            **self._filled._asdict(),
            track=self.track.array(),
            blocks=self._blocks,
            wall=self._wall,
            overlaps=np.concatenate([*self._overlaps, np.zeros(0)]),
            assembly=self.assembly.save(),
        )

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another climb.
        """
        found = unpacked(saved)
        self._start(Filled(found['place'], found['scale'], found['turn'], float(found['bulk_density'])))
        self.track.put(found['track'])
        self._blocks, self._wall = int(found['blocks']), float(found['wall'])
        self._overlaps = [found['overlaps']]
        self.assembly.load(found['assembly'].tobytes())


def climb(rig: WheelRig, slope_deg: float, tick: Tick, bed: ClimbBed | None = None) -> Climbed:
    """Run a climb and return its results; errors are those of :class:`DemClimb`.

    Args:
        rig: Rig of the climb.
        slope_deg: Slope, positive upward in the direction of travel [deg].
        tick: Progress callback (done, total).
        bed: Settings of the bed; none: the defaults.
    """
    run = DemClimb(rig, slope_deg, bed or ClimbBed())
    while run.part < 1.0:
        run.advance(lambda part: tick(int(100 * part), 100))
        tick(int(100 * run.part), 100)
    return run.climbed()


def check(rig: WheelRig, slope_deg: float, bed: ClimbBed) -> None:
    """Reject an impossible climb.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    if bed.grains.radius_m > 0.25 * rig.width_m:
        raise ValueError(
            f'radius_m {bed.grains.radius_m!r} of grains; allowed: at most a quarter of width_m, {rig.width_m!r}'
        )
    filled = bed.bin
    trough = Trough(length_m=filled.length_m, width_m=filled.width_m, depth_m=filled.depth_m)
    check_rig(rig.model_copy(update={'trough': trough}), slope_deg)


_beds: dict[str, Filled] = {}
"""The last bed that was filled, by its settings."""


def _filled(bed: GrainBin, grains: Grains, gravity: float, threads: int, tick: Callable[[float], None]) -> Filled:
    key = f'{bed!r} {grains!r} {gravity!r}'
    if key not in _beds:
        made = fill_bin(bed, grains, gravity, threads, tick)
        _beds.clear()
        _beds[key] = made
    tick(1.0)
    return _beds[key]
