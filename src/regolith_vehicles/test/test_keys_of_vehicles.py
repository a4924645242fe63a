# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the key tables in docs/concepts/vehicles.md against the vehicle config models."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from regolith_files.section import Section
from regolith_vehicles.car.config import CarConfig
from regolith_vehicles.feet import FeetConfig
from regolith_vehicles.powertrain.config import BatteryConfig, PowertrainConfig, WheelMotorConfig
from regolith_vehicles.tracks.config import TracksConfig

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'concepts' / 'vehicles.md'
TABLES = {
    'car': CarConfig,
    'feet': FeetConfig,
    'tracks': TracksConfig,
    'powertrain': PowertrainConfig,
    'battery': BatteryConfig,
    'motor': WheelMotorConfig,
}


def sections(kind: Any) -> list[type[Section]]:
    """Return the sections of a type, a list or a union."""
    if isinstance(kind, type) and issubclass(kind, Section):
        return [kind]
    if get_origin(kind) in (tuple, Annotated, Union, types.UnionType):
        return [found for part in get_args(kind) for found in sections(part)]
    return []


def keys(model: type[Section], before: str = '', of: str = '') -> Iterator[str]:
    """Yield a line of the table for each key of a model, nested keys after a dot."""
    for name, field in model.model_fields.items():
        inner = sections(field.annotation)
        many = '[]' if get_origin(field.annotation) is tuple else ''
        for kind in inner:
            types_ = get_args(kind.model_fields['type'].annotation) if len(inner) > 1 else ()
            yield from keys(kind, f'{before}{name}{many}.', f'`{types_[0]}`: ' if types_ else of)
        if inner or (of and get_origin(field.annotation) is Literal and name == 'type'):
            continue
        default = (
            ''
            if field.is_required()
            else f'`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`'
        )
        said = (field.description or '').replace('|', '/')
        yield f'| `{before}{name}` | {default} | {of}{said} |'


@pytest.mark.parametrize('name', TABLES)
def test_page_lists_every_key_with_its_description(name: str) -> None:
    text = PAGE.read_text(encoding='utf-8')
    written = text.split(f'<!-- {name} -->\n')[1].split('<!-- end -->')[0].splitlines()[2:]
    assert written == list(keys(TABLES[name]))
