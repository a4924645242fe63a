# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Published formulas of wheel sinkage and slip-sinkage, for comparison."""

from __future__ import annotations


def bekker_sinkage(load: float, radius: float, width: float, modulus: float, exponent: float) -> float:
    """Return the sinkage of a towed rigid wheel [m]: pressure modulus z^exponent below a parabolic rim.

    Args:
        load: Load on the wheel [N].
        radius: Radius of the wheel [m].
        width: Width of the wheel [m].
        modulus: Pressure-sinkage modulus k_c / b + k_phi [Pa/m^n].
        exponent: Sinkage exponent n, below 3 [-].

    Source: bekker1969.
    Checked by: test_sinkage_formulas.py::test_bekker_sinkage_pressure_integral_equals_the_load.
    """
    base = 3.0 * load / ((3.0 - exponent) * width * modulus * (2.0 * radius) ** 0.5)
    return float(base ** (2.0 / (2.0 * exponent + 1.0)))


def lyasko_factor(slip: float) -> float:
    """Return the sinkage of a wheel or track relative to that without slip, (1 + i) / (1 - i / 2).

    Args:
        slip: Slip ratio i, 0 to 1 [-].

    Source: lyasko2010.
    Checked by: test_sinkage_formulas.py::test_sinkage_formulas_grow_with_slip.
    """
    return (1.0 + slip) / (1.0 - 0.5 * slip)


def ding_sinkage(
    load: float, radius: float, width: float, modulus: float, exponent: float, growth: float, slip: float
) -> float:
    """Return the sinkage of a slipping wheel [m]: Bekker's with the exponent n + growth * slip.

    Args:
        load: Load on the wheel [N].
        radius: Radius of the wheel [m].
        width: Width of the wheel [m].
        modulus: Pressure-sinkage modulus k_c / b + k_phi [Pa/m^n].
        exponent: Sinkage exponent n at zero slip [-].
        growth: Growth of the exponent with slip [-], from tests of wheel and soil.
        slip: Slip ratio [-].

    Source: ding2010, the exponent; bekker1969.
    Checked by: test_sinkage_formulas.py::test_sinkage_formulas_grow_with_slip.
    """
    return bekker_sinkage(load, radius, width, modulus, exponent + growth * slip)
