# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of Burley's and Chrono's reflectance: values of light_and_heat.md section 1, reciprocity, albedo, settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.brdf import PRESETS
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.materials import material_of
from regolith_sensors.principled_brdf import DisneyParameters, chrono_quotient, disney_brdf
from regolith_sensors.surfaces.materials import ChronoSurface, Disney, HapkeSoil, material_table, reflect

DIRECTIONS = (((0, 0), (0, 0)), ((45, 0), (45, 180)), ((60, 0), (60, 0)), ((75, 0), (30, 90)), ((80, 0), (80, 180)))
BURLEY: list[tuple[dict[str, Any], tuple[float, ...]]] = [
    ({}, (0.108225, 0.161202, 0.060344, 0.061572, 9.294027)),
    ({'roughness': 1.0}, (0.060479, 0.062014, 0.068452, 0.072062, 0.134251)),
    ({'roughness': 0.9, 'specular': 0.2}, (0.059236, 0.060757, 0.064204, 0.067589, 0.234901)),
    (
        {'base': (0.9, 0.9, 0.9), 'metallic': 1.0, 'roughness': 0.3},
        (8.841941, 17.616842, 0.004054, 0.010598, 271.446434),
    ),
    ({'subsurface': 1.0}, (0.086739, 0.154501, 0.071753, 0.062185, 9.357018)),
    ({'sheen': 1.0}, (0.108225, 0.163357, 0.060344, 0.062060, 9.679350)),
    ({'clearcoat': 1.0, 'clearcoat_gloss': 0.5}, (0.160346, 0.267538, 0.060993, 0.062613, 18.766093)),
]


def toward(zenith_deg: Any, azimuth_deg: Any) -> np.ndarray:
    z, a = np.broadcast_arrays(np.radians(zenith_deg), np.radians(azimuth_deg))
    return np.stack([np.sin(z) * np.cos(a), np.sin(z) * np.sin(a), np.cos(z)], axis=-1)


def scattered(seed: int, count: int, steepest: float = 89.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    pairs = [toward(rng.uniform(0.0, steepest, count), rng.uniform(0.0, 360.0, count)) for _ in range(2)]
    return pairs[0], pairs[1]


@pytest.mark.parametrize(('values', 'expected'), BURLEY)
def test_values_of_burleys_function(values: dict[str, Any], expected: tuple[float, ...]) -> None:
    """Section 1.2: values computed independently, to their printed digits."""
    found = [disney_brdf(toward(*a), toward(*b), DisneyParameters(**values)) for a, b in DIRECTIONS]
    assert [float(f[1]) for f in found] == pytest.approx(expected, rel=1e-5, abs=5e-7)


@pytest.mark.parametrize(
    ('arguments', 'expected'),
    [
        ((0.7, 0.8), (0.675250, 0.488413, 0.339175, 0.176761, 0.272069)),
        ((0.18, 0.5, None), (0.212800, 0.169051, 0.091449, 0.049111, 0.098170)),
    ],
)
def test_values_of_chronos_function(arguments: tuple[Any, ...], expected: tuple[float, ...]) -> None:
    """Section 1.2: the values of POLAR-Sim and those of the other workflow."""
    found = [float(chrono_quotient(toward(*a), toward(*b), *arguments)) for a, b in DIRECTIONS]
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize('values', [*(values for values, _ in BURLEY), {'anisotropic': 0.8, 'specular_tint': 1.0}])
def test_reciprocity(values: dict[str, Any]) -> None:
    """Section 1.2: exchange of light and viewer changes nothing; the terms are symmetric up to rounding."""
    light, viewer = scattered(1, 2000)
    parameters = DisneyParameters(**{'base': (0.3, 0.2, 0.1), **values})
    there, back = disney_brdf(light, viewer, parameters), disney_brdf(viewer, light, parameters)
    # The direction between both is rounded to 1e-16; narrow reflections amplify it a thousand times.
    assert np.max(np.abs(there - back) / there) < 1e-12


@pytest.mark.parametrize('roughness', [0.0, 0.5, 1.0])
def test_albedo_of_the_diffuse_part(roughness: float) -> None:
    """Section 1.2: at normal incidence the diffuse term reflects base (41 / 42 + 5 roughness / 84).

    The metallic part is subtracted by a base of zero, which leaves the reflection alone.
    """
    nodes, weights = np.polynomial.legendre.leggauss(64)
    cosine = 0.5 * (nodes + 1.0)
    viewer = toward(np.degrees(np.arccos(cosine)), 0.0)
    f = [
        disney_brdf(toward(0.0, 0.0), viewer, DisneyParameters(base=(base, base, base), roughness=roughness))[:, 0]
        for base in (0.5, 0.0)
    ]
    albedo = 2.0 * math.pi * np.sum(0.5 * weights * cosine * (f[0] - f[1]))
    assert albedo == pytest.approx(0.5 * (41.0 / 42.0 + 5.0 * roughness / 84.0), rel=1e-10)


def test_bright_bases_do_not_conserve_energy() -> None:
    """The reason of the limit: white soil of roughness 1 without reflection returns 1.29 at 80 degrees."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    cosine, azimuths = 0.5 * (nodes + 1.0), np.arange(0.0, 360.0, 2.0)
    parameters = DisneyParameters(base=(1.0, 1.0, 1.0), roughness=1.0, specular=0.0)
    for incidence, expected in ((60.0, 1.06), (80.0, 1.29)):
        viewer = toward(np.degrees(np.arccos(cosine))[:, None], azimuths[None, :])
        f = disney_brdf(toward(incidence, 0.0), viewer, parameters)[..., 0].mean(axis=1)
        returned = 2.0 * math.pi * np.sum(0.5 * weights * cosine * f)
        assert returned == pytest.approx(expected, abs=0.005)


def test_renderer_agrees_with_double_precision() -> None:
    """The kernels compute r = f cos i; single precision leaves 1e-4 except in narrow reflections."""
    light, viewer = scattered(2, 500, 85.0)
    haversine = np.sum((light - viewer) ** 2, axis=1) / 4.0
    parameters = DisneyParameters(
        base=(0.3, 0.2, 0.1), subsurface=0.3, metallic=0.2, specular=0.7, specular_tint=0.4, roughness=0.6
    )
    parameters = DisneyParameters(**{**vars(parameters), 'sheen': 0.5, 'clearcoat': 0.4, 'clearcoat_gloss': 0.1})
    table = material_table([Disney(parameters), ChronoSurface((0.5, 0.4, 0.3), 0.7, 0.6)])
    f = disney_brdf(light, viewer, parameters) * light[:, 2:]
    q = np.stack([chrono_quotient(light, viewer, c, 0.7, 0.6) for c in (0.5, 0.4, 0.3)], axis=1) / math.pi
    for row, expected in enumerate((f, q)):
        found = [reflect(table, row, *np.float32((light[n, 2], viewer[n, 2], haversine[n]))) for n in range(len(light))]
        assert np.array(found) == pytest.approx(expected, rel=2e-4)


def test_settings_become_materials() -> None:
    """Each type gives its material; POLAR-Sim's values are the defaults of Chrono's type."""
    hapke = HapkeSoil(PRESETS['pommerol2013'])
    light = LightConfig.model_validate({'soil': {'type': 'chrono'}, 'rocks': {'type': 'disney', 'sheen': 0.5}})
    assert material_of(light.soil, hapke, 1.0) == ChronoSurface((0.7, 0.7, 0.7), 0.8, 1.0, 1.0)
    rocks = material_of(light.rocks, hapke, 0.6)
    assert isinstance(rocks, Disney) and rocks.parameters.sheen == 0.5 and rocks.micro_relief == 0.6
    assert material_of(LightConfig.model_validate({}).soil, hapke, 1.0) is hapke
    soil = LightConfig.model_validate({'soil': {'type': 'principled'}}).soil
    # Section 1.2: base 0.12 of the lunar tint, roughness 0.9, specular 0.04.
    assert (soil.base_color, soil.roughness, soil.specular) == ((0.1416, 0.12, 0.0984), 0.9, 0.04)


@pytest.mark.parametrize(
    'soil',
    [
        {'type': 'disney', 'base_color': [0.78, 0.1, 0.1]},
        {'type': 'disney', 'roughness': 1.5},
        {'type': 'disney', 'sheen': float('nan')},
        {'type': 'principled', 'base_color': [-0.1, 0.1, 0.1]},
        {'type': 'lambert', 'albedo': [1e9, 0.1, 0.1]},
        {'type': 'lambert', 'albedo': [float('nan'), 0.1, 0.1]},
        {'type': 'lambert', 'color': [0.1, 0.1, 0.1]},
        {'type': 'chrono', 'roughness': 0.0},
        {'type': 'phong'},
        {'base_color': [0.1, 0.1, 0.1]},
        'lambert',
    ],
)
def test_bad_settings_are_refused(soil: Any) -> None:
    with pytest.raises(ValidationError):
        LightConfig.model_validate({'soil': soil})
