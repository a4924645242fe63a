# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surface materials, as rows of a table for the renderer's kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from regolith_sensors.arrays import Single, Singles
from regolith_sensors.brdf import PRESETS, HapkeParameters, remaining_mean_slope
from regolith_sensors.light import LUNAR_TINT
from regolith_sensors.principled_brdf import COAT_ALPHA, DisneyParameters
from regolith_sensors.surfaces.shading import DIFFUSIVE, HAPKE_SIZE, hapke_constants, hapke_row
from regolith_world.numerics import kernel

Color = tuple[float, float, float]
Bands = tuple[Single, Single, Single]
"""Red, green and blue in compiled loops."""

HAPKE, LAMBERT, PRINCIPLED, DISNEY, CHRONO = 0, 1, 2, 3, 4
_KIND, _RED, _ROUGHNESS, _METALLIC, _SPECULAR, MICRO, CONSTANTS = 0, 1, 4, 5, 6, 7, 8
FACETS = CONSTANTS + HAPKE_SIZE
"""Column of the strength of fractured facets."""
TABLE_WIDTH = FACETS + 1
_SUBSURFACE, _SPECULAR_TINT, _SHEEN, _SHEEN_TINT, _COAT, _COAT_A, _COAT_SCALE, _MASKING = range(
    CONSTANTS, CONSTANTS + 8
)
"""Columns of Burley's function: parameters; width and factor of the coat's distribution; width of the masking."""
_ZERO, _ONE, _HALF = np.float32(0.0), np.float32(1.0), np.float32(0.5)
_INV_PI = np.float32(1.0 / math.pi)
_COAT_ALPHA = np.float32(COAT_ALPHA)


@dataclass(frozen=True)
class HapkeSoil:
    """Regolith: Hapke's reflectance with a tint per band."""

    parameters: HapkeParameters = PRESETS['lunar_sato2014']
    tint: Color = LUNAR_TINT
    micro_relief: float = 1.0
    """Strength of the scene's micro-relief, 0 to 1."""
    facets: float = 0.0
    """Strength of fractured facets, see :mod:`regolith_sensors.surfaces.mesh_detail`, 0 to 1."""

    def row(self) -> Singles:
        """Return the row of the table, shape (25,)."""
        head = [HAPKE, *self.tint, 0.0, 0.0, 0.0, self.micro_relief]
        return _row([*head, *hapke_constants(self.parameters)], self.facets)

    def below_relief(self, rms_slope: float) -> HapkeSoil:
        """Return the soil with the mean slope that is left below a relief with an r.m.s. slope (tangent)."""
        left = remaining_mean_slope(self.parameters.theta, self.micro_relief * rms_slope)
        return replace(self, parameters=replace(self.parameters, theta=left))


@dataclass(frozen=True)
class Lambert:
    """Ideally diffuse surface."""

    albedo: Color = (1.0, 1.0, 1.0)
    micro_relief: float = 0.0
    """Strength of the scene's micro-relief, 0 to 1."""
    facets: float = 0.0
    """Strength of fractured facets, see :mod:`regolith_sensors.surfaces.mesh_detail`, 0 to 1."""

    def row(self) -> Singles:
        """Return the row of the table, shape (25,)."""
        head = [LAMBERT, *self.albedo, 0.0, 0.0, 0.0, self.micro_relief]
        return _row(head, self.facets)


@dataclass(frozen=True)
class Principled:
    """Diffuse base under a rough reflecting coat, or rough metal, for rocks, foil, solar cells and tires.

    The specular part is the microfacet model with the GGX distribution, Smith's height-correlated masking and Schlick's
    Fresnel term. The diffuse base has a factor (1 - F) for incoming and one for outgoing light, so the whole is
    reciprocal and does not reflect more than it receives. There is no clear coat, no sheen and no anisotropy.

    Source: walter2007; heitz2014; schlick1994; ashikhmin2000.
    Checked by: test_scene.py::test_principled_is_reciprocal_and_conserves_energy,
    test_materials.py::test_specular_part_equals_the_microfacet_model.
    """

    color: Color
    roughness: float = 0.5
    """Square root of the GGX width, 0.05 (near mirror) to 1."""
    metallic: float = 0.0
    """Metallic fraction, 0 (dielectric) to 1 (metal)."""
    specular: float = 0.04
    """Reflectance of the dielectric at normal incidence."""
    micro_relief: float = 0.0
    """Strength of the scene's micro-relief, 0 to 1."""
    facets: float = 0.0
    """Strength of fractured facets, see :mod:`regolith_sensors.surfaces.mesh_detail`, 0 to 1."""

    def row(self) -> Singles:
        """Return the row of the table, shape (25,)."""
        roughness = min(max(self.roughness, 0.05), 1.0)
        head = [PRINCIPLED, *self.color, roughness, self.metallic, self.specular, self.micro_relief]
        return _row(head, self.facets)


@dataclass(frozen=True)
class Disney:
    """Burley's function without anisotropy, for comparison with other renderers; it does not conserve energy.

    Source: burley2012.
    Checked by: test_principled_brdf.py::test_renderer_agrees_with_double_precision.
    """

    parameters: DisneyParameters
    micro_relief: float = 0.0
    """Strength of the scene's micro-relief, 0 to 1."""
    facets: float = 0.0
    """Strength of fractured facets, see :mod:`regolith_sensors.surfaces.mesh_detail`, 0 to 1."""

    def row(self) -> Singles:
        """Return the row of the table, shape (25,)."""
        p = self.parameters
        a = 0.1 + p.clearcoat_gloss * (0.001 - 0.1)
        masked = 0.5 + 0.5 * p.roughness if p.remap else p.roughness
        return _row(
            [DISNEY, *p.base, p.roughness, p.metallic, 0.08 * p.specular, self.micro_relief]
            + [p.subsurface, p.specular_tint, p.sheen, p.sheen_tint, p.clearcoat]
            + [a * a - 1.0, (a * a - 1.0) / (math.pi * math.log(a * a)), max(0.001, masked * masked)],
            self.facets,
        )


@dataclass(frozen=True)
class ChronoSurface:
    """Default surface of Chrono's cameras with its specular workflow, for comparison with them.

    Source: chrono.
    Checked by: test_principled_brdf.py::test_renderer_agrees_with_double_precision.
    """

    color: Color = (0.7, 0.7, 0.7)
    roughness: float = 0.8
    specular: float = 1.0
    micro_relief: float = 0.0
    """Strength of the scene's micro-relief, 0 to 1."""
    facets: float = 0.0
    """Strength of fractured facets, see :mod:`regolith_sensors.surfaces.mesh_detail`, 0 to 1."""

    def row(self) -> Singles:
        """Return the row of the table, shape (25,)."""
        head = [CHRONO, *self.color, self.roughness, 0.0, 0.08 * self.specular, self.micro_relief]
        return _row(head, self.facets)


def _row(values: Sequence[float], facets: float) -> Singles:
    """Return a row of the table with these first values, zeros, and the strength of facets."""
    row = np.zeros(TABLE_WIDTH, np.float32)
    row[: len(values)], row[FACETS] = values, facets
    return row


Material = HapkeSoil | Lambert | Principled | Disney | ChronoSurface
"""Reflectance model of a surface."""


def material_table(materials: Sequence[Material]) -> Singles:
    """Return the table of materials, shape (n, 25); a material's number is its row."""
    return np.stack([material.row() for material in materials])


@kernel(views_only=True, forceinline=True)
def is_hapke(table: Singles, material: int) -> bool:
    """Return whether a material is regolith."""
    return int(table[material, _KIND]) == HAPKE


@kernel(views_only=True, forceinline=True)
def tinted(table: Singles, material: int, r: Single) -> Bands:
    """Return a reflectance in the material's red, green and blue."""
    return r * table[material, _RED], r * table[material, _RED + 1], r * table[material, _RED + 2]


@kernel(views_only=True, forceinline=True)
def mixed(red: Single, green: Single, blue: Single, of_dust: Bands, dust: Single) -> Bands:
    """Return the reflectance of a surface of which dust covers a share."""
    return red + dust * (of_dust[0] - red), green + dust * (of_dust[1] - green), blue + dust * (of_dust[2] - blue)


@kernel(views_only=True, forceinline=True)
def reflect(table: Singles, material: int, mu0: Single, mu: Single, haversine: Single) -> Bands:
    """Return r [1/sr] in red, green and blue.

    Args:
        table: Table of materials.
        material: Row of the table.
        mu0: Cosine of incidence.
        mu: Cosine of emission.
        haversine: sin^2 of half the phase angle.
    """
    kind = int(table[material, _KIND])
    if not (mu0 > _ZERO and mu > _ZERO):
        return _ZERO, _ZERO, _ZERO
    diffuse = mu0 * _INV_PI
    out: Bands
    if kind == HAPKE:
        out = tinted(table, material, hapke_row(mu0, mu, haversine, table, material, CONSTANTS))
    elif kind == LAMBERT:
        out = tinted(table, material, diffuse)
    elif kind == PRINCIPLED:
        out = _principled(table, material, mu0, mu, haversine, diffuse)
    elif kind == DISNEY:
        out = _disney(table, material, mu0, mu, haversine)
    else:
        out = _chrono(table, material, mu0, mu, haversine)
    return out


@kernel(views_only=True, forceinline=True)
def glossy_width(table: Singles, material: int) -> Single:
    """Return the GGX width of a surface with a reflecting coat; 0 of others."""
    if int(table[material, _KIND]) != PRINCIPLED:
        return _ZERO
    return table[material, _ROUGHNESS] * table[material, _ROUGHNESS]


@kernel(views_only=True, forceinline=True)
def diffuse_albedo(table: Singles, material: int) -> Bands:
    """Return the reflected part of uniform light from all directions in red, green and blue.

    That of regolith is Hapke's diffusive reflectance (1 - gamma) / (1 + gamma).
    """
    if int(table[material, _KIND]) == HAPKE:
        r = table[material, CONSTANTS + DIFFUSIVE]
        return r * table[material, _RED], r * table[material, _RED + 1], r * table[material, _RED + 2]
    # The coat reduces the light on the base by about what it reflects.
    return table[material, _RED], table[material, _RED + 1], table[material, _RED + 2]


@kernel(views_only=True, forceinline=True)
def _schlick(f0: Single, cosine: Single) -> Single:
    m = _ONE - min(cosine, _ONE)
    m2 = m * m
    return f0 + (_ONE - f0) * m2 * m2 * m


@kernel(views_only=True, forceinline=True)
def _principled(table: Singles, material: int, mu0: Single, mu: Single, haversine: Single, diffuse: Single) -> Bands:
    metallic, f0 = table[material, _METALLIC], table[material, _SPECULAR]
    alpha = table[material, _ROUGHNESS] * table[material, _ROUGHNESS]
    a2 = alpha * alpha
    # The half vector: |l + v| = 2 cos(g / 2), n.h = (mu0 + mu) / |l + v|, l.h = cos(g / 2).
    cos_half = math.sqrt(max(_ONE - haversine, np.float32(1e-8)))
    n_h = min(_HALF * (mu0 + mu) / cos_half, _ONE)
    spread = n_h * n_h * (a2 - _ONE) + _ONE
    # D G / 4 with the factors mu0 mu of the denominator canceled against Smith's (height-correlated) masking.
    smith = mu0 * math.sqrt(a2 + (_ONE - a2) * mu * mu) + mu * math.sqrt(a2 + (_ONE - a2) * mu0 * mu0)
    lobe = a2 * _INV_PI / (spread * spread) * _HALF / smith * mu0
    kept = (_ONE - metallic) * (_ONE - _schlick(f0, mu0)) * (_ONE - _schlick(f0, mu)) * diffuse
    dielectric = (_ONE - metallic) * _schlick(f0, cos_half)
    red, green, blue = table[material, _RED], table[material, _RED + 1], table[material, _RED + 2]
    return (
        kept * red + lobe * (dielectric + metallic * _schlick(red, cos_half)),
        kept * green + lobe * (dielectric + metallic * _schlick(green, cos_half)),
        kept * blue + lobe * (dielectric + metallic * _schlick(blue, cos_half)),
    )


@kernel(views_only=True, forceinline=True)
def _masked(cosine: Single, alpha: Single) -> Single:
    a2 = alpha * alpha
    return _ONE / (cosine + math.sqrt(a2 + (_ONE - a2) * cosine * cosine))


@kernel(views_only=True)
def _disney(table: Singles, material: int, mu0: Single, mu: Single, haversine: Single) -> Bands:
    """Return r of Burley's function, see :func:`regolith_sensors.principled_brdf.disney_brdf`."""
    roughness, metallic, f0 = table[material, _ROUGHNESS], table[material, _METALLIC], table[material, _SPECULAR]
    cos_half2 = max(_ONE - haversine, np.float32(1e-8))
    cos_half = math.sqrt(cos_half2)
    n_h = min(_HALF * (mu0 + mu) / cos_half, _ONE)
    in_, out_, half = _schlick(_ZERO, mu0), _schlick(_ZERO, mu), _schlick(_ZERO, cos_half)
    f90 = _HALF + np.float32(2.0) * roughness * cos_half2 - _ONE
    diffuse = (_ONE + f90 * in_) * (_ONE + f90 * out_)
    flat = roughness * cos_half2 - _ONE
    beneath = (_ONE + flat * in_) * (_ONE + flat * out_)
    beneath = np.float32(1.25) * (beneath * (_ONE / (mu0 + mu) - _HALF) + _HALF)
    diffuse = (diffuse + table[material, _SUBSURFACE] * (beneath - diffuse)) * _INV_PI * (_ONE - metallic)
    alpha = max(roughness * roughness, np.float32(0.001))
    spread = n_h * n_h + (_ONE - n_h * n_h) / (alpha * alpha)
    lobe = _INV_PI / (alpha * alpha * spread * spread)
    lobe *= _masked(mu0, table[material, _MASKING]) * _masked(mu, table[material, _MASKING])
    coat = np.float32(0.25) * table[material, _COAT] * (np.float32(0.04) + np.float32(0.96) * half)
    coat *= table[material, _COAT_SCALE] / (_ONE + table[material, _COAT_A] * n_h * n_h)
    coat *= _masked(mu0, _COAT_ALPHA) * _masked(mu, _COAT_ALPHA)
    red, green, blue = table[material, _RED], table[material, _RED + 1], table[material, _RED + 2]
    luminance = np.float32(0.3) * red + np.float32(0.6) * green + np.float32(0.1) * blue
    per = _ONE / luminance if luminance > _ZERO else _ZERO
    sheen, sheen_tint = half * table[material, _SHEEN] * (_ONE - metallic), table[material, _SHEEN_TINT]
    tint, kept = table[material, _SPECULAR_TINT], f0 * (_ONE - metallic)
    # Without luminance there is no tint.
    one = _ONE if luminance > _ZERO else _ZERO
    wr, wg, wb = red * per - one, green * per - one, blue * per - one
    cr = kept * (_ONE + tint * wr) + metallic * red
    cg = kept * (_ONE + tint * wg) + metallic * green
    cb = kept * (_ONE + tint * wb) + metallic * blue
    return (
        mu0 * (diffuse * red + sheen * (_ONE + sheen_tint * wr) + lobe * (cr + (_ONE - cr) * half) + coat),
        mu0 * (diffuse * green + sheen * (_ONE + sheen_tint * wg) + lobe * (cg + (_ONE - cg) * half) + coat),
        mu0 * (diffuse * blue + sheen * (_ONE + sheen_tint * wb) + lobe * (cb + (_ONE - cb) * half) + coat),
    )


@kernel(views_only=True)
def _chrono(table: Singles, material: int, mu0: Single, mu: Single, haversine: Single) -> Bands:
    """Return r of Chrono's function, see :func:`regolith_sensors.principled_brdf.chrono_quotient`."""
    width, f0 = table[material, _ROUGHNESS], table[material, _SPECULAR]
    cos_half = math.sqrt(max(_ONE - haversine, np.float32(1e-8)))
    n_h = min(_HALF * (mu0 + mu) / cos_half, _ONE)
    fresnel = _schlick(f0, cos_half)
    spread = n_h * n_h * (width * width - _ONE) + _ONE
    lobe = fresnel * width * width / (spread * spread)
    lobe *= _HALF / ((_ONE - width) * np.float32(2.0) * mu0 * mu + width * (mu0 + mu))
    kept = _ONE - fresnel
    return (
        min((kept * table[material, _RED] + lobe) * mu0, _ONE) * _INV_PI,
        min((kept * table[material, _RED + 1] + lobe) * mu0, _ONE) * _INV_PI,
        min((kept * table[material, _RED + 2] + lobe) * mu0, _ONE) * _INV_PI,
    )
