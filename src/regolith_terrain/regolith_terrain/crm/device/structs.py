# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Structs and constants of the device kernels."""

# Warp's annotations are values, not types for mypy.
# mypy: ignore-errors

from __future__ import annotations

from functools import partial
from typing import Any, get_type_hints

import warp as wp

from regolith_terrain.crm import arrays

MODULE = wp.get_module('regolith_terrain.crm.device')
"""Warp module of all kernels, which are compiled together."""
# Loops over nine runs are not unrolled.
wp.set_module_options({'enable_backward': False, 'max_unroll': 0}, module=MODULE)
kernel = partial(wp.kernel, module=MODULE)

_NUMBERS = {int: wp.int32, float: wp.float64, bool: wp.bool}


def _struct(bundle: type) -> Any:
    """Return a struct with the fields of a named tuple for kernels."""
    fields = {name: _NUMBERS[kind] for name, kind in get_type_hints(bundle).items()}
    return wp.struct(type(bundle.__name__, (), {'__annotations__': fields, '__module__': __name__}))


Material, Scheme = _struct(arrays.Material), _struct(arrays.Scheme)


@wp.struct
class Grid:
    """Numbers of cells along x, y, z, and periods of the bed [m], 0 without periodicity."""

    nx: wp.int32
    ny: wp.int32
    nz: wp.int32
    period_x: wp.float64
    period_y: wp.float64


def filled(struct: Any, bundle: Any) -> Any:
    """Return a named tuple of numbers in the form of the kernels."""
    made = struct()
    for name, value in bundle._asdict().items():
        setattr(made, name, value)
    return made


def number(value: float) -> Any:
    """Return a constant of double precision; a literal in a kernel is single precision."""
    return wp.constant(wp.float64(value))


ZERO, HALF, ONE, TWO, THREE, FOUR = number(0.0), number(0.5), number(1.0), number(2.0), number(3.0), number(4.0)
