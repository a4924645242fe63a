# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slope climbs of a driven wheel: rig, wheel dynamics and measured results for all terrain models.

Gravity is tilted and the bed is level: x points up the slope, z away from the soil, whose surface is z = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from regolith_files import FileKind, FileLibrary, Section, validated
from regolith_terrain.grid import Floats

STEADY = 0.02
"""Largest change of slip between the halves of the averaging time that counts as steady [-]."""
_SHOWN = 40
"""Number of points of a track in a row."""


class Trough(Section):
    """Box of soil in which the wheel drives."""

    length_m: float = Field(default=1.3, gt=0.0, le=20.0, description='Length of the trough along x [m].')
    width_m: float = Field(default=0.4, gt=0.0, le=20.0, description='Width of the trough along y [m].')
    depth_m: float = Field(default=0.12, gt=0.0, le=5.0, description='Depth of the soil in the trough [m].')


class WheelRig(Section):
    """A grousered wheel with constant rate and a mass, free to travel and to sink.

    Defaults are those of the single-wheel tests with GRC-1 to which Hu et al. (2024) compare.
    """

    name: str = Field(default='custom', description='Name of the rig in reports.')
    radius_m: float = Field(default=0.225, ge=0.02, le=5.0, description='Radius of the rim [m].')
    width_m: float = Field(default=0.2, ge=0.01, le=5.0, description='Width of the wheel [m].')
    grousers: int = Field(default=24, ge=0, le=360, description='Number of grousers.')
    grouser_height_m: float = Field(
        default=0.03, gt=0.0, le=1.0, description='Height of the grousers above the rim [m].'
    )
    grouser_thickness_m: float = Field(default=0.005, gt=0.0, le=1.0, description='Thickness of the grousers [m].')
    mass_kg: float = Field(default=17.5, gt=0.0, le=1e5, description='Mass on the wheel, including the wheel [kg].')
    omega_radps: float = Field(default=0.8, gt=0.0, le=100.0, description='Wheel speed [rad/s].')
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='Gravity [m/s^2].')
    scm_soil: str = Field(default='grc1', description='SCM only: soil of the rig, name or file.')
    particle_soil: str = Field(default='grc1', description='CRM only: soil of the rig, name or file.')
    trough: Trough = Field(default_factory=Trough, description='Trough of soil.')
    settle_s: float = Field(
        default=0.25, ge=0.0, le=60.0, description='Time at the start in which the wheel can sink but not travel [s].'
    )
    spin_up_s: float = Field(
        default=0.25, ge=0.0, le=60.0, description='Time after settling in which the wheel speed rises [s].'
    )
    drive_s: float = Field(
        default=3.75, gt=0.1, le=600.0, description='Duration of the drive, from the start of rotation [s].'
    )
    scm_drive_s: float | None = Field(
        default=None, gt=0.1, le=600.0, description='SCM only: duration of the drive [s]; none: drive_s.'
    )
    averaging_fraction: float = Field(
        default=0.4,
        gt=0.05,
        le=0.8,
        description='Fraction of the drive, at its end, over which results are averaged [-].',
    )

    @property
    def outermost_m(self) -> float:
        """Radius of the grouser tips [m]."""
        return self.radius_m + (self.grouser_height_m if self.grousers else 0.0)

    @property
    def start_m(self) -> float:
        """Start distance of the axle from the rear wall, with clearance of the tips [m]."""
        return 1.1 * self.outermost_m

    @property
    def end_s(self) -> float:
        """End time of a climb [s]."""
        return self.settle_s + self.drive_s

    def on_grid(self) -> WheelRig:
        """Return the rig for SCM, which needs no trough."""
        return self if self.scm_drive_s is None else self.model_copy(update={'drive_s': self.scm_drive_s})

    def under(self, gravity: float) -> WheelRig:
        """Return the rig under another gravity [m/s^2] with scaled times.

        Times scale with the square root of length over gravity. The rate of the wheel is unchanged.

        Source: slonaker2017.
        Checked by: test_climb_scaling.py::test_crm_climb_slip_is_invariant_under_gravity_scaling.
        """
        slower = math.sqrt(self.gravity_mps2 / gravity)
        times = {
            key: value * slower
            for key in ('settle_s', 'spin_up_s', 'drive_s', 'scm_drive_s')
            if (value := getattr(self, key)) is not None
        }
        return self.model_copy(update={'gravity_mps2': gravity, **times})

    def pull(self, slope_deg: float) -> tuple[float, float, float]:
        """Return the gravity vector on a slope [m/s^2]."""
        tilt = math.radians(slope_deg)
        return -self.gravity_mps2 * math.sin(tilt), 0.0, -self.gravity_mps2 * math.cos(tilt)

    def rate(self, t: float) -> float:
        """Return the wheel speed at a time [rad/s]."""
        since = t - self.settle_s
        if since < 0.0:
            return 0.0
        return self.omega_radps * (min(1.0, since / self.spin_up_s) if self.spin_up_s > 0.0 else 1.0)


WHEEL_RIGS = FileLibrary('wheel rig', Path(__file__).parent / 'data' / 'wheel_rigs', 'regolith.wheel_rigs')


def load_wheel_rig(rig: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> WheelRig:
    """Return a rig by name, from a YAML file or from a mapping of its values.

    Args:
        rig: Name, path (relative to ``base_dir``) or inline mapping.
        base_dir: Folder of the referring file.

    Raises:
        InputError: If the input is invalid. The message names file, line, key, value and allowed values.
    """
    source = WHEEL_RIGS.read(rig, base_dir)
    source.data.setdefault('name', 'custom' if isinstance(rig, Mapping) else source.file.stem)
    return validated(WheelRig, source.data, source)


def _rig(value: Any) -> Any:
    return value if isinstance(value, WheelRig) else load_wheel_rig(value)


GivenRig = Annotated[WheelRig, BeforeValidator(_rig)]
"""A rig given by name, file or values."""


def check_slope(slope_deg: float) -> None:
    """Reject a slope that is too steep.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    if not -45.0 <= slope_deg <= 45.0:
        raise ValueError(f'slope_deg = {slope_deg!r}: is out of range; allowed: -45 to 45')


def check(rig: WheelRig, slope_deg: float) -> None:
    """Reject a climb that does not fit into the trough.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    check_slope(slope_deg)
    length = 2.0 * rig.start_m + 0.9 * rig.omega_radps * rig.outermost_m * rig.drive_s
    if rig.trough.length_m < length:
        raise ValueError(
            f'length_m {rig.trough.length_m!r} of the trough is too short; allowed: at least {length:.3g} m for '
            f'{rig.drive_s:.4g} s of driving'
        )
    if rig.trough.width_m < 1.2 * rig.width_m:
        raise ValueError(
            f'width_m {rig.trough.width_m!r} of the trough is too narrow; allowed: at least 1.2 times width_m of the '
            f'wheel, {rig.width_m!r}'
        )


class DrivenWheel:
    """Dynamics of the wheel of a rig: free travel and sinkage, given rate; semi-implicit Euler."""

    def __init__(self, rig: WheelRig, slope_deg: float) -> None:
        """Place the wheel at x = 0, touching the surface."""
        self.rig, self.slope_deg, self.pull = rig, slope_deg, rig.pull(slope_deg)
        self.state = np.array([0.0, 0.0, rig.outermost_m, 0.0, 0.0, 0.0])
        """Time [s], x and z of the axle [m], their speeds [m/s], rotation angle [rad]."""

    @property
    def t(self) -> float:
        """Simulated time [s]."""
        return float(self.state[0])

    @property
    def rate(self) -> float:
        """Current wheel speed [rad/s]."""
        return self.rig.rate(self.t)

    @property
    def rotation(self) -> Floats:
        """Rotation matrix of the wheel, shape (3, 3)."""
        c, s = math.cos(self.state[5]), math.sin(self.state[5])
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    @property
    def depth(self) -> float:
        """Depth of the circle of the tips below the surface [m]."""
        return float(self.rig.outermost_m - self.state[2])

    def push(self, along: float, across: float, dt: float) -> None:
        """Advance by a step under the soil's force along x and z [N]."""
        _, x, z, vx, vz, angle = self.state
        if self.t >= self.rig.settle_s:
            vx += dt * (along / self.rig.mass_kg + self.pull[0])
        vz += dt * (across / self.rig.mass_kg + self.pull[2])
        self.state[:] = self.t + dt, x + dt * vx, z + dt * vz, vx, vz, angle + dt * self.rate


class WheelTrack:
    """Samples of a climb: time [s], travel [m], depth of the tips [m], torque [N m], load [N]."""

    def __init__(self) -> None:
        """Create an empty track."""
        self.rows: list[tuple[float, float, float, float, float]] = []

    def add(self, t: float, way: float, depth: float, torque: float, load: float) -> None:
        """Append a sample, with torque and load as means since the last one."""
        self.rows.append((t, way, depth, torque, load))

    def array(self) -> Floats:
        """Return all samples, shape (n, 5)."""
        return np.array(self.rows, dtype=np.float64).reshape(-1, 5)

    def put(self, samples: Floats) -> None:
        """Replace the samples."""
        self.rows = [tuple(row) for row in samples.tolist()]


def measured(rig: WheelRig, samples: Floats) -> dict[str, Any]:
    """Return the results of a climb: means over the end of the drive, and the change of slip within it.

    Slip is relative to the radius of the tips, from the best linear fit of the travel.

    Args:
        rig: Rig of the climb.
        samples: Samples of a :class:`WheelTrack`, shape (n, 5).

    Returns:
        Results by name, None for each that is not yet known.
    """
    now = float(samples[-1, 0]) if len(samples) else 0.0
    span = rig.averaging_fraction * min(rig.drive_s, now - rig.settle_s)
    slack = 1e-6 * span
    end, late = samples[:, 0] >= now - span - slack, samples[:, 0] >= now - 0.5 * span - slack
    fastest = rig.omega_radps * rig.outermost_m
    keys = (
        'slip',
        'slip_drift',
        'steady',
        'sinkage_m',
        'speed_mps',
        'torque_nm',
        'power_w',
        'cost_of_transport',
        'normal_force_n',
    )
    found: dict[str, Any] = dict.fromkeys(keys)
    if span > 0.0 and min(int(late.sum()), int((end & ~late).sum())) >= 2:
        speed, second, first = (float(np.polyfit(samples[k, 0], samples[k, 1], 1)[0]) for k in (end, late, end & ~late))
        torque = float(samples[end, 3].mean())
        power, weight = torque * rig.omega_radps, rig.mass_kg * rig.gravity_mps2
        drift = (first - second) / fastest
        cost = power / (weight * speed) if speed > 0.0 else None
        depth, load = float(samples[end, 2].mean()), float(samples[end, 4].mean())
        values = (1.0 - speed / fastest, drift, abs(drift) <= STEADY, depth, speed, torque, power, cost, load)
        found.update(zip(keys, values, strict=True))
    return {**found, 'track': samples[:: -(-len(samples) // _SHOWN) or 1, :4].round(6).tolist()}


FILE_KIND = FileKind('Wheel rig', 'A wheel rig describes a wheel on a slope test bed.', lambda: {'': WheelRig})
"""Wheel rig files."""
