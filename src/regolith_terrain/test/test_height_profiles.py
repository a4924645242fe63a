# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of height profiles of a ridge and a trench with known cross-sections."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain.config import ProfileConfig, TerrainConfig
from regolith_terrain.excavation.report import section
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import PlaneField
from regolith_terrain.height_profiles import profile, profiles


def grid_with_a_ridge() -> SoilGrid:
    """Return a soil grid with a triangular ridge along y, 0.4 m wide and 0.1 m high, and a trench beside it, on a
    slope.
    """
    grid = SoilGrid(PlaneField(0.1), 0.02)
    i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(np.arange(-30, 50), np.arange(-20, 21), indexing='ij'))
    rise = np.maximum(0.0, 0.1 - 0.5 * np.abs(i * 0.02)) - 0.05 * (i >= 30)
    records = grid.records_at(i, j).values()
    records[:2] += rise
    grid.apply(NodeRecords.from_values(i, j, records))
    return grid


def test_profile_measures_the_rise_above_undisturbed_terrain() -> None:
    """Half of 0.4 x 0.1 m^2 above, 0.4 x 0.05 m^2 below; both are longer by sqrt(2) across the ridge at 45 degrees."""
    grid = grid_with_a_ridge()
    straight = profile(grid, ProfileConfig(start=(-0.5, 0.0), end=(0.98, 0.0)))
    assert straight['step_m'] == pytest.approx(0.02) and len(straight['rise_m']) == 75
    assert straight['highest_m'] == pytest.approx(0.1) and straight['lowest_m'] == pytest.approx(-0.05)
    assert straight['above_m2'] == pytest.approx(0.02, rel=1e-6)
    assert straight['below_m2'] == pytest.approx(0.02, rel=0.02)
    aslant = profile(grid, ProfileConfig(start=(-0.3, -0.3), end=(0.3, 0.3)))
    assert aslant['above_m2'] == pytest.approx(0.02 * math.sqrt(2.0), rel=0.05)


def test_profiles_are_sorted_and_zero_length_is_rejected() -> None:
    """Profiles are in name order; a line of zero length is rejected."""
    lines = {name: ProfileConfig(start=(0.0, 0.0), end=(1.0, 0.0)) for name in ('b', 'a')}
    assert list(profiles(grid_with_a_ridge(), lines)) == ['a', 'b']
    with pytest.raises(ValidationError, match='allowed: a point other than start'):
        TerrainConfig.model_validate({'source': 'flat', 'profiles': {'a': {'start': [1.0, 0.0], 'end': [1.0, 0.0]}}})


class FakeRun:
    """Finished run as a report section reads it."""

    def __init__(self, soil: bool, lines: bool) -> None:
        line = {'a': ProfileConfig(start=(-0.5, 0.0), end=(0.5, 0.0))}
        book = {'ground_kg': -3.0, 'carried_kg': 3.0, 'in_flight_kg': 0.0, 'in_transit_kg': 0.0, 'error_kg': 0.0}
        own = {'soil': {'excavated_kg': 4.0, 'dumped_kg': 1.0}} if soil else {}
        shown = {'profiles': profiles(grid_with_a_ridge(), line)} if lines else {}
        self.summary = {'vehicles': {'digger': own}, 'terrain': {'mass_balance': book, **shown}}


@pytest.mark.parametrize(('soil', 'lines', 'parts'), [(True, True, 4), (True, False, 3), (False, True, 1)])
def test_excavation_report_has_soil_and_profiles(soil: bool, lines: bool, parts: int) -> None:
    """The section has a plot of profiles and tables of soil and mass balance; None for a run without both."""
    made = section(FakeRun(soil, lines))
    assert made is not None and made.title == 'Digging' and len(made.parts) == parts
    assert section(FakeRun(False, False)) is None
