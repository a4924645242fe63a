# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the terrain section and of soil parameter sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain.config import TerrainConfig, load_soil, soil_names
from regolith_terrain.height_field_builder import FlatField, ProceduralField, build_height_field
from regolith_terrain.scm.soil import ScmSoilConfig

# Kphi, Kc, n, c, phi, K, E, R of the reference runs.
CHRONO = {
    'chrono_lunar': (0.82e6, 1400, 1.0, 170, 35, 0.0178, 2e8, 3e4),
    'chrono_sandmid': (2e6, 0, 1.1, 0, 30, 0.01, 2e8, 3e4),
    'chrono_lete': (5301e3, 102e3, 0.793, 1300, 31.1, 0.012, 4e8, 3e4),
}


@pytest.mark.parametrize('name', sorted(CHRONO))
def test_chrono_soils_match_the_reference_runs(name: str) -> None:
    k_phi, k_c, n, c, phi, k, e, r = CHRONO[name]
    assert load_soil(name).parameters().tolist() == [k_phi, k_c, n, c, np.tan(np.deg2rad(phi)), k, e, r, 1500.0]


def test_shipped_soil_is_valid_and_has_the_file_name() -> None:
    assert 'lunar_nominal' in soil_names()
    for name in soil_names():
        assert load_soil(name).name == name


def test_load_soil_accepts_file_and_mapping(tmp_path: Path) -> None:
    values = load_soil('chrono_lunar').model_dump()
    (tmp_path / 'mine.yaml').write_text('\n'.join(f'{k}: {v!r}' for k, v in values.items() if k != 'name'))
    assert load_soil('mine.yaml', tmp_path).model_dump() == {**values, 'name': 'mine'}
    assert load_soil(values) == load_soil('chrono_lunar')
    config = TerrainConfig.model_validate({'soil': 'mine.yaml'}, context={'base_dir': tmp_path})
    assert config.soil_name == 'mine'


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'cohesion_pa': -1.0}, ['soil', 'cohesion_pa', '-1.0', 'greater than or equal to 0']),
        ({'exponent': 'steep'}, ['exponent', "'steep'"]),
        ({'friction': 3.0}, ['friction', 'unknown key', 'friction_angle_deg']),
        ({'elastic_stiffness': 1e5}, ['elastic_stiffness', '100000.0', 'k_phi']),
        ({'k_phi': float('nan')}, ['k_phi', 'nan']),
    ],
)
def test_load_soil_invalid_value_names_key_and_allowed_values(change: dict, words: list[str]) -> None:
    values = {**load_soil('chrono_lunar').model_dump(), **change}
    with pytest.raises(ValueError) as caught:
        load_soil(values)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_load_soil_unknown_name_lists_known_soils(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r'chrono_lete.*lunar_nominal'):
        load_soil('moon_dust', tmp_path)
    (tmp_path / 'broken.yaml').write_text('a: [')
    with pytest.raises(ValueError, match=r'broken\.yaml'):
        load_soil('broken.yaml', tmp_path)
    (tmp_path / 'list.yaml').write_text('- 1')
    with pytest.raises(ValueError, match='mapping'):
        load_soil('list.yaml', tmp_path)


def test_terrain_config_validates_and_round_trips() -> None:
    config = TerrainConfig.model_validate({'soil': 'chrono_lete', 'scm_mode': 'reference', 'center': [3.0, 4]})
    assert config.soil == load_soil('chrono_lete') and config.spacing_m == 0.02 and config.center == (3.0, 4.0)
    assert TerrainConfig.model_validate(config.model_dump()) == config
    assert isinstance(TerrainConfig().soil, ScmSoilConfig)
    for bad in ({'scm_mode': 'chrono'}, {'spacing_m': 0.0}, {'size': 3.0}, {'roughness': {'hurst': 2.0}}):
        with pytest.raises(ValidationError):
            TerrainConfig.model_validate(bad)
    with pytest.raises(ValidationError, match='crater_min_m'):
        TerrainConfig.model_validate({'roughness': {'crater_min_m': 5.0, 'crater_max_m': 1.0}})


def test_terrain_config_relative_source_is_relative_to_the_scenario(tmp_path: Path) -> None:
    def source(value: str) -> str:
        return TerrainConfig.model_validate({'source': value}, context={'base_dir': tmp_path}).source

    assert source('site.tif') == str(tmp_path / 'site.tif')
    assert source('/data/site.tif') == '/data/site.tif'
    assert source('procedural') == 'procedural' and source('flat') == 'flat'


def test_build_height_field() -> None:
    assert isinstance(build_height_field(TerrainConfig(source='flat'), 1), FlatField)
    own = build_height_field(TerrainConfig(seed=5), 1)
    assert isinstance(own, ProceduralField) and own.fingerprint() == ProceduralField(5).fingerprint()
    assert build_height_field(TerrainConfig(), 1).fingerprint() == ProceduralField(1).fingerprint()
    with pytest.raises(ValueError, match='no such file'):
        build_height_field(TerrainConfig(source='nowhere.tif'), 1)


def test_particle_region_applies_to_its_vehicle_only() -> None:
    """To all other vehicles and to terrain itself, the region has the soil around it."""
    strip = {
        'model': 'crm',
        'rectangle': {'low': [0.0, 0.0], 'high': [0.4, 0.4]},
        'name': 'strip',
        'vehicle': 'amber',
        'spacing_m': 0.1,
        'depth_m': 0.3,
    }
    config = TerrainConfig.model_validate({'source': 'flat', 'regions': [strip]})
    for vehicle in ('beryl', None):
        around, other = config.soil_map(vehicle).soils
        assert around.tolist() == other.tolist() and not config.soil_map(vehicle).owned
    own = config.soil_map('amber')
    assert np.isnan(own.soils[1]).all() and not np.isnan(own.soils[0]).any()
    assert list(own.others) == ['crm'] and [part.name for part in own.owned] == ['strip']
