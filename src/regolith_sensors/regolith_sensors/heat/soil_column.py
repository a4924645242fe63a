# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Temperature of lunar ground: heat conduction in a column of regolith, with radiation at its surface.

rho c dT/dt = d/dz (K dT/dz); surface: K dT/dz + absorbed light = e s T^4; bottom: geothermal flux. Density and
conductivity rise with depth, conductivity and heat capacity with temperature. Backward Euler in time; conductivity and
heat capacity of a step are those of its start. Left out: conduction across slopes, ice, rocks in the soil.

Source: hayne2017, appendix A; vasavada2012.
Checked by: test_ground_temperature.py::test_temperatures_of_the_reference_table.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

STEFAN_BOLTZMANN = 5.670374419e-8
"""Stefan-Boltzmann constant [W/m^2/K^4]."""
SOLAR_CONSTANT = 1361.0
"""Total solar irradiance at 1 au [W/m^2]."""
LUNATION_S = 29.53059 * 86400.0
"""Mean length of a lunar day, from noon to noon [s]."""
COLDEST_K = 2.0
"""Temperature below which the fit of the heat capacity is not valid, which would become negative [K]."""
SKIN_M = math.sqrt(7.4e-4 / (1100.0 * 600.0) * LUNATION_S / math.pi)
"""Depth at which the variation over a lunar day is 1/e of that at the surface, of the default grid [m]."""


class Soil(NamedTuple):
    """Thermal parameters of soil; a profile is deep - (deep - surface) exp(-z / scale_m)."""

    surface_density: float = 1100.0
    """Density at the surface [kg/m^3]."""
    deep_density: float = 1800.0
    """Density far below the scale [kg/m^3]."""
    surface_conductivity: float = 7.4e-4
    """Conductivity at the surface without its radiative part [W/m/K]."""
    deep_conductivity: float = 3.4e-3
    """The same far below the scale [W/m/K]."""
    scale_m: float = 0.07
    """Depth over which both rise [m]."""
    radiative: float = 2.7
    """Radiative conductivity at 350 K divided by that of the contacts [-]; it rises with T^3."""
    heat_capacity: tuple[float, float, float, float, float] = (-3.6125, 2.7431, 2.3616e-3, -1.2340e-5, 8.9093e-9)
    """Coefficients of the heat capacity over temperature [J/kg/K, K]."""
    emissivity: float = 0.95
    """Infrared emissivity of the surface [-]."""
    flux: float = 0.018
    """Geothermal flux [W/m^2]."""


LUNAR_SOIL = Soil()
"""Mean soil of the Moon."""


class Column(NamedTuple):
    """Nodes of a column, from the surface down."""

    depth: Floats
    """Depth of the nodes [m], shape (n,); the first is 0."""
    mass: Floats
    """Mass of the soil around each node [kg/m^2], shape (n,)."""
    contact: Floats
    """Conductivity without its radiative part between nodes, divided by their distance [W/m^2/K], shape (n - 1,)."""
    radiative: float
    """See :attr:`Soil.radiative`."""
    heat_capacity: Floats
    """See :attr:`Soil.heat_capacity`, shape (5,)."""
    emissivity: float
    """See :attr:`Soil.emissivity`."""
    flux: float
    """See :attr:`Soil.flux`."""


def make_column(
    soil: Soil = LUNAR_SOIL, first_m: float = 0.1 * SKIN_M, growth: float = 1.2, depth_m: float = 0.67
) -> Column:
    """Return a column whose distances between nodes grow with depth.

    Args:
        soil: Parameters of the soil.
        first_m: Distance of the first two nodes [m].
        growth: Ratio of successive distances [-].
        depth_m: Depth that the column reaches or exceeds [m].
    """
    depths, step = [0.0], first_m
    while depths[-1] < depth_m:
        depths.append(depths[-1] + step)
        step *= growth
    depth = np.array(depths)
    loose = np.exp(-depth / soil.scale_m)
    density = soil.deep_density - (soil.deep_density - soil.surface_density) * loose
    conductivity = soil.deep_conductivity - (soil.deep_conductivity - soil.surface_conductivity) * loose
    between = np.diff(depth)
    thickness = 0.5 * (np.append(between, 0.0) + np.append(0.0, between))
    return Column(
        depth,
        density * thickness,
        0.5 * (conductivity[1:] + conductivity[:-1]) / between,
        soil.radiative,
        np.array(soil.heat_capacity),
        soil.emissivity,
        soil.flux,
    )


def start_profile(column: Column, highest_k: float) -> Floats:
    """Return the profile at the start of a computation: the highest temperature / sqrt(2) [K], shape (n,)."""
    return np.full(len(column.depth), highest_k / math.sqrt(2.0))


@kernel
def step_column(column: Column, temperature: Floats, absorbed: float, step: float, scratch: Floats) -> None:
    """Advance a column by a step.

    The layers below are eliminated from the bottom up, so the surface is one equation of the fourth degree, whose only
    positive root Newton's method finds.

    Args:
        column: The column.
        temperature: In/out: temperatures of the nodes [K], shape (n,).
        absorbed: Absorbed light and infrared radiation at the surface [W/m^2].
        step: Step size [s].
        scratch: Work array, shape (2, n).

    Source: hayne2017, appendix A.
    Checked by: test_ground_temperature.py::test_temperatures_of_the_reference_table,
    test_ground_temperature.py::test_step_of_flux_into_constant_soil.
    """
    n, c = temperature.shape[0], column.heat_capacity
    fixed, slope = scratch[0], scratch[1]
    # From the bottom up: T[k] = fixed[k] + slope[k] T[k - 1].
    below, below_slope, below_conductance = 0.0, 0.0, 0.0
    inflow = column.flux
    for k in range(n - 1, -1, -1):
        t = temperature[k]
        warm = t if t > COLDEST_K else COLDEST_K
        specific = c[0] + warm * (c[1] + warm * (c[2] + warm * (c[3] + warm * c[4])))
        capacity = column.mass[k] * specific / step
        if k > 0:
            between = 0.5 * (t + temperature[k - 1]) / 350.0
            above_conductance = column.contact[k - 1] * (1.0 + column.radiative * between * between * between)
            diagonal = capacity + above_conductance + below_conductance * (1.0 - below_slope)
            fixed[k] = (capacity * t + inflow + below_conductance * below) / diagonal
            slope[k] = above_conductance / diagonal
            below, below_slope, below_conductance = fixed[k], slope[k], above_conductance
            inflow = 0.0
        else:
            diagonal = capacity + below_conductance * (1.0 - below_slope)
            known = capacity * t + inflow + below_conductance * below + absorbed
            radiating = column.emissivity * STEFAN_BOLTZMANN
            top = t if t > 1.0 else 1.0
            for _ in range(30):
                cube = radiating * top * top * top
                change = (diagonal * top + cube * top - known) / (diagonal + 4.0 * cube)
                top -= change
                if abs(change) < 1e-9 * top:
                    break
            temperature[0] = top
    for k in range(1, n):
        temperature[k] = fixed[k] + slope[k] * temperature[k - 1]


@kernel
def run_column(column: Column, temperature: Floats, absorbed: Floats, step: float, surface: Floats) -> None:
    """Advance a column through a series of absorbed powers.

    Args:
        column: The column.
        temperature: In/out: temperatures of the nodes [K], shape (n,).
        absorbed: Absorbed power during each step [W/m^2], shape (m,).
        step: Step size [s].
        surface: Out: temperature of the surface at the end of each step [K], shape (m,).
    """
    scratch = np.empty((2, temperature.shape[0]))
    for m in range(absorbed.shape[0]):
        step_column(column, temperature, absorbed[m], step, scratch)
        surface[m] = temperature[0]


def steady_surface(absorbed: float, soil: Soil = LUNAR_SOIL) -> float:
    """Return the temperature of a surface in a constant environment [K]: e s T^4 = q + Q.

    Args:
        absorbed: Absorbed light and infrared radiation q [W/m^2].
        soil: Soil with emissivity e and geothermal flux Q.
    """
    return float(((absorbed + soil.flux) / (soil.emissivity * STEFAN_BOLTZMANN)) ** 0.25)


def albedo(at_normal: float, cos_incidence: Floats | float) -> Floats:
    """Return the fraction of sunlight that soil reflects at an incidence i: A0 + 0.06 (i/45)^3 + 0.25 (i/90)^8.

    Args:
        at_normal: Albedo A0 at normal incidence [-].
        cos_incidence: Cosine of the incidence, clipped to [0, 1].

    Source: hayne2017, equation A5.
    Checked by: test_ground_temperature.py::test_temperatures_of_the_reference_table.
    """
    incidence = np.degrees(np.arccos(np.clip(cos_incidence, 0.0, 1.0)))
    return np.asarray(at_normal + 0.06 * (incidence / 45.0) ** 3 + 0.25 * (incidence / 90.0) ** 8)
