# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of materials against the formulas of their references in a second implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_sensors.surfaces.materials import Principled, material_table, reflect
from regolith_sensors.surfaces.micro_relief import SIDE, micro_at, micro_relief


def ggx_reflection(light: np.ndarray, viewer: np.ndarray, roughness: float, f0: float) -> float:
    """Return D F G / (4 (n.l) (n.v)) (n.l) with n = z: GGX (Walter et al. 2007, eq. 33), Smith's Lambda (Heitz 2014)."""
    alpha = roughness**2
    half = (light + viewer) / np.linalg.norm(light + viewer)
    tan2 = (1.0 - half[2] ** 2) / half[2] ** 2
    distribution = alpha**2 / (math.pi * half[2] ** 4 * (alpha**2 + tan2) ** 2)

    def shadow(cosine: float) -> float:
        return 0.5 * (math.sqrt(1.0 + alpha**2 * (1.0 - cosine**2) / cosine**2) - 1.0)

    masking = 1.0 / (1.0 + shadow(light[2]) + shadow(viewer[2]))
    fresnel = f0 + (1.0 - f0) * (1.0 - light @ half) ** 5
    return float(distribution * fresnel * masking / (4.0 * viewer[2]))


@pytest.mark.parametrize('roughness', [0.3, 0.8])
def test_specular_part_equals_the_microfacet_model(roughness: float) -> None:
    """A black dielectric and a metal: only the coat, in 200 geometries; single precision."""
    rng = np.random.default_rng(1)
    table = material_table([Principled((0.0, 0.0, 0.0), roughness), Principled((0.9, 0.7, 0.4), roughness, 1.0)])
    for _ in range(200):
        light, viewer = rng.standard_normal((2, 3))
        light[2], viewer[2] = abs(light[2]) + 0.1, abs(viewer[2]) + 0.1
        light, viewer = light / np.linalg.norm(light), viewer / np.linalg.norm(viewer)
        hav = np.float32(0.5 * (1.0 - light @ viewer))
        mu0, mu = np.float32(light[2]), np.float32(viewer[2])
        assert reflect(table, 0, mu0, mu, hav)[1] == pytest.approx(
            ggx_reflection(light, viewer, roughness, 0.04), rel=2e-4
        )
        for band, f0 in enumerate((0.9, 0.7, 0.4)):
            expected = ggx_reflection(light, viewer, roughness, f0)
            assert reflect(table, 1, mu0, mu, hav)[band] == pytest.approx(expected, rel=2e-4)


def test_base_receives_light_that_the_coat_does_not_reflect() -> None:
    """At normal incidence and emission the base keeps (1 - f0)^2 of albedo / pi."""
    table = material_table([Principled((0.5, 0.5, 0.5), 1.0), Principled((0.0, 0.0, 0.0), 1.0)])
    one, none = np.float32(1.0), np.float32(0.0)
    both, coat = (reflect(table, k, one, one, none)[0] for k in (0, 1))
    assert both - coat == pytest.approx(0.96**2 * 0.5 / math.pi, rel=1e-5)


def test_micro_relief_is_self_affine() -> None:
    """The power of its slopes per ring of wave numbers falls as k^(1 - 2 H), H = 0.7, with the requested r.m.s."""
    texels, layers = micro_relief(0.05, np.zeros(2), 0.2, 0.1)
    tile = texels[: SIDE * SIDE, :3].reshape(SIDE, SIDE, 3).astype(np.float64)
    # Two layers, uncorrelated: half of the variance each.
    assert math.sqrt(np.mean(tile[..., 0] ** 2 + tile[..., 1] ** 2)) == pytest.approx(0.2 / math.sqrt(2.0), rel=1e-3)
    assert tile[..., 2].std() == pytest.approx(0.1 / math.sqrt(2.0), rel=1e-3)
    power = sum(np.abs(np.fft.fft2(tile[..., axis])) ** 2 for axis in (0, 1))
    k = np.fft.fftfreq(SIDE) * SIDE
    radius = np.rint(np.hypot(k[:, None], k[None, :])).astype(int)
    rings = np.bincount(radius.ravel(), power.ravel())[20:200]
    slope = np.polyfit(np.log(np.arange(20, 200)), np.log(rings), 1)[0]
    # A ring of k has 2 pi k waves: scatter of 1 / sqrt(2 pi k) each, 0.01 in the slope over 180 rings.
    assert slope == pytest.approx(1.0 - 2.0 * 0.7, abs=0.03)
    # No waves longer than four cells of eight texels.
    assert np.bincount(radius.ravel(), power.ravel())[: SIDE // 32].max() < 1e-6 * rings.max()
    assert layers.shape == (2, 5) and layers[0, 2] == pytest.approx(8.0 / 0.05)


@pytest.mark.parametrize('origin', [(0.0, 0.0), (1234.5, -678.25)])
def test_micro_relief_slopes_are_curl_free(origin: tuple[float, float]) -> None:
    """Both layers have different angles; rotated back to the world, the slopes of a wave of the tile have no curl.

    The wave is 88 texels long; linear interpolation between texels leaves 2 pi / 88 / 2 of its derivatives.
    """
    texels, layers = micro_relief(0.05, np.array(origin), 0.2, 0.1)
    i, j = np.indices((SIDE, SIDE))
    wave = np.cos(2.0 * math.pi * (3.0 * i + 5.0 * j) / SIDE).ravel()
    texels[: SIDE * SIDE, :2] = np.stack((3.0 * wave, 5.0 * wave), axis=1)
    single, step = np.float32, 1e-3
    rng = np.random.default_rng(4)
    curl, divergence = [], []
    for x, y in rng.uniform(-5.0, 5.0, (400, 2)):
        east, west, north, south = (
            micro_at(texels, layers, single(x + a), single(y + b), single(1e-4))
            for a, b in ((step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step))
        )
        curl.append(east[1] - west[1] - (north[0] - south[0]))
        divergence.append(east[0] - west[0] + north[1] - south[1])
    assert np.std(curl) < 0.1 * np.std(divergence)
