# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorator of compiled kernels: the options of Numba that all kernels share.

Kernels are cached on disk, run without the global interpreter lock, and divide by zero as IEEE 754 does. They are not
compiled for calls from C, which nothing uses. ``fastmath`` is off: it would let the compiler change the order of sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any] | None = None, *, views_only: bool = False, **options: Any) -> Any:
    """Return a function compiled as a kernel, or with keywords alone the decorator that compiles it.

    Args:
        function: Function in the subset of Python that Numba compiles.
        views_only: Whether the kernel neither creates nor returns arrays, nor calls a kernel that does. Then
            references are not counted (:mod:`regolith_terrain.contact.kernel_binding`).
        **options: Further options of :func:`numba.njit`, such as ``inline``.
    """
    counts = {'_nrt': False} if views_only else {}
    compiled = njit(cache=True, nogil=True, error_model='numpy', no_cfunc_wrapper=True, **counts, **options)
    return compiled if function is None else compiled(function)
