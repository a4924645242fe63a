# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The decorator of kernels."""

from __future__ import annotations

import resource

from regolith_world.numerics import kernel, kernel_options


def test_compiler_does_not_map_memory_at_every_call() -> None:
    """At some depth of calls, CPython 3.11 maps and unmaps memory for each call: 600 page faults without the frame."""

    def leaf() -> None:
        pass

    def calls_at_depths(depth: int) -> None:
        for _ in range(200):
            leaf()
        if depth:
            calls_at_depths(depth - 1)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    kernel_options._call(calls_at_depths, 500)
    # All frames of the recursion take 100 kB, 25 pages.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 100


def test_kernel_is_compiled_above_the_large_frame() -> None:
    @kernel
    def double(x: float) -> float:
        return 2.0 * x

    assert double._compile_for_args.func is kernel_options._call
    assert double(1.5) == 3.0
    assert len(double.signatures) == 1
