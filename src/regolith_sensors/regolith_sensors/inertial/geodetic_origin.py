# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Geodetic place of a scenario's origin, for receivers whose models do not state it, and for the sun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from regolith_files import KeyPath, YamlSource
from regolith_sensors.config.lighting import HorizonConfig, LightConfig, LunarSunConfig, note_idle_keys
from regolith_sensors.config.materials import warn_of_bright_bases

_PLACE = ('latitude_deg', 'longitude_deg', 'altitude_m')
_FIX = 'set terrain.site: {latitude_deg, longitude_deg, altitude_m}, or use a georeferenced elevation model'


@dataclass(frozen=True)
class OriginPlace:
    """Geodetic place of the world's origin."""

    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    """Height above the sphere or ellipsoid of the body [m]."""
    body: str
    """'moon', 'earth' or 'other'."""
    north_deg: float = 0.0
    """Bearing of +y, clockwise from true north [deg]."""


def receiver_with_place(
    model: dict[str, Any], place: OriginPlace | None, source: YamlSource, at: KeyPath
) -> dict[str, Any]:
    """Return a receiver's values with the place of the origin.

    Values of the model take precedence. If the model states all of them, no other place is needed.

    Args:
        model: Values in the form of :class:`regolith_sensors.config.gnss.GnssConfig`.
        place: Place from the scenario or its elevation model; None: unknown.
        source: File of the scenario.
        at: Key of the sensor in that file.

    Raises:
        InputError: If the place is unknown, or on another body.
    """
    missing = [key for key in _PLACE if model.get(key) is None]
    if not missing:
        return {**model, 'north_deg': model.get('north_deg') or 0.0}
    if place is not None and place.body == 'other':
        problem = 'is a receiver, and positions exist on the Moon and the Earth only; the elevation model is of neither'
        allowed = 'an elevation model of the Moon or the Earth; fix: remove the sensor'
        raise source.error((*at, 'model'), problem, allowed)
    if place is None:
        problem = f'a receiver needs the place of the origin: {", ".join(missing)} unknown'
        raise source.error((*at, 'model'), problem, f'a known place; fix: {_FIX}')
    if place.body != model['body']:
        problem = f'is a receiver for body: {model["body"]}, but the origin is on body: {place.body}'
        raise source.error((*at, 'model', 'body'), problem, f'{place.body}; fix: set body in the model')
    longitude = (place.longitude_deg + 180.0) % 360.0 - 180.0
    known = {'latitude_deg': place.latitude_deg, 'longitude_deg': longitude, 'altitude_m': place.altitude_m}
    north = model.get('north_deg')
    return {**model, **{key: known[key] for key in missing}, 'north_deg': place.north_deg if north is None else north}


def light_with_place(light: LightConfig, place: OriginPlace | None, source: YamlSource) -> LightConfig:
    """Return the ``light`` section with the place of a moving sun and of a horizon, and the bearing of +y there.

    Values of the section take precedence.

    Args:
        light: Section ``light``.
        place: Place from the scenario or its elevation model; None: unknown.
        source: File of the scenario.

    Raises:
        InputError: If the place is unknown, or not on the Moon.
    """
    changed: dict[str, Any] = {}
    warn_of_bright_bases(light, source)
    note_idle_keys(light, source)
    if isinstance(light.sun, LunarSunConfig):
        found = _placed(light.sun, _PLACE[:2], place, source, ('light', 'sun'), 'the sun of a time')
        changed['sun'] = light.sun.model_copy(update=found)
    if light.horizon is not None:
        found = _placed(light.horizon, _PLACE, place, source, ('light', 'horizon'), 'a horizon')
        changed['horizon'] = light.horizon.model_copy(update=found)
    return light.model_copy(update=changed) if changed else light


def _placed(
    section: LunarSunConfig | HorizonConfig,
    keys: Sequence[str],
    place: OriginPlace | None,
    source: YamlSource,
    at: KeyPath,
    what: str,
) -> dict[str, Any]:
    """Return the missing values of a section that needs a place on the Moon."""
    missing = [key for key in keys if getattr(section, key) is None]
    if missing and place is None:
        problem = f'{what} needs a place: {", ".join(missing)} unknown'
        raise source.error(at, problem, f'a known place; fix: set them, or {_FIX}')
    if missing and place is not None and place.body != 'moon':
        body = 'the Earth' if place.body == 'earth' else 'another body'
        time, allowed = ('a time over', 'azimuth_deg and elevation_deg') if at[-1] == 'sun' else ('on', 'no horizon')
        problem = f'is {time} the Moon, but the origin is on {body}'
        raise source.error(at, problem, allowed)
    found: dict[str, Any] = {key: getattr(place, key) for key in missing}
    if section.north_deg is None:
        found['north_deg'] = 0.0 if place is None else place.north_deg
    return found
