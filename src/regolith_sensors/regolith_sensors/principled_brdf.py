# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Two reflectance models of computer graphics in double precision: Burley's and that of Chrono's cameras.

The renderer has both in single precision, without anisotropy; see :mod:`regolith_sensors.surfaces.materials`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Color = tuple[float, float, float]

BASE_LIMIT = 0.77
"""Base color above which Burley's function reflects more light than it receives: white soil of roughness 1 returns 1.29
at 80 degrees."""
COAT_ALPHA = 0.25
"""Width of the masking of Burley's clear coat."""


@dataclass(frozen=True)
class DisneyParameters:
    """Parameters of Burley's function; all between 0 and 1.

    Source: burley2012.
    Checked by: test_principled_brdf.py::test_values_of_burleys_function.
    """

    base: Color = (0.18, 0.18, 0.18)
    subsurface: float = 0.0
    metallic: float = 0.0
    specular: float = 0.5
    specular_tint: float = 0.0
    roughness: float = 0.5
    anisotropic: float = 0.0
    sheen: float = 0.0
    sheen_tint: float = 0.5
    clearcoat: float = 0.0
    clearcoat_gloss: float = 1.0
    remap: bool = False
    """Whether masking uses the roughness 0.5 + r / 2 of the course notes; the later public code does not."""


def disney_brdf(light: ArrayLike, viewer: ArrayLike, parameters: DisneyParameters) -> Floats:
    """Return Burley's function f [1/sr] in red, green and blue, shape (..., 3).

    The function is reciprocal. It does not conserve energy: see :data:`BASE_LIMIT`.

    Args:
        light: Unit vectors to the light, z along the normal and x along the grain, shape (..., 3).
        viewer: Unit vectors to the viewer, shape (..., 3).
        parameters: Parameters of the surface.

    Source: burley2012.
    Checked by: test_principled_brdf.py::test_values_of_burleys_function, test_principled_brdf.py::test_reciprocity,
    test_principled_brdf.py::test_albedo_of_the_diffuse_part.
    """
    p = parameters
    l, v = np.broadcast_arrays(np.asarray(light, dtype=np.float64), np.asarray(viewer, dtype=np.float64))
    half = l + v
    half = half / np.linalg.norm(half, axis=-1, keepdims=True)
    nl, nv, nh = l[..., 2], v[..., 2], half[..., 2]
    lh = np.sum(l * half, axis=-1)
    base = np.array(p.base)
    luminance = float(base @ (0.3, 0.6, 0.1))
    tint = base / luminance if luminance > 0.0 else np.ones(3)
    fl, fv, fh = _schlick(nl), _schlick(nv), _schlick(lh)
    f90 = 0.5 + 2.0 * p.roughness * lh * lh
    diffuse = (1.0 + (f90 - 1.0) * fl) * (1.0 + (f90 - 1.0) * fv)
    fss90 = p.roughness * lh * lh
    fss = (1.0 + (fss90 - 1.0) * fl) * (1.0 + (fss90 - 1.0) * fv)
    beneath = 1.25 * (fss * (1.0 / (nl + nv) - 0.5) + 0.5)
    matte = (diffuse + p.subsurface * (beneath - diffuse))[..., None] / math.pi * base
    sheen = fh[..., None] * p.sheen * (1.0 + p.sheen_tint * (tint - 1.0))
    c0 = 0.08 * p.specular * (1.0 + p.specular_tint * (tint - 1.0)) * (1.0 - p.metallic) + p.metallic * base
    fresnel = c0 + (1.0 - c0) * fh[..., None]
    aspect = math.sqrt(1.0 - 0.9 * p.anisotropic)
    ax, ay = max(0.001, p.roughness**2 / aspect), max(0.001, p.roughness**2 * aspect)
    spread = (half[..., 0] / ax) ** 2 + (half[..., 1] / ay) ** 2 + nh * nh
    d2 = 1.0 / (math.pi * ax * ay * spread**2)
    masked = 0.5 + 0.5 * p.roughness if p.remap else p.roughness
    gx, gy = max(0.001, masked**2 / aspect), max(0.001, masked**2 * aspect)
    g2 = _masking(l, gx, gy) * _masking(v, gx, gy)
    a = 0.1 + p.clearcoat_gloss * (0.001 - 0.1)
    d1 = (a * a - 1.0) / (math.pi * math.log(a * a) * (1.0 + (a * a - 1.0) * nh * nh))
    g1 = _masking(l, COAT_ALPHA, COAT_ALPHA) * _masking(v, COAT_ALPHA, COAT_ALPHA)
    coat = 0.25 * p.clearcoat * d1 * (0.04 + 0.96 * fh) * g1
    out: Floats = (matte + sheen) * (1.0 - p.metallic) + (d2 * g2)[..., None] * fresnel + coat[..., None]
    return out


def chrono_quotient(
    light: ArrayLike,
    viewer: ArrayLike,
    color: float,
    roughness: float,
    specular: float | None = 1.0,
    metallic: float = 0.0,
) -> Floats:
    """Return pi f cos i of the default surface of Chrono's cameras, limited to 1.

    Chrono has no factor 1 / pi: the color of its sun stands for irradiance over pi.

    Args:
        light: Unit vectors to the light, z along the normal, shape (..., 3).
        viewer: Unit vectors to the viewer, shape (..., 3).
        color: Diffuse color.
        roughness: Width of the reflection, not squared.
        specular: Specular color, a reflectance of 8 %; None: from ``metallic``, Chrono's other workflow.
        metallic: Metallic fraction.

    Source: chrono; hammon2017; schlick1994.
    Checked by: test_principled_brdf.py::test_values_of_chronos_function.
    """
    l, v = np.broadcast_arrays(np.asarray(light, dtype=np.float64), np.asarray(viewer, dtype=np.float64))
    half = l + v
    half = half / np.linalg.norm(half, axis=-1, keepdims=True)
    nl, nv, nh, vh = l[..., 2], v[..., 2], half[..., 2], np.sum(v * half, axis=-1)
    if specular is not None:
        f0 = 0.08 * specular
        fresnel = f0 + (1.0 - f0) * _schlick(vh)
    else:
        fresnel = np.full(nl.shape, metallic * color + (1.0 - metallic) * 0.04)
    d = roughness**2 / (nh * nh * (roughness**2 - 1.0) + 1.0) ** 2
    g = 0.5 / ((1.0 - roughness) * 2.0 * nl * nv + roughness * (nl + nv))
    out: Floats = np.clip(((1.0 - fresnel) * color * (1.0 - metallic) + fresnel * d * g) * nl, 0.0, 1.0)
    return out


def _schlick(cosine: Floats) -> Floats:
    out: Floats = (1.0 - cosine) ** 5
    return out


def _masking(s: Floats, ax: float, ay: float) -> Floats:
    out: Floats = 1.0 / (s[..., 2] + np.sqrt((s[..., 0] * ax) ** 2 + (s[..., 1] * ay) ** 2 + s[..., 2] ** 2))
    return out
