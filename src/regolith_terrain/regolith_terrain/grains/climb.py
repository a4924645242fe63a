# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A driven wheel that climbs a slope of grains: the slip at which it does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_terrain.grains.assembly import Assembly
from regolith_terrain.grains.beds import Bin, Filled, Grains, fill
from regolith_terrain.grains.bodies import Body, wheel

Tick = Callable[[int, int], None]

_BLOCK_S = 0.01
"""Between samples [s]."""
_BEHIND, _AHEAD = 0.27, 0.33
"""How far from the axle grains move; beyond they are frozen [m]."""
_PREPARING = 25
"""Percent of progress that filling the bin takes."""


class WheelRig(Section):
    """A grousered wheel that is driven at a constant rate and carries a mass, free to travel and to sink.

    Defaults are those of the single-wheel tests with GRC-1 that Hu et al. (2024) compare with.
    """

    radius_m: float = Field(default=0.225, ge=0.02, le=5.0, description='of the rim [m]')
    width_m: float = Field(default=0.2, ge=0.01, le=5.0, description='[m]')
    grousers: int = Field(default=24, ge=0, le=360, description='their number')
    grouser_height_m: float = Field(default=0.03, gt=0.0, le=1.0, description='beyond the rim [m]')
    grouser_thickness_m: float = Field(default=0.005, gt=0.0, le=1.0, description='[m]')
    mass_kg: float = Field(default=17.5, gt=0.0, le=1e5, description='on the wheel, its own included [kg]')
    omega_radps: float = Field(default=0.8, gt=0.0, le=100.0, description='[rad/s]')
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='[m/s^2]')

    @property
    def outermost_m(self) -> float:
        """Return the radius of the grousers' tips [m]."""
        return self.radius_m + (self.grouser_height_m if self.grousers else 0.0)


class ClimbBed(Section):
    """What it climbs, and for how long."""

    grains: Grains = Field(default_factory=Grains, description='grains of the bed')
    bin: Bin = Field(default_factory=Bin, description='box of the bed')
    wheel_friction: float = Field(default=0.5, ge=0.0, le=10.0, description='between wheel and grains [-]')
    drive_s: float = Field(default=3.6, gt=0.1, le=60.0, description='simulated time [s]')
    mean_s: float = Field(default=2.6, gt=0.05, le=60.0, description='at its end, over which figures are means [s]')
    threads: int = Field(default=2, ge=1, le=2, description='threads; the outcome is the same')

    @model_validator(mode='after')
    def _possible(self) -> ClimbBed:
        if self.mean_s > 0.8 * self.drive_s:
            raise ValueError(f'mean_s {self.mean_s!r} s; allowed: at most 0.8 of drive_s, {self.drive_s!r} s')
        self.grains.affordable(self.bin.count(self.grains), self.drive_s)
        return self


class Climbed(NamedTuple):
    """Means over the end of a climb."""

    slip: float
    """1 - v / (omega R), R to the tips of the grousers [-]."""
    slip_drift: float
    """Slip of the second half of that time less that of the first [-]."""
    sinkage_m: float
    """Depth of the lowest grouser's tip circle below the surface [m]."""
    speed_mps: float
    """Along the slope [m/s]."""
    torque_nm: float
    """That drives the wheel [N m]."""
    power_w: float
    """Torque times rate [W]."""
    normal_force_n: float
    """Of grains on the wheel, across the slope [N]."""
    largest_overlap: float
    """Of all contacts of the whole climb, over the smaller radius [-]."""
    usual_overlap: float
    """That 999 of 1000 contacts of the end stay below [-]."""
    grains: int
    """In the bin."""
    bulk_density_kgpm3: float
    """Of the bed [kg/m^3]."""
    step_s: float
    """[s]."""
    wall_s: float
    """What the climb took, filling the bin apart [s]."""
    track: tuple[tuple[float, float, float, float], ...]
    """Time [s], way along the slope [m], depth of the tip circle [m], torque [N m]."""


def climb(rig: WheelRig, slope_deg: float, tick: Tick, bed: ClimbBed | None = None) -> Climbed:
    """Return how a wheel climbs a slope; gravity is tilted, the bed is level.

    The bin is filled once for all slopes of a process. The wheel starts at rest a little above the surface.

    :param slope_deg: upwards in the direction of travel [deg]
    :param tick: progress callback (done, total)
    :raises ValueError: if the bed is too short, or grains are too large for the wheel
    """
    bed = bed or ClimbBed()
    check(rig, slope_deg, bed)
    filled = _filled(bed.bin, bed.grains, rig.gravity_mps2, bed.threads, lambda part: tick(int(_PREPARING * part), 100))
    tilt = math.radians(slope_deg)
    gravity = rig.gravity_mps2 * np.array([-math.sin(tilt), 0.0, -math.cos(tilt)])
    tip = rig.outermost_m
    near = np.abs(filled.place[:, 0] - _start(rig)) < tip
    level = float((filled.place[near, 2] + filled.scale[near]).max())  # nothing sticks into the wheel
    rotor = Body(
        wheel(rig.radius_m, rig.width_m, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m),
        bed.grains.material().model_copy(update={'friction': bed.wheel_friction}),
        place=(_start(rig), 0.0, tip + level), spin=(0.0, rig.omega_radps, 0.0), mass=rig.mass_kg,
        free=(True, False, True),
    )
    a = Assembly(filled.place, filled.scale, bed.grains.material(), bodies=[bed.bin.walls(bed.grains), rotor],
                 gravity=gravity.tolist(), shape=bed.grains.clump(), turn=filled.turn, threads=bed.threads)
    track = [(0.0, 0.0, -level, 0.0)]
    steps = max(1, round(_BLOCK_S / a.dt))
    blocks = math.ceil(bed.drive_s / (steps * a.dt))
    begin = time.perf_counter()
    forces, overlaps = [], []
    for block in range(blocks):
        x = float(a.bodies.place[1, 0])
        a.freeze_outside((x - _BEHIND, -np.inf, -np.inf), (x + _AHEAD, np.inf, np.inf))
        a.bodies.impulse[:] = 0.0
        a.advance(steps)
        mean = a.bodies.impulse[1] / (steps * a.dt)
        track.append((a.time, float(a.bodies.place[1, 0]) - _start(rig), tip - float(a.bodies.place[1, 2]), -mean[4]))
        forces.append(mean[2])
        if a.time > bed.drive_s - bed.mean_s:
            overlaps.append(a.overlaps())
        tick(_PREPARING + int((100 - _PREPARING) * (block + 1) / blocks), 100)
    samples = np.array(track)
    end = samples[:, 0] > a.time - bed.mean_s - 1e-9
    late = samples[:, 0] > a.time - 0.5 * bed.mean_s - 1e-9
    speed, second, first = (float(np.polyfit(samples[k, 0], samples[k, 1], 1)[0]) for k in (end, late, end & ~late))
    torque = float(samples[end, 3].mean())
    return Climbed(
        slip=1.0 - speed / (rig.omega_radps * tip), slip_drift=(first - second) / (rig.omega_radps * tip),
        sinkage_m=float(samples[end, 2].mean()), speed_mps=speed, torque_nm=torque, power_w=torque * rig.omega_radps,
        normal_force_n=float(np.mean(forces[-int(end.sum()):])), largest_overlap=a.largest_overlap,
        usual_overlap=float(np.quantile(np.concatenate(overlaps), 0.999)), grains=len(filled.scale),
        bulk_density_kgpm3=filled.bulk_density, step_s=a.dt, wall_s=time.perf_counter() - begin, track=tuple(track),
    )


def check(rig: WheelRig, slope_deg: float, bed: ClimbBed) -> None:
    """Refuse a climb that cannot be.

    :raises ValueError: naming the value and what is allowed
    """
    if not -45.0 <= slope_deg <= 45.0:
        raise ValueError(f'slope_deg {slope_deg!r}; allowed: -45 to 45')
    if bed.grains.radius_m > 0.25 * rig.width_m:
        raise ValueError(f'radius_m {bed.grains.radius_m!r} of grains; allowed: at most a quarter of width_m, '
                         f'{rig.width_m!r}')
    length = 2.0 * _start(rig) + 0.9 * rig.omega_radps * rig.outermost_m * bed.drive_s
    if bed.bin.length_m < length:
        raise ValueError(f'length_m {bed.bin.length_m!r} of the bin; allowed: at least {length:.3g} m for '
                         f'{bed.drive_s!r} s')
    if bed.bin.width_m < 1.2 * rig.width_m:
        raise ValueError(f'width_m {bed.bin.width_m!r} of the bin; allowed: at least 1.2 times that of the wheel')


def _start(rig: WheelRig) -> float:
    """Return where the axle starts: so that the tips keep off the wall behind [m]."""
    return 1.1 * rig.outermost_m


_beds: dict[str, Filled] = {}
"""The last bed that was filled, by what it is."""


def _filled(bed: Bin, grains: Grains, gravity: float, threads: int, tick: Callable[[float], None]) -> Filled:
    key = f'{bed!r} {grains!r} {gravity!r}'
    if key not in _beds:
        made = fill(bed, grains, gravity, threads, tick)
        _beds.clear()
        _beds[key] = made
    tick(1.0)
    return _beds[key]
