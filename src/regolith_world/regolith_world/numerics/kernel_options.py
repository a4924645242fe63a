# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorator of compiled kernels: the options of Numba that all kernels share.

Kernels are cached on disk, run without the global interpreter lock, and divide by zero as IEEE 754 does. They are not
compiled for calls from C, which nothing uses. ``fastmath`` is off: it would let the compiler change the order of sums.

CPython keeps the frames of Python functions in chunks of 16 KiB. Version 3.11, and later ones without the fix of
python/cpython#142183, map a chunk into memory whenever a call crosses the end of the last one, and unmap it at the
return. Numba's compiler loops at depths of hundreds of calls: with 3.11 the kernels of two rovers took 89 s of
processor time in place of 60 s. Therefore it runs above a frame that needs so large a chunk that the frames of the
compiler fit in the rest of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit

from regolith_world.numerics.kernel_cache import numba_is_loaded

numba_is_loaded()
_FRAME_SLOTS = 140_000
"""Size of the large frame in pointers, 1.1 MB: CPython doubles the chunk to 2 MiB, and 0.9 MiB are left."""


def _call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    return function(*arguments, **keywords)


# The memory of the frame is reserved, but not written to.
_call.__code__ = _call.__code__.replace(co_stacksize=_FRAME_SLOTS)


def kernel(function: Callable[..., Any] | None = None, *, views_only: bool = False, **options: Any) -> Any:
    """Return a function compiled as a kernel, or with keywords alone the decorator that compiles it.

    Args:
        function: Function in the subset of Python that Numba compiles.
        views_only: Whether the kernel neither creates nor returns arrays, nor calls a kernel that does. Then
            references are not counted (:mod:`regolith_terrain.contact.kernel_binding`).
        **options: Further options of :func:`numba.njit`, such as ``inline``.
    """
    counts = {'_nrt': False} if views_only else {}
    decorate = njit(cache=True, nogil=True, error_model='numpy', no_cfunc_wrapper=True, **counts, **options)

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = decorate(function)
        # Numba calls this for argument types without a compiled kernel.
        dispatcher._compile_for_args = partial(_call, dispatcher._compile_for_args)
        return dispatcher

    return compiled if function is None else compiled(function)
