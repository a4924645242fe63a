# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflectance models: Hapke's regolith model in double precision, and Lambert's law.

Incidence i and emission e are angles from the mean surface normal. The azimuth psi is the angle between the projections
of the directions to the sun and to the viewer on the surface, 0 where both are on the same side. The bidirectional
reflectance r [1/sr] gives the radiance L = r E, with E the sun's irradiance on a plane normal to its rays. The BRDF is
r / cos i. The signs of the phase function are those of Hapke's book of 2012.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

POROSITY_LIMIT = 0.752
"""Filling factor at which Hapke's porosity factor becomes undefined."""


@dataclass(frozen=True)
class HapkeParameters:
    """Photometric parameters of a regolith; angles in radians, all others dimensionless.

    Source: hapke2012; sato2014, appendix A; pommerol2013.
    Checked by: test_brdf.py::test_reference_vectors, test_brdf.py::test_invalid_hapke_parameters_are_rejected.
    """

    w: float
    """Single-scattering albedo of a grain, 0 to 1."""
    b: float
    """Width of the two lobes of the phase function, 0 <= b < 1; a larger value gives narrower lobes."""
    c: float
    """Weight of the lobes, -1 (all forward) to 1 (all backward)."""
    Bs0: float
    """Amplitude of the shadow-hiding opposition effect."""
    hs: float
    """Half width of the shadow-hiding opposition effect, in tan(g / 2)."""
    phi: float
    """Filling factor, from 0 (no effect of porosity, K = 1) to below 0.752."""
    theta: float
    """Mean slope of the roughness below the resolved scale [rad]."""
    Bc0: float = 0.0
    """Amplitude of coherent backscatter; 0 disables it, as in the lunar sets."""
    hc: float = 0.1
    """Half width of coherent backscatter, in tan(g / 2)."""

    def __post_init__(self) -> None:
        """Reject values for which the model is not defined.

        Raises:
            ValueError: If a parameter is out of range; the message names parameter, value and range.
        """
        limits = {
            'w': (0.0 <= self.w <= 1.0, '0 to 1'),
            'b': (0.0 <= self.b < 1.0, '0 <= b < 1'),
            'c': (-1.0 <= self.c <= 1.0, '-1 to 1'),
            'Bs0': (0.0 <= self.Bs0 <= 10.0, '0 to 10'),
            'hs': (0.0 < self.hs <= 10.0, '0 < hs <= 10'),
            'phi': (0.0 <= self.phi < POROSITY_LIMIT, f'0 <= phi < {POROSITY_LIMIT}'),
            'theta': (0.0 <= self.theta <= math.radians(60.0), '0 to 60 deg, in radians'),
            'Bc0': (0.0 <= self.Bc0 <= 1.0, '0 to 1'),
            'hc': (0.0 < self.hc <= 10.0, '0 < hc <= 10'),
        }
        for field in fields(self):
            right, allowed = limits[field.name]
            if not right:
                raise ValueError(f'{field.name} = {getattr(self, field.name)!r}; allowed: {allowed}')

    @property
    def porosity_factor(self) -> float:
        """Porosity factor K = -ln(1 - 1.209 phi^(2/3)) / (1.209 phi^(2/3)): 1 for phi -> 0, 1.44 for phi = 0.3.

        Source: hapke2008.
        Checked by: test_brdf.py::test_reference_components, test_brdf.py::test_porosity_factor_increases_brightness.
        """
        x = 1.209 * self.phi ** (2.0 / 3.0)
        return 1.0 if x < 1e-12 else -math.log1p(-x) / x


def _moon(w: float, phi: float) -> HapkeParameters:
    return HapkeParameters(w=w, b=0.23955, c=0.30452, Bs0=1.80238, hs=0.07145, phi=phi, theta=math.radians(23.4))


PRESETS = MappingProxyType(
    {
        'lunar_sato2014': _moon(0.32357, 0.3),
        'lunar_sato2014_k1': _moon(0.32357, 0.0),
        'chrono_table1_misprint': _moon(0.03257, 0.3),
        'pommerol2013': HapkeParameters(
            w=0.526, b=0.187, c=0.273, Bs0=1.0, hs=0.083, phi=0.0, theta=math.radians(13.3)
        ),
    }
)
"""Parameter sets by name.

``lunar_sato2014`` is Table 1 of the paper on Chrono's sensors: luminance-weighted means of the maps of Sato et al. 2014
for 30 S to 30 N. The printed w = 0.03257 is a misprint of 0.32357, the value in the authors' programs. With the printed
value the Moon would reflect 1.2 % of the sunlight, a tenth of the true value. ``chrono_table1_misprint`` keeps it for
comparison. Sato probably fitted w with K = 1. In that case the paper's phi = 0.3 counts porosity twice and the ground
is about 40 % too bright; ``lunar_sato2014_k1`` is the set without it. ``pommerol2013`` is JSC-1 simulant (Pommerol et
al. 2013).
"""


def mare_rock() -> HapkeParameters:
    """Return parameters of rocks of mare basalt and breccia, dusty with the grains of ``lunar_sato2014``.

    Material that is younger than the soil is less darkened by impacts, so w is larger. Solid rock lacks the fine
    structure that scatters light backward, so Bs0 is smaller. The values are chosen for rocks that are nearly as bright
    as the soil at zero phase, 1 to 1.3 times as bright at phase angles up to 90 degrees and at most 1.5 times against
    the sun.

    Source: hapke1963; adams1971.
    Checked by: test_mesh_detail.py::test_rocks_are_little_brighter_than_soil_at_equal_geometry.
    """
    return HapkeParameters(w=0.37, b=0.23955, c=0.30452, Bs0=1.0, hs=0.07145, phi=0.3, theta=math.radians(20.0))


def hapke_reflectance(
    incidence: ArrayLike, emission: ArrayLike, azimuth: ArrayLike, parameters: HapkeParameters
) -> Floats:
    """Return Hapke's bidirectional reflectance r [1/sr]; the radiance is L = r E, E normal to the sun's rays.

    ``r = K w / 4 pi LS (p (1 + Bs0 Bs) + M) (1 + Bc0 Bc) S``; see :func:`hapke_components`. The arguments broadcast.
    r is 0 where either angle is 90 degrees or more; NaN stays NaN.

    Args:
        incidence: Angle of the sun from the normal [rad].
        emission: Angle of the viewer from the normal [rad].
        azimuth: Angle between both projections on the surface [rad], 0 on the same side; only its cosine matters.
        parameters: Parameters of the regolith.

    Source: hapke1981; hapke2002; hapke2008; hapke2012.
    Checked by: test_brdf.py::test_reference_vectors, test_brdf.py::test_reciprocity,
    test_brdf.py::test_directional_hemispherical_reflectance.
    """
    part = hapke_components(incidence, emission, azimuth, parameters)
    opposition = 1.0 + parameters.Bs0 * part['Bs']
    r = (
        part['K']
        * parameters.w
        / (4.0 * np.pi)
        * part['LS']
        * (part['p'] * opposition + part['M'])
        * (1.0 + parameters.Bc0 * part['Bc'])
        * part['S']
    )
    dark = (np.cos(incidence) <= 1e-15) | (np.cos(emission) <= 1e-15)
    out: Floats = np.where(dark, 0.0, r)
    return out


def hapke_components(
    incidence: ArrayLike, emission: ArrayLike, azimuth: ArrayLike, parameters: HapkeParameters
) -> dict[str, Floats]:
    """Return the factors of :func:`hapke_reflectance` by name.

    Args:
        incidence: Angle of the sun from the normal [rad].
        emission: Angle of the viewer from the normal [rad].
        azimuth: Angle between both projections on the surface [rad], 0 on the same side.
        parameters: Parameters of the regolith.

    Returns:
        ``mu0e`` and ``mue``: effective cosines. ``LS``: Lommel-Seeliger factor. ``p``: phase function. ``Bs`` and
        ``Bc``: shadow hiding and coherent backscatter. ``M``: multiple scattering. ``S``: shadowing by roughness.
        ``K``: porosity factor.

    Source: hapke1984; hapke1986; hapke2002; hapke2008.
    Checked by: test_brdf.py::test_reference_components, test_brdf.py::test_smooth_ground_gives_lommel_seeliger.
    """
    i, e, azimuth = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (incidence, emission, azimuth)))
    psi = np.abs(np.remainder(azimuth + np.pi, 2.0 * np.pi) - np.pi)
    mu0e, mue, shadowing = _roughness(i, e, psi, parameters.theta)
    # The haversine form keeps all digits near opposition, where cos g loses them.
    sin2_half = np.sin((i - e) / 2.0) ** 2 + np.sin(i) * np.sin(e) * np.sin(psi / 2.0) ** 2
    sin2_half = np.clip(sin2_half, 0.0, 1.0)
    with np.errstate(divide='ignore'):
        tan_half = np.sqrt(sin2_half / (1.0 - sin2_half))
    k = parameters.porosity_factor
    return {
        'mu0e': mu0e,
        'mue': mue,
        'LS': mu0e / (mu0e + mue),
        'p': phase_function(1.0 - 2.0 * sin2_half, parameters.b, parameters.c),
        'Bs': 1.0 / (1.0 + tan_half / parameters.hs),
        'Bc': _coherent(tan_half / parameters.hc),
        'M': h_function(mu0e / k, parameters.w) * h_function(mue / k, parameters.w) - 1.0,
        'S': shadowing,
        'K': np.full(i.shape, k),
    }


def phase_function(cos_phase: ArrayLike, b: float, c: float) -> Floats:
    """Return the double Henyey-Greenstein function p(g), whose mean over the sphere is 1.

    Args:
        cos_phase: Cosine of the phase angle, 1 at opposition.
        b: Width of the lobes [-].
        c: Weight of the lobes [-]; a positive value scatters back.

    Source: hapke2012, eq. 6.7a.
    Checked by: test_brdf.py::test_phase_function_is_normalized_and_backscatters.
    """
    cos = np.asarray(cos_phase, dtype=np.float64)
    top = 1.0 - b * b
    back = top / (1.0 - 2.0 * b * cos + b * b) ** 1.5
    forth = top / (1.0 + 2.0 * b * cos + b * b) ** 1.5
    out: Floats = 0.5 * ((1.0 + c) * back + (1.0 - c) * forth)
    return out


def h_function(x: ArrayLike, w: float) -> Floats:
    """Return Hapke's approximation of Chandrasekhar's H function for isotropic scatterers; H(0) = 1.

    Args:
        x: Effective cosine divided by K [-].
        w: Single-scattering albedo [-].

    Source: hapke2002, eq. 13.
    Checked by: test_brdf.py::test_reference_components.
    """
    x = np.maximum(np.asarray(x, dtype=np.float64), 1e-300)
    gamma = math.sqrt(1.0 - w)
    r0 = (1.0 - gamma) / (1.0 + gamma)
    out: Floats = 1.0 / (1.0 - w * x * (r0 + 0.5 * (1.0 - 2.0 * r0 * x) * np.log1p(1.0 / x)))
    return out


def _coherent(y: Floats) -> Floats:
    """Return the coherent backscatter Bc of y = tan(g / 2) / hc; 1 at y = 0.

    Source: hapke2002, eq. 32.
    Checked by: test_brdf.py::test_coherent_backscatter_limits.
    """
    y = np.minimum(y, 1e150)
    with np.errstate(invalid='ignore', divide='ignore'):
        mean = np.where(y > 1e-8, -np.expm1(-y) / y, 1.0)
    out: Floats = (1.0 + mean) / (2.0 * (1.0 + y) ** 2)
    return out


def _roughness(i: Floats, e: Floats, psi: Floats, theta: float) -> tuple[Floats, Floats, Floats]:
    """Return effective cosines mu0e and mue and the shadowing function S of a surface with mean slope theta.

    Source: hapke1984.
    Checked by: test_brdf.py::test_reference_components, test_brdf.py::test_continuity.
    """
    mu0, mu = np.cos(i), np.cos(e)
    if theta < 1e-9:
        return np.maximum(mu0, 0.0), np.maximum(mu, 0.0), np.ones(i.shape)
    tan, cot = math.tan(theta), 1.0 / math.tan(theta)
    chi = 1.0 / math.sqrt(1.0 + math.pi * tan * tan)
    sin_i, sin_e = np.sin(i), np.sin(e)
    with np.errstate(divide='ignore', over='ignore'):
        cot_i, cot_e = np.maximum(mu0, 0.0) / np.abs(sin_i), np.maximum(mu, 0.0) / np.abs(sin_e)
        e1_i, e1_e = np.exp(-2.0 / np.pi * cot * cot_i), np.exp(-2.0 / np.pi * cot * cot_e)
        e2_i, e2_e = np.exp(-((cot * cot_i) ** 2) / np.pi), np.exp(-((cot * cot_e) ** 2) / np.pi)
    eta_i = chi * (mu0 + sin_i * tan * e2_i / (2.0 - e1_i))
    eta_e = chi * (mu + sin_e * tan * e2_e / (2.0 - e1_e))
    s2 = np.sin(psi / 2.0) ** 2
    f = np.exp(-2.0 * np.tan(psi / 2.0))
    # The steeper of the two directions is shadowed or hidden more; the formulas exchange their roles.
    steep = i <= e
    e1_low, e1_high = np.where(steep, e1_i, e1_e), np.where(steep, e1_e, e1_i)
    e2_low, e2_high = np.where(steep, e2_i, e2_e), np.where(steep, e2_e, e2_i)
    d = np.maximum(2.0 - e1_high - psi / np.pi * e1_low, 1e-300)
    with_azimuth = (np.cos(psi) * e2_high + s2 * e2_low) / d
    without = (e2_high - s2 * e2_low) / d
    mu0e = chi * (mu0 + sin_i * tan * np.where(steep, with_azimuth, without))
    mue = chi * (mu + sin_e * tan * np.where(steep, without, with_azimuth))
    mu0e, mue = np.maximum(mu0e, 1e-300), np.maximum(mue, 1e-300)
    ratio = chi * np.where(steep, mu0 / eta_i, mu / eta_e)
    shadowing = (mue / eta_e) * (mu0 / eta_i) * chi / (1.0 - f + f * ratio)
    return mu0e, mue, shadowing


def remaining_mean_slope(theta: float, rms_slope: float) -> float:
    """Return Hapke's mean slope [rad] of the roughness that is left below a relief.

    The slopes of Hapke's roughness have a Rayleigh distribution with mean square pi tan^2(theta); variances add:
    ``tan^2 theta' = tan^2 theta - rms^2 / pi``.

    Args:
        theta: Mean slope of the whole roughness [rad].
        rms_slope: Root mean square of the slopes of the relief, along both axes together (tangent).

    Raises:
        ValueError: If the relief is rougher than the whole roughness.

    Source: hapke1984.
    Checked by: test_soil_relief.py::test_roughness_of_the_relief_is_subtracted.
    """
    left = math.tan(theta) ** 2 - rms_slope * rms_slope / math.pi
    if left < 0.0:
        most = math.degrees(math.atan(math.sqrt(math.pi) * math.tan(theta)))
        raise ValueError(
            f'the relief is rougher than the mean slope of {math.degrees(theta):.4g} deg; allowed: <= {most:.4g} deg'
        )
    return math.atan(math.sqrt(left))


def lambert_reflectance(incidence: ArrayLike, albedo: float = 1.0) -> Floats:
    """Return r [1/sr] of an ideally diffuse surface: albedo cos i / pi, 0 below the horizon.

    Source: hapke2012.
    Checked by: test_brdf.py::test_lambert_surface_reflects_its_albedo.
    """
    out: Floats = albedo / np.pi * np.maximum(np.cos(np.asarray(incidence, dtype=np.float64)), 0.0)
    return out
