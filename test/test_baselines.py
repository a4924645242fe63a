# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and texts of short runs against stored ones, to notice a change of any number.

A baseline shows that a number changed, not that it is right: the other tests compare with formulas and laws. After an
intended change, ``tools/make_baselines.py`` stores new values and prints old and new ones. The difference in git belongs to
the commit of the change, the reason into its message.
"""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from baseline_runs import BASELINES, simulated
from baseline_values import FOLDER, RELATIVE, Series, closeness, differences, read

SHOWN = 25


def check(name: str) -> None:
    """Fail with the values that are not as stored."""
    stored, now = read(FOLDER / f'{name}.json'), BASELINES[name]()
    found = differences(stored, now)
    if found:
        lines = [f'test/baselines/{name}.json: {len(found)} of {len(stored)} values are not as stored']
        lines += [f'  {each}' for each in found[:SHOWN]]
        lines += [f'  and {len(found) - SHOWN} more'] if len(found) > SHOWN else []
        lines += [f'fix: if meant, ./regolith exec python3 tools/make_baselines.py {name}']
        pytest.fail('\n'.join(lines), pytrace=False)


QUICK = ('interface', 'functions', 'soil')
"""Baselines that take few seconds."""
NODES = ('sense', 'texts', 'view')
"""Baselines of a run with nodes."""


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] * (name not in QUICK) + [pytest.mark.ros] * (name in NODES)


@pytest.mark.parametrize('name', [pytest.param(name, marks=_marks(name)) for name in BASELINES])
def test_numbers_are_as_stored(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize('name', ['drive', 'objects', 'dig', 'soil'])
def test_small_changes_of_gravity_stay_small(name: str) -> None:
    """A change of gravity by 1e-12 of it changes no value by a tenth of the tolerance; a second thread changes none."""
    stored = read(FOLDER / f'{name}.json')
    scenario = yaml.safe_load((FOLDER / f'{name}.yaml').read_text(encoding='utf-8'))
    gravity_mps2 = scenario['world']['gravity_mps2']
    assert not closeness(stored, simulated(name, threads=2))
    moved = closeness(stored, simulated(name, f'world.gravity_mps2={gravity_mps2 * (1.0 + 1e-12)!r}'))
    assert max(moved.values(), default=0.0) < 0.1 * RELATIVE


def test_what_is_kept_of_arrays_shows_order_and_single_values() -> None:
    """A transposed array, two messages swapped, one value of many and one message of many: each is a difference."""
    table = np.linspace(0.3, 1.7, 24).reshape(4, 6)

    def rows(*messages: np.ndarray) -> dict[str, list[object]]:
        series = Series()
        for message in messages:
            series.add('table', message)
        return series.rows()

    one = table.copy()
    one[2, 3] *= 1.01
    good = rows(*[table * k for k in range(1, 10)])
    assert not differences(good, rows(*[table * k for k in range(1, 10)]))
    assert differences(rows(table), rows(table.T.reshape(4, 6)))
    assert differences(rows(table), rows(one))
    assert differences(good, rows(*[table * k for k in (1, 2, 4, 3, 5, 6, 7, 8, 9)]))
    assert differences(good, rows(*[(one if k == 4 else table) * k for k in range(1, 10)]))
