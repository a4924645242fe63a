# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the citations of vehicles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from regolith_vehicles.citations import citations, excavation_citations
from regolith_vehicles.config import VehicleEntry


def cited(*drivers: dict[str, Any]) -> set[str]:
    entries = [VehicleEntry.model_validate({'position': [0.0, 0.0], 'driver': driver}) for driver in drivers]
    found = citations(SimpleNamespace(vehicles=dict(zip('abc', entries))))
    assert set(found.keys) <= set(found.entries()), 'every key has its entry'
    return set(found.keys)


def test_citations_depend_on_vehicles_and_drivers() -> None:
    straight = {'type': 'constant', 'speed_mps': 0.2}
    path = {'type': 'path', 'waypoints': [[0.0, 0.0], [1.0, 0.0]], 'speed_mps': 0.2}
    assert cited() == set()
    assert {'siegwart2011', 'thrun2005', 'wong2008'} <= cited(straight) and 'coulter1992' not in cited(straight)
    assert cited(straight, path) - cited(straight) == {'coulter1992'}


def test_excavation_is_cited_for_vehicles_with_tools() -> None:
    """The earthmoving equation and the height of a face are cited for a digger only."""
    keys = {}
    for model in ('viper', 'rassor'):
        entry = VehicleEntry.model_validate({'position': [0.0, 0.0], 'model': model})
        found = excavation_citations(SimpleNamespace(vehicles={'a': entry}))
        assert set(found.keys) <= set(found.entries())
        keys[model] = set(found.keys)
    assert keys == {'viper': set(), 'rassor': {'mckyes1985', 'reece1964', 'terzaghi1943'}}
