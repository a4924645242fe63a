# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of stereo pairs: two cameras of equal models beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regolith_files import KeyPath, YamlSource, allowed_names
from regolith_sensors.config.sensor_types import SensorEntry, all_sensor_types
from regolith_world.numerics import rotation


def check_stereo_pair(entries: Mapping[str, SensorEntry], name: str, source: YamlSource, at: KeyPath) -> None:
    """Refuse an impossible stereo pair.

    Args:
        entries: resolved sensors of a vehicle
        name: of the right camera
        source: file of the scenario
        at: key of the right camera in that file

    Raises:
        InputError: naming what is wrong with it
    """
    right, left = entries[name], str(entries[name].stereo_with)
    kinds = all_sensor_types()
    others = [n for n, e in entries.items() if n != name and isinstance(e.model, dict) and kinds[e.model['type']].pairs]
    if left not in others:
        raise source.error((*at, 'stereo_with'), 'no such camera on this vehicle', allowed_names(others, left), left)
    baseline(right, entries[left], source, at)


def baseline(right: SensorEntry, left: SensorEntry, source: YamlSource, at: KeyPath) -> float:
    """Return the baseline of a stereo pair [m].

    Args:
        right: entry of the right camera
        left: entry of the left camera
        source: file of the scenario
        at: key of the right camera in that file

    Raises:
        InputError: if they are not parallel, side by side and of one model
    """
    if right.mount.rpy_deg != left.mount.rpy_deg:
        allowed = f'{list(left.mount.rpy_deg)}'
        key: KeyPath = (*at, 'mount', 'rpy_deg')
        raise source.error(key, 'the cameras of a pair are parallel', allowed, list(right.mount.rpy_deg))
    apart = rotation.matrix(left.mount.orientation).T @ (right.mount.position - left.mount.position)
    if not (apart[1] < 0.0 and abs(apart[0]) < 1e-6 and abs(apart[2]) < 1e-6):
        problem = f'it is {np.round(apart, 6).tolist()} m (ahead, left, up) from the left camera'
        allowed = 'straight to the right of it: (0, negative, 0)'
        raise source.error((*at, 'mount', 'xyz'), problem, allowed, list(right.mount.xyz))
    if right.model != left.model:
        raise source.error((*at, 'model'), 'the cameras of a pair are alike', 'the model of the left camera')
    return -float(apart[1])
