# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of determinism levels: pinned variables, and what differs without them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from regolith_world.cycle.handshake import ParameterAgreement
from regolith_world.determinism import (
    TUNABLES,
    arithmetic_fingerprint,
    is_pinned,
    math_fingerprint,
    numpy_dispatch_features,
    pinned_variables,
    unpinnable_reason,
    with_pins,
    without_capabilities,
)

FUSED = Path('/proc/cpuinfo').is_file() and ' fma ' in Path('/proc/cpuinfo').read_text()


def said(code: str, **changed: str) -> str:
    """Return the output of a new process."""
    environment = {**os.environ, **changed}
    done = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_pins_are_added_to_present_tunables() -> None:
    assert not is_pinned({}) and is_pinned(with_pins({})) and is_pinned(with_pins(with_pins({'HOME': '/'})))
    kept = with_pins({TUNABLES: 'glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX512F', 'HOME': '/'})
    assert kept[TUNABLES] == 'glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX512F,-FMA,-FMA4' and kept['HOME'] == '/'
    assert is_pinned(kept) and not is_pinned({**kept, 'OPENBLAS_CORETYPE': 'Haswell'})
    assert without_capabilities('', ('-FMA',)) == 'glibc.cpu.hwcaps=-FMA'


def test_fingerprints_of_pinned_and_unpinned_processes_differ() -> None:
    """Processes that are not pinned have no guarantee."""
    assert (
        arithmetic_fingerprint({})
        == arithmetic_fingerprint({'OPENBLAS_CORETYPE': 'Haswell'})
        == 'as the processor has it'
    )
    assert arithmetic_fingerprint(with_pins({})) == math_fingerprint()
    agreed = ParameterAgreement()
    agreed.adopt('terrain', {'arithmetic': arithmetic_fingerprint(with_pins({}))})
    assert agreed.differences('amber', {'arithmetic': arithmetic_fingerprint(with_pins({'HOME': '/'}))}) is None
    said = agreed.differences('amber', {'arithmetic': arithmetic_fingerprint({})})
    assert said == f'arithmetic is as the processor has it at amber but {math_fingerprint()} at terrain'


def test_unpinnable_reason_is_named() -> None:
    assert unpinnable_reason('x86_64', ('glibc', '2.36')) == ''
    assert 'aarch64' in unpinnable_reason('aarch64', ('glibc', '2.36'))
    assert 'glibc 2.31; fix: install 2.33 or later' in unpinnable_reason('x86_64', ('glibc', '2.31'))
    assert 'C library musl' in unpinnable_reason('x86_64', ('musl', '1.2'))


@pytest.mark.seconds
@pytest.mark.skipif(bool(unpinnable_reason()) or not FUSED, reason='nothing to pin on this machine')
def test_pins_remove_differences_of_the_c_library() -> None:
    """Fused or not changes the fingerprint. Disabling AVX2 in addition does not, nor do choices of BLAS or NumPy."""
    code = 'from regolith_world.determinism import math_fingerprint; print(math_fingerprint())'
    if not is_pinned(os.environ) and '-FMA' not in os.environ.get(TUNABLES, ''):
        assert said(code) == math_fingerprint() != said(code, **pinned_variables())
    less = said(
        code, **{**pinned_variables(), TUNABLES: without_capabilities(pinned_variables()[TUNABLES], ('-AVX2',))}
    )
    assert less == said(code, **pinned_variables())


ALGEBRA = """
import hashlib, math, numpy as np
from regolith_world.numerics.portable_math import each, solved, times
rng = np.random.default_rng(1)
a, b, v = rng.normal(size=(40, 3, 3)), rng.normal(size=(6, 600)), rng.uniform(0.1, 3.0, 2000)
ours = [times(a, a), times(b, b.T), solved(b @ b.T * 0.0 + times(b, b.T), b[:, :3]), each(math.sin, v), each(math.log, v)]
loops = (getattr(np, "_core", None) or np.core)._multiarray_umath
print(*(hashlib.sha256(b"".join(x.tobytes() for x in part)).hexdigest()[:12] for part in (ours, [b @ b.T])))
print(*(name for name in loops.__cpu_dispatch__ if loops.__cpu_features__[name]))
"""


@pytest.mark.seconds
@pytest.mark.skipif(bool(unpinnable_reason()), reason='this type of processor cannot emulate others')
def test_algebra_and_functions_are_bit_identical_where_blas_and_numpy_differ() -> None:
    """BLAS's product, and the loops that NumPy reports, show that each assumed another processor."""
    ours, product, *loops = said(ALGEBRA, OPENBLAS_CORETYPE='', NPY_DISABLE_CPU_FEATURES='').split()
    same, other, *_ = said(ALGEBRA, OPENBLAS_CORETYPE='Prescott').split()
    assert same == ours and (other != product or not FUSED)
    same, _, *left = said(ALGEBRA, OPENBLAS_CORETYPE='', NPY_DISABLE_CPU_FEATURES=numpy_dispatch_features()).split()
    assert same == ours and not left and (loops or not FUSED)


CONSTANTS = """
import hashlib, importlib, pkgutil, sys
import numpy as np
found = {}
for name in ("regolith_world", "regolith_terrain", "regolith_vehicles", "regolith_comms"):
    package = importlib.util.find_spec(name) and importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__ if package else (), name + "."):
        if not any(part in module.name for part in (".ros", "_node", "__main__", ".device", ".bench")):
            for key, value in vars(importlib.import_module(module.name)).items():
                numbers = isinstance(value, tuple) and {*map(type, value)} == {float}
                if numbers or isinstance(value, (float, np.ndarray)):
                    found[f"{module.name}.{key}"] = np.asarray(value).tobytes()
print(len(found), hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(unpinnable_reason()), reason='this type of processor cannot emulate others')
def test_module_constants_are_equal_with_and_without_pins() -> None:
    """Kernels contain them as numbers, and are compiled once for both kinds of processes."""
    count, digest = said(CONSTANTS).split()
    assert int(count) > 100
    assert said(CONSTANTS, **pinned_variables()).split() == [count, digest]
