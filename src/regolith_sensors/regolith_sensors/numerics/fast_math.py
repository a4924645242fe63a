# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Single-precision elementary functions that the compiler can vectorize, unlike those of a library.

They consist of additions and multiplications only, so their results do not depend on the machine's library either.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_sensors.arrays import Single
from regolith_world.numerics import kernel

_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_HALF, _QUARTER = np.float32(0.5), np.float32(0.25)
_PI = np.float32(math.pi)
_LOG2_E, _LN2 = np.float32(1.0 / math.log(2.0)), np.float32(math.log(2.0))
_LN2_HIGH = np.float32(355.0 / 512.0)
_LN2_LOW = np.float32(math.log(2.0) - 355.0 / 512.0)
_SERIES = tuple(np.float32(1.0 / math.factorial(k)) for k in range(7))
# Added to a small number, it shifts all fractional bits out of the mantissa.
_ROUNDING = np.float32(1.5 * 2.0**23)
_ROOT_HALF = np.int32(0x3F3504F3)
"""The bits of sqrt(1/2)."""
_THIRD, _FIFTH, _SEVENTH, _NINTH = (np.float32(1.0 / k) for k in (3, 5, 7, 9))
_SINES = tuple(np.float32((-1) ** k / math.factorial(2 * k + 1)) for k in range(1, 5))


@kernel(views_only=True, forceinline=True)
def exp(x: Single) -> Single:
    """Return e^x for x <= 0 with relative error 2.5e-7: 2^n times the series of e^f, |f| <= ln 2 / 2; e^-87 below -87.

    Source: cody1980.
    Checked by: test_fast_math.py::test_fast_functions_are_within_their_bounds.
    """
    x = max(x, np.float32(-87.0))
    shifted = x * _LOG2_E + _ROUNDING
    n = shifted - _ROUNDING
    # n ln 2 in two parts, of which the first is exact.
    f = (x - n * _LN2_HIGH) - n * _LN2_LOW
    a = _SERIES
    p = a[0] + f * (a[1] + f * (a[2] + f * (a[3] + f * (a[4] + f * (a[5] + f * a[6])))))
    # The last bits of the shifted number contain n, which is added to the exponent.
    bits = np.float32(p).view(np.int32) + (np.float32(shifted).view(np.int32) << 23)
    return np.int32(bits).view(np.float32)


@kernel(views_only=True, forceinline=True)
def log(x: Single) -> Single:
    """Return ln x of a normal x > 0 to 2e-7 of 1 + |ln x|: ln 2 times the exponent plus 2 artanh for the mantissa.

    Source: cody1980.
    Checked by: test_fast_math.py::test_fast_functions_are_within_their_bounds.
    """
    bits = np.float32(x).view(np.int32)
    whole = np.int32((bits - _ROOT_HALF) >> 23)
    m = np.int32(bits - (whole << 23)).view(np.float32)
    z = (m - _ONE) / (m + _ONE)
    z2 = z * z
    series = _ONE + z2 * (_THIRD + z2 * (_FIFTH + z2 * (_SEVENTH + z2 * _NINTH)))
    return np.float32(whole) * _LN2 + _TWO * z * series


@kernel(views_only=True, forceinline=True)
def _sine(x: Single) -> Single:
    """Return sin x for |x| <= pi / 2 with error 4e-6, by the Taylor series."""
    x2 = x * x
    s = _SINES
    return x * (_ONE + x2 * (s[0] + x2 * (s[1] + x2 * (s[2] + x2 * s[3]))))


@kernel(views_only=True, forceinline=True)
def cos_sin_of_turn(turn: Single) -> tuple[Single, Single]:
    """Return cosine and sine of a fraction of a full turn, 0 to 1, with error 4e-6."""
    s = turn - _HALF
    away = abs(s)
    sine = _sine(_TWO * _PI * (_QUARTER - abs(away - _QUARTER)))
    return _sine(_TWO * _PI * (away - _QUARTER)), -sine if s > _ZERO else sine
