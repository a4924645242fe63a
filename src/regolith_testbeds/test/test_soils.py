# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil parameter files and soil regions."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil, soil_names
from regolith_terrain.contact import STAT_LOADED_NODES
from regolith_terrain.grid.soil_map import Region, SoilMap
from regolith_terrain.scm.soil import ScmSoilConfig
from regolith_testbeds.soil_bin import SoilBin, roll

LB, IN = 4.4482216, 0.0254
# Name: n, k_c [lb/in^(n+1)], k_phi [lb/in^(n+2)], c [lb/in^2], phi [deg] (Wong 2008, table 2.3).
WONG = {
    'dry_sand': (1.1, 0.1, 3.9, 0.15, 28.0),
    'sandy_loam': (0.7, 2.3, 16.8, 0.25, 29.0),
    'clay': (0.5, 12.0, 16.0, 0.6, 13.0),
    'snow': (1.6, 0.07, 0.08, 0.15, 19.7),
}


@pytest.mark.parametrize('name', WONG)
def test_soils_match_published_values_in_si(name: str) -> None:
    """Both columns of the table agree; its SI values are rounded to three digits, those in inches to one or two."""
    soil, (n, k_c, k_phi, c, phi) = load_soil(name), WONG[name]
    assert (soil.exponent, soil.friction_angle_deg) == (n, phi)
    assert soil.k_c == pytest.approx(k_c * LB / IN ** (n + 1.0), rel=0.01)
    assert soil.k_phi == pytest.approx(k_phi * LB / IN ** (n + 2.0), rel=0.01)
    assert soil.cohesion_pa == pytest.approx(c * LB / IN**2, rel=0.01)


@pytest.mark.parametrize('name', soil_names())
def test_shipped_soil_supports_a_wheel(name: str) -> None:
    """A rover wheel on the Moon reaches a stable depth, pulls less than its load, and does not sink through."""
    done = roll(SoilBin(name, 0.02, bounds=(-20, 60, -12, 13)), 180.0, 0.2)
    assert done.normal_force == pytest.approx(180.0, rel=0.02)
    assert 1e-3 < done.sinkage < 0.15
    assert -180.0 < done.drawbar_pull < 180.0


def test_soil_map_last_of_overlapping_regions_applies() -> None:
    square = Region(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 0.0)
    disc = Region(np.array([[1.0, 1.0]]), 0.5)
    rows = SoilMap(np.zeros((3, 8)), [square, disc]).rows(-10, 30, -10, 30, 0.1)
    x, y = np.meshgrid(np.arange(-10, 30) * 0.1, np.arange(-10, 30) * 0.1, indexing='ij')
    inside = np.hypot(x - 1.0, y - 1.0) < 0.499
    assert (rows[inside] == 2).all()
    interior = (x > 0.01) & (x < 0.99) & (y > 0.01) & (y < 0.99)
    assert (rows[interior & ~(np.hypot(x - 1.0, y - 1.0) < 0.501)] == 1).all()
    assert (rows[(x < -0.01) | (y < -0.01) | (x > 1.51) | (y > 1.51)] == 0).all()


def test_soil_map_is_independent_of_the_window() -> None:
    corners = np.array([[0.0, 0.0], [2.0, 0.7], [1.1, 2.3], [0.4, 1.0]])
    soil_map = SoilMap(np.zeros((2, 8)), [Region(corners, 0.0)])
    whole = soil_map.rows(-20, 200, -20, 200, 0.02)
    assert np.array_equal(soil_map.rows(13, 77, 5, 90, 0.02), whole[33:97, 25:110])
    # Shoelace formula; the border is 6 m long, with half a cell on either side.
    x, y = corners.T
    area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    assert whole.sum() * 4e-4 == pytest.approx(area, abs=6.0 * 0.01)


def test_plate_on_two_soils_has_the_sum_of_both_forces() -> None:
    """A plate on firm and soft soil: the force is the sum of both halves, with a torque."""
    firm, soft = (load_soil(name).parameters() for name in ('chrono_sandmid', 'snow'))
    firm[1] = soft[1] = firm[7] = soft[7] = 0.0  # no k_c: half a patch has a different b
    forces = []
    for table, region in ((firm, 0), (soft, 0), (np.array([firm, soft]), 1)):
        bin_ = SoilBin(table)
        bin_.ground.region[:, 35:] = region  # from y = 0; 16 of 31 columns
        bin_.plate((0.0, 0.0, -0.02))
        assert bin_.stats[STAT_LOADED_NODES] == 21 * 31
        forces.append((bin_.force[2], bin_.torque[0]))
    assert forces[2][0] == pytest.approx((15 * forces[0][0] + 16 * forces[1][0]) / 31.0, rel=1e-12)
    assert forces[2][1] < -1.0  # the firm side, towards -y, is pushed up


def test_terrain_config_regions_give_a_soil_map() -> None:
    terrain = TerrainConfig.model_validate(
        {'soil': 'snow', 'regions': [{'disc': {'center': [1.0, 2.0], 'radius_m': 3.0}, 'soil': 'clay'}]}
    )
    soils = terrain.soil_map().soils
    assert np.array_equal(soils[0], load_soil('snow').parameters())
    assert np.array_equal(soils[1], load_soil('clay').parameters())
    assert TerrainConfig.model_validate(terrain.model_dump(mode='json')) == terrain
    with pytest.raises(ValueError, match='exactly one of polygon, disc and rectangle'):
        TerrainConfig.model_validate({'regions': [{'soil': 'clay'}]})
    with pytest.raises(ValueError, match='2 soils for 0 regions'):
        SoilMap(np.zeros((2, 8)))


def test_handshake_parameters_cover_regions_and_bulldozing() -> None:
    from regolith_terrain.height_field import FlatField
    from regolith_terrain.terrain_participant import handshake_parameters

    plain = handshake_parameters(TerrainConfig(), FlatField())
    for other in (
        {'bulldozing': {'enabled': True}},
        {'regions': [{'disc': {'center': [1.0, 2.0], 'radius_m': 3.0}, 'soil': 'clay'}]},
    ):
        changed = handshake_parameters(TerrainConfig.model_validate(other), FlatField())
        assert [key for key in plain if plain[key] != changed[key]] == [f'terrain.{next(iter(other))}']


def test_soil_config_survives_a_round_trip() -> None:
    for name in soil_names():
        soil = load_soil(name)
        assert ScmSoilConfig.model_validate(soil.model_dump()) == soil and soil.name == name
