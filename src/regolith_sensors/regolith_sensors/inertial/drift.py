# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slow sensor errors: Gauss-Markov processes and random walks as pure functions of the sample index."""

from __future__ import annotations

import math

import numpy as np

from regolith_sensors.arrays import Floats
from regolith_sensors.noise import normals, unit
from regolith_world.numerics import kernel
from regolith_world.random import philox_block, stream_key


class Drift:
    """A Gauss-Markov process (stationary from the first sample on) plus a random walk, per axis.

    Both are stepped exactly: ``b' = b exp(-dt / tau) + sigma sqrt(1 - exp(-2 dt / tau)) z``, ``s' = s + K sqrt(dt) z``.
    Value n follows from the recursion up to n, with draws that depend on n only. So a restored or late sensor has the
    same errors. The last value is kept. Going backward starts over (10 ns per sample).

    Source: gillespie1996; ieee952.
    Checked by: test_convergence_order.py::test_drift_is_the_same_process_at_any_rate,
    test_convergence_order.py::test_a_random_walk_grows_with_the_root_of_time_at_any_rate,
    test_inertial.py::test_random_walk.
    """

    def __init__(self, key: np.uint64, axes: int, period: float, sigma: float, tau: float, walk: float = 0.0) -> None:
        """Start at sample 0.

        Args:
            key: Key of its stream of random numbers.
            axes: Number of independent components.
            period: Period of the samples [s].
            sigma: Standard deviation of the Gauss-Markov process.
            tau: Correlation time of the Gauss-Markov process [s].
            walk: Random walk per square root of a second.
        """
        self._key = key
        self._decay = math.exp(-period / tau)
        self._kick = sigma * math.sqrt(max(1.0 - self._decay**2, 0.0))
        self._sigma = sigma
        self._walk = walk * math.sqrt(period)
        self._axes = axes
        self._start()

    def _start(self) -> None:
        self._at = 0
        self._markov = self._sigma * normals(self._key, 2**63, self._axes).astype(np.float64)
        self._sum = np.zeros(self._axes)

    def at(self, n: int) -> Floats:
        """Return the error of sample n, shape (axes,)."""
        value: Floats = self.run(n, 1)[0]
        return value

    def run(self, first: int, count: int) -> Floats:
        """Return the errors of samples first ... first + count - 1, shape (count, axes)."""
        if first < self._at:
            self._start()
        out = np.empty((count, self._axes))
        _run(self._key, self._at, first, self._decay, self._kick, self._walk, self._markov, self._sum, out)
        self._at = first + count - 1
        return out


@kernel
def _run(
    key: np.uint64,
    at: int,
    first: int,
    decay: float,
    kick: float,
    walk: float,
    markov: Floats,
    total: Floats,
    out: Floats,
) -> None:
    """Advance from sample ``at`` and write the samples from ``first`` on."""
    for n in range(at, first + out.shape[0]):
        if n > at:
            for axis in range(markov.shape[0]):
                a, b, c, d = philox_block(key, n, axis)
                markov[axis] = decay * markov[axis] + kick * _normal(a, b)
                total[axis] += walk * _normal(c, d)
        if n >= first:
            for axis in range(markov.shape[0]):
                out[n - first, axis] = markov[axis] + total[axis]


@kernel
def _normal(a: np.uint64, b: np.uint64) -> float:
    radius = math.sqrt(-2.0 * math.log((np.float64(a) + 0.5) * 2.0**-32))
    return radius * math.cos(2.0 * math.pi * np.float64(unit(b)))


def white(seed: int, name: str, quantity: str, first: int, count: int, axes: int) -> Floats:
    """Return standard normal numbers of samples first ... first + count - 1, shape (count, axes)."""
    key = stream_key(seed, name, quantity)
    out = np.empty((count, axes))
    _white(key, first, out)
    return out


@kernel
def _white(key: np.uint64, first: int, out: Floats) -> None:
    for n in range(out.shape[0]):
        for axis in range(out.shape[1]):
            a, b, _, _ = philox_block(key, first + n, axis)
            out[n, axis] = _normal(a, b)
