# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiment ``tire-rig``: forces of a tire over slip, slip angle, camber, load and friction, or over time."""

from __future__ import annotations

import math
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_testbeds.bench_motions import COLUMNS as MOTION_COLUMNS
from regolith_testbeds.bench_motions import BenchMotion, Kind, run_motion
from regolith_testbeds.settings import SeveralNumbers, Tick, known_name, number_within
from regolith_vehicles.tires import RingConfig, Tire, load_tire

COLUMNS = (
    'load_n',
    'slip',
    'slip_angle_deg',
    'camber_deg',
    'friction',
    'fx_n',
    'fy_n',
    'mx_nm',
    'my_nm',
    'mz_nm',
    'depth_m',
)
_MOST_ROWS = 100_000
_SMALL = 1e-4
"""Slip and slip angle [rad] at which stiffness is computed."""


class Settings(Section):
    """Settings of the rig: a wheel at a fixed load, speed and attitude; lists of values make a grid of all of them."""

    tire: Annotated[str, known_name(load_tire)] = Field(
        default='hmmwv_tmeasy', min_length=1, description='Name of a known tire, or path of a tire YAML file.'
    )
    tire_mode: Literal['regolith', 'reference'] = Field(
        default='regolith', description="Tire behavior. Reference: as Chrono's tires respond."
    )
    load_n: SeveralNumbers = Field(default=(6000.0,), description='Load [N].')
    slip: SeveralNumbers = Field(default=(0.0,), description='Slip ratio (omega R - v) / v [-], positive for driving.')
    slip_angle_deg: SeveralNumbers = Field(
        default=(0.0,), description='Slip angle [deg], positive if the wheel moves to the left.'
    )
    camber_deg: SeveralNumbers = Field(
        default=(0.0,), description='Camber [deg], positive if the top leans to the right.'
    )
    friction: SeveralNumbers = Field(default=(0.8,), description='Friction coefficient of the ground [-].')
    speed_mps: float = Field(default=10.0, ge=-200.0, le=200.0, description='Forward speed [m/s].')
    motion: Kind | None = Field(
        default=None,
        description='Motion over time, with the first load, slip, slip angle, camber and friction. Absent: steady'
        ' state.',
    )
    duration_s: float = Field(default=2.0, gt=0.0, le=1000.0, description='Duration of a motion [s].')
    step_s: float = Field(default=1e-3, ge=1e-6, le=0.1, description='Step size of a motion [s].')
    acceleration_mps2: float = Field(
        default=1.0, ge=-100.0, le=100.0, description='Motion ramp only: acceleration [m/s^2].'
    )
    amplitude_mps: float = Field(
        default=0.2, ge=-100.0, le=100.0, description='Motions stand_… only: amplitude of the speed [m/s].'
    )
    frequency_hz: float = Field(default=1.0, ge=0.0, le=1e3, description='Motions stand_… only: frequency [Hz].')
    pull_n: float = Field(
        default=1000.0, ge=-1e7, le=1e7, description='Motions pull_… only: force that acts for one second [N].'
    )

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('load_n', self.load_n, 0.0, 1e7)
        number_within('slip_angle_deg', self.slip_angle_deg, -90.0, 90.0)
        number_within('camber_deg', self.camber_deg, -60.0, 60.0)
        number_within('friction', self.friction, 0.0, 5.0)
        if (count := math.prod(map(len, self.grid()))) > _MOST_ROWS:
            raise ValueError(f'grid: has {count} rows; allowed: up to {_MOST_ROWS}')
        if self.motion is not None and count > 1:
            raise ValueError(
                f'motion = {self.motion!r}: does not apply to a grid of {count} rows; allowed: single values'
            )
        if self.motion is not None and self.duration_s / self.step_s > _MOST_ROWS:
            raise ValueError(
                f'duration_s = {self.duration_s!r}: has too many steps; allowed: up to {_MOST_ROWS * self.step_s:g}'
            )
        tire = self.made()
        if isinstance(tire.config, RingConfig):
            raise ValueError(f'tire = {self.tire!r}: is of type ring, without curves of slip; allowed: the other types')
        most = np.asarray(self.load_n)[np.isnan(tire.depth(self.load_n))]
        if len(most):
            top = tire.config.load_curve[-1][1]
            raise ValueError(
                f'load_n = {float(most[0])!r}: exceeds the load curve of {self.tire}; allowed: up to {top!r}'
            )
        return self

    def grid(self) -> tuple[tuple[float, ...], ...]:
        """Return the values of each axis, in the order of the columns."""
        return self.load_n, self.slip, self.slip_angle_deg, self.camber_deg, self.friction

    @property
    def bench_motion(self) -> BenchMotion:
        """Motion of the rig."""
        assert self.motion is not None
        return BenchMotion(
            self.motion,
            self.speed_mps,
            self.slip[0],
            math.radians(self.slip_angle_deg[0]),
            self.acceleration_mps2,
            self.amplitude_mps,
            self.frequency_hz,
            self.pull_n,
        )

    def made(self) -> Tire:
        """Return the tire of the settings."""
        return load_tire(self.tire, self.tire_mode)


def run(settings: Settings, tick: Tick) -> dict[str, Any]:
    """Return ``columns``, ``rows`` and ``summary``: peaks and stiffness of the tire for each load and friction.

    Source: pacejka2012, section 1.2.1.
    Checked by: test_tires.py::test_rig_summary_matches_the_tire.
    """
    tire = settings.made()
    if settings.motion is not None:
        rolling = tire.start(
            load=settings.load_n[0], camber=math.radians(settings.camber_deg[0]), friction=settings.friction[0]
        )
        count = round(settings.duration_s / settings.step_s) + 1
        rows = run_motion(rolling, settings.bench_motion, settings.step_s, count)
        tick(1, 1)
        return {'columns': list(MOTION_COLUMNS), 'rows': rows.tolist(), 'summary': _moved_figures(rows)}
    table = np.array(list(product(*settings.grid())))
    load, slip, angle, camber, friction = table.T
    found = tire.steady_state(
        load=load,
        slip=slip,
        slip_angle=np.radians(angle),
        camber=np.radians(camber),
        friction=friction,
        speed=settings.speed_mps,
    )
    out = np.column_stack((table, *(found[name] for name in ('Fx', 'Fy', 'Mx', 'My', 'Mz')), tire.depth(load)))
    summary = [_figures(tire, *at, settings.speed_mps) for at in product(settings.load_n, settings.friction)]
    tick(1, 1)
    return {'columns': list(COLUMNS), 'rows': out.tolist(), 'summary': summary}


def _moved_figures(rows: NDArray[np.float64]) -> dict[str, float]:
    """Return the summary of a motion: maximum forces, last forces, and displacement."""
    column = dict(zip(MOTION_COLUMNS, rows.T, strict=True))
    return {
        'greatest_fx_n': float(np.abs(column['Fx_N']).max()),
        'greatest_fy_n': float(np.abs(column['Fy_N']).max()),
        'last_fx_n': float(column['Fx_N'][-1]),
        'last_fy_n': float(column['Fy_N'][-1]),
        'last_mz_nm': float(column['Mz_Nm'][-1]),
        'last_y_m': float(column['y_m'][-1]),
    }


def _figures(tire: Tire, load: float, friction: float, speed: float) -> dict[str, float]:
    """Return the summary of one load [N] and one friction coefficient."""
    given = {'load': load, 'friction': friction, 'speed': speed}
    slips, angles = np.linspace(-1.0, 1.0, 401), np.radians(np.linspace(-45.0, 45.0, 361))
    along = tire.steady_state(slip=slips, **given)['Fx']
    across = tire.steady_state(slip_angle=angles, **given)['Fy']
    small = np.array([-_SMALL, _SMALL])
    steep_x = np.diff(tire.steady_state(slip=small, **given)['Fx'])[0] / (2.0 * _SMALL)
    steep_y = -np.diff(tire.steady_state(slip_angle=small, **given)['Fy'])[0] / (2.0 * _SMALL)
    drives, right = int(np.argmax(along)), int(np.argmax(across))
    return {
        'load_n': load,
        'friction': friction,
        'depth_m': float(tire.depth(load)),
        'peak_fx_n': float(along[drives]),
        'peak_slip': float(slips[drives]),
        'peak_fy_n': float(across[right]),
        'peak_slip_angle_deg': float(-math.degrees(angles[right])),
        'slip_stiffness_n': float(steep_x),
        'cornering_stiffness_npdeg': float(steep_y) * math.pi / 180.0,
    }


def draw(settings: Settings, result: dict[str, Any], axes: Any) -> None:
    """Draw the force over the axis with the most values, one curve for each combination of the others."""
    if settings.motion is not None:
        column = dict(zip(result['columns'], np.array(result['rows']).T, strict=True))
        axes.plot(column['t_s'], column['Fx_N'], label='forward')
        axes.plot(column['t_s'], column['Fy_N'], label='to the left')
        axes.set_xlabel('time [s]')
        axes.set_ylabel('force [N]')
        axes.set_title(f'{settings.tire}, {settings.motion}, {settings.tire_mode}')
        return
    rows, names = np.array(result['rows']), COLUMNS[: len(settings.grid())]
    over = max(range(len(names)), key=lambda k: len(set(settings.grid()[k])))
    force = 'fx_n' if names[over] == 'slip' else 'fy_n'
    others = [k for k in range(len(names)) if k != over]
    for at in sorted({tuple(row) for row in rows[:, others].tolist()}):
        curve = rows[(rows[:, others] == at).all(axis=1)]
        label = ', '.join(
            f'{names[k]} {value:g}' for k, value in zip(others, at, strict=True) if len(settings.grid()[k]) > 1
        )
        axes.plot(curve[:, over], curve[:, COLUMNS.index(force)], label=label or None)
    axes.set_xlabel(names[over].replace('_deg', ' [deg]').replace('_n', ' [N]').replace('_', ' '))
    axes.set_ylabel('force along [N]' if force == 'fx_n' else 'force to the left [N]')
    axes.set_title(f'{settings.tire} at {settings.speed_mps:g} m/s, {settings.tire_mode}')
