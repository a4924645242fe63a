# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of citations: a run cites exactly the references of its sensors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_sensors.citations import citations
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.config.lighting import LightConfig


def cited(sensors: dict[str, Any], dust: Any = None, **light: Any) -> set[str]:
    entry = SimpleNamespace(sensors=sensors, frame_prefix=None)
    light_config = LightConfig.model_validate(light)
    dust_config = None if dust is None else DustConfig.model_validate(dust)
    found = citations(SimpleNamespace(vehicles={'amber': entry}, light=light_config, dust=dust_config))
    assert set(found.keys) <= set(found.entries())
    return set(found.keys)


def test_scenario_without_sensors_cites_nothing() -> None:
    assert cited({}) == cited({}, dust={}) == set()


@pytest.mark.parametrize('light', [{}, {'reflectance': 'pommerol2013', 'sun': None}])
def test_camera_cites_hapke_and_its_stages(light: dict[str, Any]) -> None:
    found = cited({'eye': {'model': 'blackfly'}}, **light)
    assert {'hapke1981', 'hapke2012', 'batagoda2024', 'brown1966', 'walter2007', 'helfenstein1999'} <= found
    assert {'sato2014', 'pommerol2013'} & found == ({'pommerol2013'} if light else {'sato2014'})
    assert ('prsa2016' in found) == (not light) and 'meeus1998' not in found
    assert not {'wagner2010', 'ieee952', 'kannala2006'} & found


def test_lunar_sun_cites_the_almanac() -> None:
    sun = {'latitude_deg': -85.0, 'longitude_deg': 0.0, 'utc': '2026-11-21T12:00:00Z'}
    assert 'meeus1998' in cited({'eye': {'model': 'navcam'}}, sun=sun)


def test_lidar_and_inertial_citations() -> None:
    lidar = cited({'l': {'model': 'vlp16'}})
    assert {'hapke1981', 'wagner2010'} <= lidar and 'batagoda2024' not in lidar
    assert cited({'i': {'model': 'imu_mems'}}) == {'titterton2004', 'ieee952', 'gillespie1996'}
    assert cited({'g': {'model': 'gnss_lunanet'}}) == {'gillespie1996'}
    assert {'hsu2012', 'museth2013'} <= cited({'l': {'model': 'vlp16'}}, dust={}) and 'hsu2012' not in lidar
    air = cited({'l': {'model': 'vlp16'}}, dust={'air_viscosity_pas': 1.8e-5})
    assert 'stokes1851' in air and 'stokes1851' not in cited({'l': {'model': 'vlp16'}}, dust={})


def test_camera_with_distortion_cites_its_lens_model() -> None:
    """Brown for plumb bob, Kannala for a fisheye; none without coefficients, or with the stage disabled."""
    base: dict[str, Any] = {
        'type': 'camera',
        'width': 200,
        'height': 100,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-3,
        'f_number': 4.0,
        'exposure_s': 0.01,
    }
    lenses = {'brown1966', 'kannala2006'}

    def of(**more: Any) -> set[str]:
        return lenses & cited({'eye': {'model': {**base, **more}}})

    bent = {'model': 'plumb_bob', 'coefficients': [0.1, 0.0, 0.0, 0.0, 0.0]}
    assert of() == set() and of(distortion={**bent, 'coefficients': [0.0] * 5}) == set()
    assert of(distortion=bent) == {'brown1966'} and of(distortion=bent, stages={'distortion': False}) == set()
    assert of(distortion={'model': 'equidistant', 'coefficients': [0.0, 0.01, 0.0, 0.0]}) == {'kannala2006'}
