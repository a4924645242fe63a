# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the plots of tire and vehicle experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from regolith_testbeds.experiments import proving_ground, tire_rig, vehicle_slope
from regolith_testbeds.proving_ground.settings import Settings


def drawn(module: Any, settings: Any, rows: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the axes and their lines by label, shape (2, n)."""
    axes = Figure().add_subplot()
    module.draw(settings, rows, axes)
    return axes, {str(line.get_label()): np.array(line.get_data(), dtype=float) for line in axes.lines}


def test_slope_plot_shows_slip_over_slope() -> None:
    axes, lines = drawn(
        vehicle_slope, vehicle_slope.Settings(), [{'slope_deg': 5.0, 'slip': 0.1}, {'slope_deg': 15.0, 'slip': 0.4}]
    )
    assert lines['regolith mode'].tolist() == [[5.0, 15.0], [0.1, 0.4]] and axes.get_xlabel() == 'slope [deg]'


def test_tire_motion_plot_shows_forces_over_time() -> None:
    settings = tire_rig.Settings.model_validate({'tire': 'hmmwv_fiala', 'motion': 'ramp', 'duration_s': 0.05})
    made = tire_rig.run(settings, lambda done, total: None)
    _, lines = drawn(tire_rig, settings, made)
    column = dict(zip(made['columns'], np.array(made['rows']).T, strict=True))
    assert lines['forward'].tolist() == [column['t_s'].tolist(), column['Fx_N'].tolist()]
    assert lines['to the left'][1].tolist() == column['Fy_N'].tolist()


def test_tire_grid_plot_uses_the_axis_with_most_values() -> None:
    settings = tire_rig.Settings(
        tire='hmmwv_fiala', load_n=(4000.0, 6000.0), slip=(0.0,), slip_angle_deg=(-4.0, 0.0, 2.0, 5.0)
    )
    made = tire_rig.run(settings, lambda done, total: None)
    axes, lines = drawn(tire_rig, settings, made)
    rows = [dict(zip(made['columns'], row, strict=True)) for row in made['rows']]
    assert len(lines) == 2 and axes.get_xlabel() == 'slip angle [deg]' and axes.get_ylabel() == 'force to the left [N]'
    for load in (4000.0, 6000.0):
        (curve,) = (line for label, line in lines.items() if f'{load:g}' in label)
        assert curve[0].tolist() == [-4.0, 0.0, 2.0, 5.0]
        assert curve[1].tolist() == [row['fy_n'] for row in rows if row['load_n'] == load]
    settings = tire_rig.Settings(tire='hmmwv_fiala', slip=(-0.1, 0.0, 0.2))
    axes, lines = drawn(tire_rig, settings, tire_rig.run(settings, lambda done, total: None))
    assert axes.get_xlabel() == 'slip' and axes.get_ylabel() == 'force along [N]'
    (curve,) = lines.values()
    assert curve[1][0] < 0.0 < curve[1][2]


@pytest.mark.parametrize(
    ('vehicle', 'maneuver', 'other'),
    [
        ('hmmwv', 'step_steer', 'yaw_rate_radps'),
        ('hmmwv', 'brake', 'ax_mps2'),
        ('m113', 'pivot', 'yaw_rate_radps'),
        ('m113', 'straight', 'pitch_deg'),
        ('viper', 'box', 'pitch_deg'),
        ('viper', 'circle', 'yaw_rate_radps'),
    ],
)
def test_proving_ground_plot_shows_the_quantity_of_the_maneuver(vehicle: str, maneuver: str, other: str) -> None:
    columns = ['t_s', 'vx_mps', 'yaw_rate_radps', 'ax_mps2', 'pitch_deg']
    table = np.arange(15.0).reshape(3, 5) ** 1.5
    axes, lines = drawn(
        proving_ground,
        Settings(vehicle=vehicle, maneuver=maneuver),
        {'columns': columns, 'rows': table.tolist()},
    )  # type: ignore[arg-type]
    assert lines['forward speed [m/s]'].tolist() == [table[:, 0].tolist(), table[:, 1].tolist()]
    (beside,) = (each for each in axes.figure.axes if each is not axes)
    assert list(beside.lines[0].get_data()[1]) == table[:, columns.index(other)].tolist()
    assert beside.get_ylabel().startswith({'y': 'yaw rate', 'a': 'acceleration', 'p': 'pitch'}[other[0]])
