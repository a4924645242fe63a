# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Published formulas of how deep wheels sink, and how much deeper they do in a slip, to compare with."""

from __future__ import annotations


def bekker_sinkage(load: float, radius: float, width: float, modulus: float, exponent: float) -> float:
    """Return the sinkage of a towed rigid wheel [m]: pressure modulus z^exponent below a rim taken as a parabola.

    Args:
        load: [N].
        radius: [m].
        width: [m].
        modulus: k_c / b + k_phi [Pa/m^n].
        exponent: n, below 3.

    Source: bekker1969.
    Checked by: test_sinkage_formulas.py::test_bekkers_wheel_carries_its_load.
    """
    base = 3.0 * load / ((3.0 - exponent) * width * modulus * (2.0 * radius) ** 0.5)
    return float(base ** (2.0 / (2.0 * exponent + 1.0)))


def lyasko_factor(slip: float) -> float:
    """Return how many times as deep as without slip a wheel or track sinks, (1 + i) / (1 - i / 2).

    Args:
        slip: i, 0 to 1.

    Source: lyasko2010.
    Checked by: test_sinkage_formulas.py::test_slip_sinks_wheels_deeper.
    """
    return (1.0 + slip) / (1.0 - 0.5 * slip)


def ding_sinkage(
    load: float, radius: float, width: float, modulus: float, exponent: float, growth: float, slip: float
) -> float:
    """Return the sinkage of a slipping wheel [m]: Bekker's, whose exponent grows with slip, n + growth * slip.

    Parameters as of :func:`bekker_sinkage`.

    Args:
        growth: Of the exponent with slip; of wheel and soil, from tests.

    Source: ding2010, the exponent; bekker1969.
    Checked by: test_sinkage_formulas.py::test_slip_sinks_wheels_deeper.
    """
    return bekker_sinkage(load, radius, width, modulus, exponent + growth * slip)
