# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops that call kernels chosen at run time: those of a soil law, of a plug-in.

What that costs against a loop with SCM written in is paid once per cycle: some forty arrays are unpacked at the call,
about 5 us.

Kernels that make no arrays and return none say ``_nrt=False``: Numba then counts no owners of those they are given. It
does so at every call and for each array of a tuple, atomically, which took a tank four fifths of its time. One that
makes an array, or calls one that does, would not compile so; one that is given a new one would never free it. So a row
is copied number by number: ``a[:] = b[k]`` makes an array where both may overlap. A loop over kernels that do not say
so, as those of a plug-in, counts owners, too.

A kernel in a loop's closure would be compiled in just as well, but then Numba's cache on disk never finds the loop
again: the closure is part of its key, and a kernel has another identity in each process. So kernels are bound as
globals of the loop, and the loop is named after them: by a number that changes with the sources of every package they
come from, since the cache itself looks at the file of the loop alone. A name of its own also gives every combination
its own index on disk: one that tells of types of a package that is gone cannot be read.
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


def bind_kernels(
    loop: Callable[..., Any], *, views_only: bool = False, **kernels: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a compiled loop.

    Args:
        loop: In plain Python; it calls the kernels by the names they are given here, as if they were globals.
        views_only: Whether it makes no arrays, nor takes any from the kernels, so that it need not count owners.
        kernels: Compiled by Numba.
    """
    assert isinstance(loop, FunctionType)
    bound = FunctionType(loop.__code__, {**loop.__globals__, **kernels}, loop.__name__, loop.__defaults__)
    bound.__module__ = loop.__module__
    bound.__qualname__ = f'{loop.__qualname__}_{_digest(tuple(sorted(kernels.items())))}'
    counts = not views_only or any(_counts_owners(kernel) for kernel in kernels.values())
    compiled: Callable[..., Any] = njit(cache=True, nogil=True, error_model='numpy', _nrt=counts)(bound)
    return compiled


def _counts_owners(kernel: Any) -> bool:
    return bool(kernel.targetoptions.get('_nrt', True))


def _digest(kernels: tuple[tuple[str, Any], ...]) -> str:
    """Return a word that changes with the names of kernels and all sources of their packages."""
    digest = hashlib.sha256(_sources(regolith_terrain.__name__, ''))
    for name, kernel in kernels:
        plain = kernel.py_func
        digest.update(f'{name} {plain.__module__} {plain.__qualname__} '.encode())
        digest.update(_sources(plain.__module__.partition('.')[0], plain.__code__.co_filename))
    return digest.hexdigest()[:12]


@cache
def _sources(package: str, module_file: str) -> bytes:
    """Return a digest of all Python files of a package; of a module that is in none, of its file."""
    file = Path(str(getattr(sys.modules[package], '__file__', None) or module_file))
    digest = hashlib.sha256()
    for path in sorted(file.parent.rglob('*.py')) if file.name == '__init__.py' else [file]:
        digest.update(path.read_bytes())
    return digest.digest()
