# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops that call kernels chosen at run time (a soil law's, a plug-in's), as quick as if they were written in.

A kernel in a loop's closure would be compiled in just as well, but then Numba's cache on disk never finds the loop
again: the closure is part of its key, and a kernel has another identity in each process. So kernels are bound as
globals of the loop, and what identifies them stands in its closure: a number that changes with the sources of every
package they come from. (The cache itself looks at the file of the loop alone.)
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import njit

import regolith_terrain


def bind(make: Callable[[int], Callable[..., Any]], **kernels: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled loop.

    :param make: takes the digest, which must appear in the loop's closure, and returns the loop as plain Python; the
        loop calls the kernels by the names they are given here, as if they were globals of its module
    :param kernels: compiled by Numba
    """
    plain = make(_digest(tuple(sorted(kernels.items()))))
    assert isinstance(plain, FunctionType)
    bound = FunctionType(
        plain.__code__, {**plain.__globals__, **kernels}, plain.__name__, plain.__defaults__, plain.__closure__
    )
    bound.__qualname__, bound.__module__ = plain.__qualname__, plain.__module__
    compiled: Callable[..., Any] = njit(cache=True, nogil=True, error_model='numpy')(bound)
    return compiled


def _digest(kernels: tuple[tuple[str, Any], ...]) -> int:
    """Return a number in [0, 2^32) that changes with the names of kernels and all sources of their packages."""
    digest = hashlib.sha256(_sources(regolith_terrain.__name__))
    for name, kernel in kernels:
        plain = kernel.py_func
        digest.update(f'{name} {plain.__module__} {plain.__qualname__} '.encode())
        digest.update(_sources(plain.__module__.partition('.')[0]))
    return int.from_bytes(digest.digest()[:4], 'little')


@cache
def _sources(package: str) -> bytes:
    """Return a digest of all Python files of a package, or of the one file of a module."""
    file = Path(str(sys.modules[package].__file__))
    digest = hashlib.sha256()
    for path in sorted(file.parent.rglob('*.py')) if file.name == '__init__.py' else [file]:
        digest.update(path.read_bytes())
    return digest.digest()
