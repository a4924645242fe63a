# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation that no object of a scenario starts below the terrain surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource


def check_above_ground(scenario: Scenario, objects: Mapping[str, Any], source: YamlSource) -> None:
    """Refuse objects that start completely below the terrain surface.

    The highest point of a body is compared with the height field at the position of the body. A body in a tunnel of
    obstacles is therefore refused as well.

    Args:
        scenario: Checked scenario.
        objects: Root objects by name, in their initial states.
        source: Scenario file, for error messages.

    Raises:
        InputError: If an object is below the surface. The message states the object and the depth.
    """
    bodies = [
        (name, item)
        for name, root in objects.items()
        for item in root.family()
        if item.tangible and item.shapes and item.body.mass > 0.0
    ]
    if not bodies:
        return
    from regolith_terrain import build_height_field

    tops = np.array([item.outline.bounds(item.body)[1][2] for _, item in bodies])
    places = np.array([item.body.position for _, item in bodies])
    field = build_height_field(scenario.terrain, scenario.seed)
    surface = np.asarray(field.heights(places[:, 0], places[:, 1]), dtype=float)
    for (name, item), depth in zip(bodies, (surface - tops).tolist()):
        if depth > 0.0:
            what = 'its top is' if item.name == name else f'the top of {item.name} is'
            problem = f'{what} {depth:.3g} m below the terrain surface at the start'
            key, value = place_of(name, scenario)
            raise source.error(key, problem, 'a position above the surface', value)


def place_of(name: str, scenario: Scenario) -> tuple[KeyPath, object]:
    """Return the position key of an object and its value, or the key of the object if it has no position."""
    entry = scenario.objects[name]
    return (('objects', name, 'position'), entry['position']) if 'position' in entry else (('objects', name), name)
