# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots of objects: values, axes and units."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regolith_world.reporting.plots import chain_plots, line_plot, motion_plot

TIME = np.linspace(0.0, 3.0, 16)
PATH = np.stack([10.0 + TIME, -5.0 + 3.0 * TIME, 0.2 * TIME**2], axis=1)


def test_moving_objects_are_drawn_by_height_over_time_and_from_above() -> None:
    """An object that exists for a part of the time is marked at its last position."""
    late = PATH[:, [1, 0, 2]].copy()
    late[:4] = late[12:] = np.nan
    heights, paths = motion_plot(TIME.tolist(), {'ball': PATH, 'late': late}).axes
    assert [line.get_label() for line in heights.lines] == ['ball', 'late']
    for line, positions in zip(heights.lines, (PATH, late), strict=True):
        np.testing.assert_array_equal(np.transpose(line.get_data()), np.column_stack([TIME, positions[:, 2]]))
    for line, positions in zip(paths.lines[::2], (PATH, late), strict=True):
        np.testing.assert_array_equal(np.transpose(line.get_data()), positions[:, :2])
    ends = [np.ravel(line.get_data()).tolist() for line in paths.lines[1::2]]
    assert ends == [PATH[-1, :2].tolist(), late[11, :2].tolist()]
    assert (heights.get_xlabel(), heights.get_ylabel()) == ('time [s]', 'z, up [m]')
    assert (paths.get_xlabel(), paths.get_ylabel(), paths.get_aspect()) == ('x, east [m]', 'y, north [m]', 1.0)


def test_lines_are_drawn_with_the_distance_of_their_ends_and_their_lengths() -> None:
    far = 2.0 + TIME
    paths: Any = SimpleNamespace(time=TIME, lines={'rod': far, 'spring': 0.5 * far}, lengths={'spring': 1.5})
    (axes,) = line_plot(paths).axes
    drawn = {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.lines}
    assert list(drawn) == ['rod: distance of its ends', 'spring: distance of its ends', 'spring: its length']
    np.testing.assert_array_equal(drawn['rod: distance of its ends'], far)
    np.testing.assert_array_equal(drawn['spring: distance of its ends'], 0.5 * far)
    assert set(drawn['spring: its length']) == {1.5} and axes.get_xlabel() == 'time [s]'


@pytest.mark.parametrize('axis', [0, 1])
def test_chain_is_drawn_from_its_wide_side_at_the_first_and_the_last_time(axis: int) -> None:
    """A chain along x or y that sags in the middle: its width along one axis of the plot, its sag along the other."""
    along = np.linspace(-2.0, 2.0, 9)
    positions = np.zeros((len(TIME), 9, 3))
    positions[:, :, axis] = along
    positions[:, :, 2] = TIME[:, None] * (along**2 / 4.0 - 1.0)
    (axes,) = chain_plots('chain', TIME.tolist(), positions).axes
    labels = [line.get_label() for line in axes.lines]
    assert labels[0] == '0.0 s' and labels[-1] == '3.0 s' and len(labels) == 7
    last = axes.lines[-1]
    assert np.ptp(last.get_xdata()) == pytest.approx(4.0) and np.ptp(last.get_ydata()) == pytest.approx(3.0)
    np.testing.assert_allclose(last.get_ydata(), positions[-1, :, 2])
