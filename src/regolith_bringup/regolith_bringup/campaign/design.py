# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Designs of experiments: the values used in the runs of a campaign."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from regolith_files import Section
from regolith_world.random import generator

Scale = Literal['linear', 'log']
Variation = dict[str, Any]
"""Values of one run, by varied key."""
Varied = Mapping[str, 'Range | tuple[Any, ...]']
MOST = 100_000
"""Maximum number of runs of a campaign."""


class Range(Section):
    """Range of values between two limits. A grid or list includes the limits."""

    low: int | float = Field(description='Lower limit. Integer limits give integer values.')
    high: int | float = Field(description='Upper limit.')
    samples: int = Field(ge=1, le=MOST, description='Number of values.')
    scale: Scale = Field('linear', description='Spacing of the values: linear = equal differences, log = equal ratios.')

    @model_validator(mode='after')
    def _ordered(self) -> Range:
        if not self.low < self.high:
            raise ValueError(f'high = {self.high!r}: is not above low, {self.low!r}; allowed: a larger number')
        if self.scale == 'log' and not self.low > 0:
            raise ValueError(f'low = {self.low!r}: has no logarithm; allowed: a number above 0')
        return self

    def at(self, fraction: float) -> int | float:
        """Return the value at a fraction of the range, 0 to 1."""
        if fraction in (0.0, 1.0):
            return self.high if fraction else self.low
        if self.scale == 'log':
            value = self.low * (self.high / self.low) ** fraction
        else:
            value = self.low + fraction * (self.high - self.low)
        # Rounding must not leave the range.
        value = min(max(float(value), self.low), self.high)
        return round(value) if isinstance(self.low, int) and isinstance(self.high, int) else value

    def values(self) -> tuple[int | float, ...]:
        """Return all values in order. A single value is the middle of the range."""
        if self.samples == 1:
            return (self.at(0.5),)
        return tuple(self.at(k / (self.samples - 1)) for k in range(self.samples))


def _values(entry: Range | tuple[Any, ...]) -> tuple[Any, ...]:
    return entry.values() if isinstance(entry, Range) else tuple(entry)


def grid(vary: Varied, seed: int) -> list[Variation]:
    """Return all combinations. The values of the last key change fastest."""
    columns = [_values(entry) for entry in vary.values()]
    return [dict(zip(vary, row)) for row in itertools.product(*columns)]


def listed(vary: Varied, seed: int) -> list[Variation]:
    """Return the variations of a list design: the k-th values of all keys form run k.

    Args:
        vary: Varied keys and their values.
        seed: Not used.

    Raises:
        ValueError: If keys have different numbers of values.
    """
    columns = {key: _values(entry) for key, entry in vary.items()}
    counts = {key: len(column) for key, column in columns.items()}
    _same(counts, 'values')
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def latin_hypercube(vary: Varied, seed: int) -> list[Variation]:
    """Return Latin hypercube samples: each run is in a separate stratum of every key, at random within it.

    Ranges are divided into as many strata as there are samples. The values of a list occur equally often (McKay,
    Beckman and Conover 1979).

    Args:
        vary: Varied keys and their values.
        seed: Seed of the samples.

    Raises:
        ValueError: If no key has a range, or ranges have different numbers of samples.
    """
    counts = {key: entry.samples for key, entry in vary.items() if isinstance(entry, Range)}
    if not counts:
        first = next(iter(vary))
        allowed = 'low, high, samples for one key at least'
        raise ValueError(f'vary.{first} = [...]: a list has no samples; allowed: {allowed}')
    _same(counts, 'samples')
    n = next(iter(counts.values()))
    columns = {}
    for key, entry in vary.items():
        # Separate streams per key: an additional key does not change the samples of the others.
        draws = generator(seed, key, 'latin_hypercube', 0)
        columns[key] = [_sampled(entry, at) for at in ((draws.permutation(n) + draws.random(n)) / n).tolist()]
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _sampled(entry: Range | tuple[Any, ...], fraction: float) -> Any:
    if isinstance(entry, Range):
        return entry.at(fraction)
    return entry[min(int(fraction * len(entry)), len(entry) - 1)]


def _same(counts: Mapping[str, int], what: str) -> None:
    first = next(iter(counts))
    for key, count in counts.items():
        if count != counts[first]:
            raise ValueError(f'vary.{key} = {count} {what}: differs from {first}; allowed: {counts[first]}')


DESIGNS: dict[str, Callable[[Varied, int], Sequence[Variation]]] = {
    'grid': grid,
    'list': listed,
    'latin_hypercube': latin_hypercube,
}
