# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""References of the sensor and light models that a scenario uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files import Citations
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.imu import ImuConfig, InertialErrors
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.config.lighting import LightConfig, LunarSunConfig
from regolith_sensors.config.sensors import scenario_sensors
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.config.thermal_camera import ThermalCameraConfig
from regolith_sensors.rays.registry import DEFAULT_RAY_BACKEND

_SOILS = {'pommerol2013': 'pommerol2013'}
"""References of reflectance parameter sets; all others are from Sato et al. 2014."""


def citations(scenario: Any) -> Citations:
    """Return the references of a scenario's sensor models; an empty list without sensors."""
    sensors = scenario_sensors(scenario)
    keys = set[str]()
    if sensors and scenario.dust is not None:
        keys = {'amanatides1987', 'hsu2012', 'museth2013', 'roberts2018'}
        keys |= {'stokes1851'} if scenario.dust.air_viscosity_pas else set()
    for sensor in sensors:
        config = sensor.config
        if isinstance(config, CameraConfig):
            keys |= _surfaces(scenario.light) | _light(scenario.light, config) | _camera(config)
        elif isinstance(config, EventCameraConfig):
            keys |= _surfaces(scenario.light) | _light(scenario.light, config.optics)
            keys |= {'lichtsteiner2008', 'rebecq2018', 'hu2021v2e'}
        elif isinstance(config, LidarConfig):
            keys |= _surfaces(scenario.light) | {'wagner2010', 'chrono'}
            if config.profile == 'gaussian' and config.sample_radius > 1:
                keys.add('siegman1986')
        elif isinstance(config, SpadConfig):
            keys |= _surfaces(scenario.light) | {'wagner2010', 'coates1968', 'rapp2017', 'otoole2017', 'anscombe1948'}
        elif isinstance(config, ThermalCameraConfig):
            keys |= {'hayne2017', 'vasavada2012', 'rybicki1979', 'vollmer2017'}
        elif isinstance(config, ImuConfig):
            keys |= {'titterton2004', 'ieee952'}
            if _drifts(config.gyroscope) or _drifts(config.accelerometer):
                keys.add('gillespie1996')
        elif isinstance(config, GnssConfig) and (config.drift_horizontal_m or config.drift_vertical_m):
            keys.add('gillespie1996')
    return Citations(Path(__file__).parent / 'references.bib', sorted(keys))


_MODELS = {
    'hapke': ('hapke1981', 'hapke1984', 'hapke1986', 'hapke2002', 'hapke2008', 'hapke2012'),
    'disney': ('burley2012',),
    'chrono': ('chrono', 'hammon2017'),
}
"""References of reflectance models."""


def _surfaces(light: LightConfig) -> set[str]:
    """Return the references of the reflectance of ground, rocks and vehicles."""
    models = {light.soil.type} | ({light.rocks.type} if light.rocks is not None else {'hapke'})
    keys = {key for model in models for key in _MODELS.get(model, ())}
    if 'hapke' in models:
        keys.add(_SOILS.get(light.reflectance, 'sato2014'))
    keys |= {'hapke1963', 'adams1971'} if light.rocks is None else set()
    keys |= {'worley1996', 'walter2007', 'heitz2014', 'schlick1994', 'ashikhmin2000', 'gouraud1971'}
    if light.micro_slope_deg > 0.0:
        keys.add('helfenstein1999')
        if light.micro_relief == 'shadowed':
            keys.add('max1988')
    return keys | ({'hanika2021', 'abramowitz1964', 'cody1980'} if light.ray_backend == DEFAULT_RAY_BACKEND else set())


def _light(light: LightConfig, camera: CameraConfig) -> set[str]:
    """Return the references of the sun model and of indirect light."""
    keys = {'prsa2016'} if light.sun is not None else set()
    if isinstance(light.sun, LunarSunConfig):
        keys |= {'meeus1998'} if light.ephemeris == 'meeus' else {'cross2023', 'archinal2011'}
    if light.sky is not None:
        keys |= {'meeus1998', 'archinal2011', 'russell1916', 'vanleeuwen2007', 'ballesteros2012'}
    if camera.ground_light_on_vehicles and not camera.bounce_samples and light.ray_backend == DEFAULT_RAY_BACKEND:
        keys |= {'ward1988', 'duff2017'}
    if (
        camera.samples_per_pixel > 1
        or camera.edge_samples
        or (light.sun is not None and light.ray_backend == DEFAULT_RAY_BACKEND)
    ):
        keys |= {'roberts2018', 'cranley1976'}
    if camera.bounce_samples and camera.bounces > 1:
        keys |= {'kajiya1986', 'arvo1990'}
    return keys


def _camera(camera: CameraConfig) -> set[str]:
    """Return the references of the stages of a camera."""
    keys = {'batagoda2024', 'horn1986', 'emva1288'}
    if camera.stages.distortion and any(camera.distortion.coefficients):
        keys.add('kannala2006' if camera.distortion.model == 'equidistant' else 'brown1966')
    if camera.effects.flare is not None:
        keys |= {'harvey1976'} | ({'hullin2011', 'lee2013'} if camera.effects.flare.lens else set())
    if camera.stages.noise:
        keys |= {'box1958', 'devroye1986'} if camera.aggregator_gain is None else {'box1958'}
    return keys


def _drifts(errors: InertialErrors) -> bool:
    return errors.bias_stddev > 0.0 or errors.random_walk > 0.0
