# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the path of a track around its discs, against plane geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_vehicles.tracks.path import COLUMNS, LENGTH, lay_track, point_on


def laid(x: list[float], z: list[float], radius: list[float], pitch: float) -> tuple[np.ndarray, float]:
    pieces = np.full((2 * len(x) + 2, COLUMNS), math.nan)
    count, total = lay_track(np.array(x), np.array(z), np.array(radius), pitch, pieces)
    return pieces[:count], total


def places(pieces: np.ndarray, total: float, count: int) -> np.ndarray:
    """Return ``count`` points evenly spaced along the path, and their normals, shape (count, 4)."""
    ends = np.cumsum(pieces[:, LENGTH])
    out = []
    for way in np.arange(count) * total / count:
        k = min(int(np.searchsorted(ends, way)), len(pieces) - 1)
        out.append(point_on(pieces[k], way - (ends[k] - pieces[k, LENGTH])))
    return np.array(out)


@pytest.mark.parametrize(('front', 'rear'), [(0.3, 0.3), (0.25, 0.4), (0.5, 0.2)])
def test_band_length_around_two_discs_matches_geometry(front: float, rear: float) -> None:
    """Two tangents and two arcs; with a pitch of a micrometer chords are arcs to 1e-10."""
    apart = 2.0
    sine = (front - rear) / apart
    lean = math.asin(sine)
    expected = 2.0 * apart * math.cos(lean) + front * (math.pi + 2.0 * lean) + rear * (math.pi - 2.0 * lean)
    _, total = laid([0.0, -apart * 0.8], [0.0, apart * 0.6], [front, rear], 1e-6)
    assert total == pytest.approx(expected, rel=1e-9)


def test_inner_wheels_do_not_change_the_path() -> None:
    _, without = laid([0.0, -3.0], [0.0, 0.0], [0.3, 0.3], 0.1)
    _, inside = laid([0.0, -1.0, -2.0, -3.0], [0.0, 0.05, 0.02, 0.0], [0.3, 0.3, 0.3, 0.3], 0.1)
    _, outside = laid([0.0, -1.0, -2.0, -3.0], [0.0, -0.05, 0.02, 0.0], [0.3, 0.3, 0.3, 0.3], 0.1)
    assert inside == pytest.approx(without, rel=1e-12) and outside > without + 1e-3


def test_pins_are_one_pitch_apart() -> None:
    """All around the discs of an M113; a shoe half on a disc is off by p^3 / (60 R^2), below 1 mm."""
    x = [0.0, -0.655, -1.322, -1.989, -2.656, -3.322, -3.95]
    z = [0.0, -0.215, -0.215, -0.215, -0.215, -0.215, -0.12]
    pitch = 0.154
    radius = [0.5 * pitch / math.sin(math.pi / 10), 0.335, 0.335, 0.335, 0.335, 0.335, 0.285]
    pieces, total = laid(x, z, radius, pitch)
    pins = places(pieces, total, 63)
    chords = np.hypot(*(np.roll(pins[:, :2], -1, axis=0) - pins[:, :2]).T)
    assert np.abs(chords - total / 63).max() < 1e-3
    # Outward, and clockwise: down at the front, back below, forward above.
    assert pins[0] == pytest.approx([radius[0], 0.0, 1.0, 0.0])
    travel = np.roll(pins[:, :2], -1, axis=0) - pins[:, :2]
    middle = np.array([-2.0, -0.1])
    assert (np.einsum('ni,ni->n', pins[:, :2] - middle, pins[:, 2:]) > 0.0).all()
    assert (travel[pins[:, 3] > 0.9, 0] > 0.0).all() and (travel[pins[:, 3] < -0.9, 0] < 0.0).all()
