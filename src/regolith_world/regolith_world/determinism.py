# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Determinism levels of a run, and the environment that makes processes bit-identical across machines.

Kernels have the same bits on every x86-64 processor. BLAS and NumPy's own loops are kept away from the state
(:mod:`regolith_world.numerics.portable_math`). The C library's elementary functions differ: with fused multiply-add its
``sin`` differs in the last digit about once in 1500 calls. MuJoCo, kernels and Python all call it. It selects its code
when a process starts, so it is pinned by environment variables, not by code.
"""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from regolith_world.numerics.portable_math import each

Level = Literal['run_to_run', 'cross_process', 'cross_machine']
"""Determinism level: the runs that give the same state hash."""
LEVELS: tuple[Level, ...] = ('run_to_run', 'cross_process', 'cross_machine')
"""Determinism levels. Each one includes those before it."""

TUNABLES = 'GLIBC_TUNABLES'
"""Environment variable of the tunables of the C library."""
_CAPABILITIES = 'glibc.cpu.hwcaps'
_OLDEST_C_LIBRARY = (2, 33)
"""First glibc version in which capabilities have their present names."""
_WITHOUT = ('-FMA', '-FMA4')


def numpy_dispatch_features() -> str:
    """Return the features for which NumPy has special loops, in the form of ``NPY_DISABLE_CPU_FEATURES``."""
    core: Any = getattr(np, '_core', None) or getattr(np, 'core')  # noqa: B009 - the name before NumPy 2
    return ' '.join(core._multiarray_umath.__cpu_dispatch__)


def pinned_variables() -> dict[str, str]:
    """Return the environment in which a process computes the same on every x86-64 machine, plug-ins included.

    The variables for plug-ins are: NumPy's loops, OpenBLAS's core (the oldest that NumPy supports) and its number of
    threads, which splits long sums, and Intel's vector functions, where installed.
    """
    return {
        TUNABLES: f'{_CAPABILITIES}={",".join(_WITHOUT)}',
        'OPENBLAS_CORETYPE': 'Nehalem',
        'OPENBLAS_NUM_THREADS': '1',
        'NPY_DISABLE_CPU_FEATURES': numpy_dispatch_features(),
        'NUMBA_DISABLE_INTEL_SVML': '1',
    }


def with_pins(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with all pins set. Other tunables of the C library are kept."""
    return {
        **environment,
        **pinned_variables(),
        TUNABLES: without_capabilities(environment.get(TUNABLES, ''), _WITHOUT),
    }


def without_capabilities(tunables: str, capabilities: tuple[str, ...]) -> str:
    """Return tunables of the C library that also disable further capabilities.

    Args:
        tunables: Tunables, separated by colons.
        capabilities: Capabilities, each as ``-NAME``.
    """
    given = dict(part.partition('=')[::2] for part in tunables.split(':') if part)
    off = [part for part in given.get(_CAPABILITIES, '').split(',') if part]
    given[_CAPABILITIES] = ','.join([*off, *(c for c in capabilities if c not in off)])
    return ':'.join(f'{name}={value}' for name, value in given.items())


def is_pinned(environment: Mapping[str, str]) -> bool:
    """Return whether a process with this environment computes the same on every x86-64 machine."""
    return with_pins(environment) == dict(environment)


def unpinnable_reason(machine: str | None = None, library: tuple[str, str] | None = None) -> str:
    """Return what cannot be pinned on this machine, as text; '': nothing.

    Args:
        machine: Architecture; None: that of this machine.
        library: Name and version of the C library; None: those of this machine.
    """
    machine = platform.machine() if machine is None else machine
    name, version = platform.libc_ver() if library is None else library
    if machine not in ('x86_64', 'AMD64'):
        return f'the compiled code of a processor of type {machine}, which fuses multiplications and additions'
    if name != 'glibc':
        return f'the elementary functions of the C library {name or platform.system()}'
    if tuple(int(part) for part in version.split('.')[:2]) < _OLDEST_C_LIBRARY:
        oldest = '.'.join(map(str, _OLDEST_C_LIBRARY))
        return f'the elementary functions of glibc {version}; fix: install {oldest} or later'
    return ''


def math_fingerprint() -> str:
    """Return a fingerprint of the elementary functions, which differs between C libraries and processors.

    Pinned processes with equal fingerprints reproduce each other's runs.
    """
    digest = hashlib.sha256()
    # Points of a Weyl sequence in 0..1, and the values of each function there.
    part = np.arange(1, 4001) * (0.5 * (math.sqrt(5.0) - 1.0)) % 1.0
    for function, first, last in _FUNCTIONS:
        digest.update(each(function, first + (last - first) * part).astype('<f8').tobytes())
    for two, other in ((math.atan2, 1.3), (math.pow, 1.1)):
        digest.update(each(two, 10.0 * part, other).astype('<f8').tobytes())
    return digest.hexdigest()[:12]


def arithmetic_fingerprint(environment: Mapping[str, str]) -> str:
    """Return a value that must be equal in all processes of a run: the fingerprint, or that they are not pinned.

    Args:
        environment: Environment with which this process was started.
    """
    return math_fingerprint() if is_pinned(environment) else 'as the processor has it'


_FUNCTIONS: tuple[tuple[Callable[[float], float], float, float], ...] = (
    (math.sin, -10.0, 10.0),
    (math.cos, -10.0, 10.0),
    (math.tan, -1.5, 1.5),
    (math.asin, -1.0, 1.0),
    (math.acos, -1.0, 1.0),
    (math.atan, -10.0, 10.0),
    (math.exp, -30.0, 3.0),
    (math.expm1, -3.0, 1.0),
    (math.log, 1e-3, 1e3),
    (math.log1p, -0.9, 9.0),
    (math.log10, 1e-3, 1e3),
    (math.tanh, -3.0, 3.0),
    (math.erfc, -1.0, 3.0),
)
