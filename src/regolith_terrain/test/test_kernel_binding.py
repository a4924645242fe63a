# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of loops over kernels that are chosen at run time."""

from __future__ import annotations

import numpy as np
from numba import njit

from regolith_terrain.contact.kernel_binding import bind_kernels


@njit
def more(x):
    return x + 1.0


@njit
def twice(x):
    return 2.0 * x


def repeat(count, x):
    for _ in range(count):
        x = kernel(x)  # noqa: F821  bound at compile time
    return x


def test_bind_kernels_gives_each_kernel_its_own_loop() -> None:
    """A shared cache index would be unreadable once the package of one kernel, with its types, is removed."""
    one, other = bind_kernels(repeat, kernel=more), bind_kernels(repeat, kernel=twice)
    assert one(10, 1.0) == 11.0 and other(10, 1.0) == 1024.0
    assert one.py_func.__qualname__ != other.py_func.__qualname__
    assert bind_kernels(repeat, kernel=more).py_func.__qualname__ == one.py_func.__qualname__


@njit
def through_a_new_array(x):
    room = np.full(3, x)
    return room.sum()


@njit(_nrt=False)
def by_numbers(x):
    return 3.0 * x


def test_bind_kernels_accepts_kernels_that_allocate_arrays() -> None:
    """A loop without reference counting must enable it for a kernel that needs it; otherwise the kernel does not
    compile.
    """
    for kernel, counts in ((through_a_new_array, True), (by_numbers, False)):
        loop = bind_kernels(repeat, views_only=True, kernel=kernel)
        assert loop(3, 1.0) == 27.0 and loop.targetoptions.get('_nrt', True) is counts
    assert bind_kernels(repeat, kernel=by_numbers).targetoptions.get('_nrt', True) is True
