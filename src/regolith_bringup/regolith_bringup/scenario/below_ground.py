# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of a scenario that begin below the ground, where nothing supports them and no camera shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_files.yaml_source import KeyPath, YamlSource


def check_above_ground(scenario: Scenario, objects: Mapping[str, Any], source: YamlSource) -> None:
    """Refuse bodies that begin wholly below the ground.

    Their highest points count. The ground is that of the height field at their places, so a body in a tunnel of
    obstacles is refused, too.

    Args:
        objects: roots by name, at their initial states

    Raises:
        InputError: naming the object, and how deep it is
    """
    bodies = [
        (name, item)
        for name, root in objects.items()
        for item in root.family()
        if item.tangible and item.shapes and item.body.mass > 0.0
    ]
    if not bodies:
        return
    from regolith_terrain.height_field_builder import build_height_field

    tops = np.array([item.outline.bounds(item.body)[1][2] for _, item in bodies])
    places = np.array([item.body.position for _, item in bodies])
    field = build_height_field(scenario.terrain, scenario.seed)
    ground = np.asarray(field.heights(places[:, 0], places[:, 1]), dtype=float)
    for (name, item), depth in zip(bodies, (ground - tops).tolist()):
        if depth > 0.0:
            what = 'its top is' if item.name == name else f'the top of {item.name} is'
            problem = f'{what} {depth:.3g} m below the ground at the start'
            key, value = place_of(name, scenario)
            raise source.error(key, problem, 'a position above the ground', value)


def place_of(name: str, scenario: Scenario) -> tuple[KeyPath, object]:
    """Return the key that places an object, and its value; of an object without a position the object's own key."""
    entry = scenario.objects[name]
    return (('objects', name, 'position'), entry['position']) if 'position' in entry else (('objects', name), name)
