# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the plots of testbeds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from regolith_terrain.excavation.report import profile_picture
from regolith_testbeds.experiments import angle_of_repose, bucket_drum, cratering, multipass, plate_sinkage
from regolith_testbeds.slope_settings import SlopeSettings, plot_slopes


def drawn(module: Any, settings: Any, rows: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the axes and their lines keyed by label, shape (2, n)."""
    axes = Figure().add_subplot()
    (module.draw if hasattr(module, 'draw') else module)(settings, rows, axes)
    return axes, {str(line.get_label()): np.array(line.get_data(), dtype=float) for line in axes.lines}


def test_cratering_plot_shows_depth_over_drop_height() -> None:
    rows = [
        {'incomplete': False, 'drop_height_m': 0.1, 'depth_m': 0.012, 'uehara_depth_m': 0.013},
        {'incomplete': True, 'drop_height_m': 0.4, 'depth_m': 0.1, 'uehara_depth_m': 0.02},
        {'incomplete': False, 'drop_height_m': 0.8, 'depth_m': 0.031, 'uehara_depth_m': 0.03},
    ]
    settings = SimpleNamespace(
        terrain_model='crm', ball_density_kgpm3=2200.0, particle_soil=SimpleNamespace(name='sand')
    )
    axes, lines = drawn(cratering, settings, rows)
    (measured,) = (line for label, line in lines.items() if 'Uehara' not in label)
    (paper,) = (line for label, line in lines.items() if 'Uehara' in label)
    assert measured == pytest.approx(np.array([[0.1, 0.8], [12.0, 31.0]])) and paper[1] == pytest.approx(
        [13.0, 20.0, 30.0]
    )
    assert axes.get_ylabel() == 'depth [mm]' and axes.get_xscale() == axes.get_yscale() == 'log'


def test_drum_plot_shows_torque_over_revolutions() -> None:
    rows = [{'curve': [[0.1, 2.0], [0.6, 5.0]], 'depth_m': 0.08}, {'curve': [], 'depth_m': 0.1}]
    _, lines = drawn(bucket_drum, bucket_drum.Settings(depth_m=(0.08, 0.1)), rows)
    assert lines['scm, 80 mm deep'].tolist() == [[0.1, 0.6], [2.0, 5.0]]
    (mark,) = (line for label, line in lines.items() if label != 'scm, 80 mm deep')
    assert mark[0].tolist() == [0.5, 0.5]  # start of the averages
    assert not drawn(bucket_drum, bucket_drum.Settings(), [{'curve': None, 'depth_m': 0.1}])[1]


def test_repose_plot_shows_heap_and_initial_column() -> None:
    settings = angle_of_repose.Settings(radius_m=0.04, height_m=0.06, element_count=250)
    row = {
        'incomplete': False,
        'elements': 250,
        'profile_m': [[0.01, 0.03], [0.05, 0.004]],
        'friction': 0.4,
        'slope_deg': 31.24,
        'column_m': 0.058,
    }
    axes, lines = drawn(angle_of_repose, settings, [{**row, 'incomplete': True}, row])
    assert lines['friction 0.4: 31.2°'] == pytest.approx(np.array([[10.0, 50.0], [30.0, 4.0]]))
    (column,) = (line for label, line in lines.items() if not label.startswith('friction'))
    assert column == pytest.approx(np.array([[0.0, 40.0, 40.0], [58.0, 58.0, 0.0]]))
    assert axes.get_xlabel().endswith('[mm]') and axes.get_title().startswith('250 elements')
    assert not drawn(angle_of_repose, settings, [{**row, 'incomplete': True}])[1]


def test_plate_plot_shows_pressure_of_the_largest_load() -> None:
    settings = SimpleNamespace(
        terrain_model='crm', shape='disc', gravity_mps2=1.62, particle_soil=SimpleNamespace(name='sand')
    )
    row = {
        'load_n': 10.0,
        'area_m2': 0.02,
        'curve': [[0.001, 4.0], [0.003, 9.0]],
        'knee_pa': 400.0,
        'terzaghi_pa': 500.0,
    }
    axes, lines = drawn(
        plate_sinkage,
        settings,
        [row, {**row, 'load_n': 20.0, 'curve': [[0.002, 12.0]]}, {**row, 'load_n': 99.0, 'curve': []}],
    )
    assert lines['crm'] == pytest.approx(np.array([[2.0], [0.6]]))  # mm, kPa
    assert lines['knee'][1] == pytest.approx([0.4, 0.4]) and lines['Terzaghi'][1] == pytest.approx([0.5, 0.5])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ('sinkage [mm]', 'pressure [kPa]')
    assert 'knee' not in drawn(plate_sinkage, settings, [{**row, 'knee_pa': None}])[1]


def test_multipass_plot_shows_sinkage_left_and_pull_right() -> None:
    rows = [{'pass': k + 1, 'sinkage_m': 0.01 * (k + 1), 'drawbar_pull_n': 30.0 - k} for k in range(3)]
    axes, lines = drawn(multipass, multipass.Settings(), rows)
    assert lines['sinkage'] == pytest.approx(np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    (other,) = (each for each in axes.figure.axes if each is not axes)
    assert list(other.lines[0].get_data()[1]) == [30.0, 29.0, 28.0] and other.get_ylabel() == 'drawbar pull [N]'


def test_slope_plot_is_sorted_with_hollow_unsteady_rows() -> None:
    rows = [
        {'slope_deg': 20.0, 'slip': 0.6, 'steady': False, 'incomplete': False},
        {'slope_deg': 5.0, 'slip': 0.1, 'steady': True, 'incomplete': False},
        {'slope_deg': 10.0, 'slip': 0.2, 'steady': True, 'incomplete': True},
        {'slope_deg': 30.0, 'slip': None, 'steady': False, 'incomplete': True},
    ]
    axes, lines = drawn(plot_slopes, SlopeSettings.model_validate({'slope_deg': '5'}), rows)
    assert np.array(axes.lines[0].get_data()).tolist() == [[5.0, 10.0, 20.0], [0.1, 0.2, 0.6]]
    assert lines['scm'].tolist() == [[5.0], [0.1]] and lines['not steady'].tolist() == [[20.0], [0.6]]
    assert lines['incomplete'].tolist() == [[10.0], [0.2]]
    faces = {str(line.get_label()): line.get_markerfacecolor() for line in axes.lines[1:]}
    assert faces == {'scm': 'C0', 'not steady': 'white', 'incomplete': 'white'}


def test_profile_plot_starts_at_zero_distance() -> None:
    one = {
        'step_m': 0.25,
        'rise_m': [0.0, 0.02, -0.01],
        'highest_m': 0.02,
        'lowest_m': -0.01,
        'above_m2': 0.1,
        'below_m2': 0.05,
    }
    first, second = profile_picture({'berm': one, 'a trench': {**one, 'step_m': 0.5}}).axes
    assert np.array(second.lines[0].get_data()).tolist() == [[0.0, 0.25, 0.5], [0.0, 0.02, -0.01]]
    assert first.lines[0].get_data()[0].tolist() == [0.0, 0.5, 1.0]  # in name order
    assert second.get_title(loc='left').startswith('berm: 0.020 m high, 0.1000 m')
