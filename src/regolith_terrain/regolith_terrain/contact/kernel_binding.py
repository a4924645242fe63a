# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loops that call kernels selected at run time, of a terrain model or a plug-in.

Compared to a loop with SCM compiled in, the cost is one unpacking of about forty arrays per cycle, about 5 us.

Kernels that neither create nor return arrays are compiled with ``_nrt=False``: Numba then does not count references. It
does so at every call, for each array of a tuple, atomically. This took 80 % of the time of a tracked vehicle. A kernel
that creates an array, or calls one that does, does not compile this way. A kernel that receives a new array would never
free it. Therefore a row is copied element by element: ``a[:] = b[k]`` creates an array where both may overlap. A loop
over kernels without this option, such as those of a plug-in, counts references, too.

A kernel in a loop's closure would also compile. But the closure is part of the key of Numba's disk cache, and a kernel
has a different identity in each process, so the cache would never find the loop. So kernels are bound as globals of the
loop. The name of the loop contains a digest of the sources of all packages of the kernels, because the cache checks
only the file of the loop. A separate name also gives every combination a separate cache index. An index that refers to
types of a removed package cannot be read.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from regolith_world.numerics import kernel


def unbound(*arguments: Any) -> Any:
    """Value of a name that :func:`bind_kernels` binds to a kernel. The declaration of the name states the type.

    Raises:
        RuntimeError: If it is called.
    """
    raise RuntimeError('the loop has no bound kernels')


def bind_kernels(
    loop: Callable[..., Any], *, views_only: bool = False, **kernels: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a compiled loop with bound kernels.

    Args:
        loop: Loop in plain Python that calls the kernels by their keyword names, globals of its module that are
            declared with their types (:func:`unbound`).
        views_only: Whether the loop neither creates arrays nor receives any from kernels, so references are not
            counted.
        kernels: Kernels compiled by Numba.
    """
    assert isinstance(loop, FunctionType)
    bound = FunctionType(loop.__code__, {**loop.__globals__, **kernels}, loop.__name__, loop.__defaults__)
    bound.__module__ = loop.__module__
    bound.__qualname__ = f'{loop.__qualname__}_{_digest(tuple(sorted(kernels.items())))}'
    counts = not views_only or any(_counts_owners(bound_kernel) for bound_kernel in kernels.values())
    compiled: Callable[..., Any] = kernel(bound, views_only=not counts)
    return compiled


def _counts_owners(compiled: Any) -> bool:
    return bool(compiled.targetoptions.get('_nrt', True))


def _digest(kernels: tuple[tuple[str, Any], ...]) -> str:
    """Return a digest of the names of kernels and all sources of their packages."""
    digest = hashlib.sha256(_sources(__name__.partition('.')[0], ''))
    for name, compiled in kernels:
        plain = compiled.py_func
        digest.update(f'{name} {plain.__module__} {plain.__qualname__} '.encode())
        digest.update(_sources(plain.__module__.partition('.')[0], plain.__code__.co_filename))
    return digest.hexdigest()[:12]


@cache
def _sources(package: str, module_file: str) -> bytes:
    """Return a digest of all Python files of a package, or of a module's file if it is in no package."""
    file = Path(str(getattr(sys.modules[package], '__file__', None) or module_file))
    digest = hashlib.sha256()
    for path in sorted(file.parent.rglob('*.py')) if file.name == '__init__.py' else [file]:
        digest.update(path.read_bytes())
    return digest.digest()
