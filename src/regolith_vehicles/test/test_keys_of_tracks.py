# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The keys of the running gear ``tracks`` in docs/vehicles.md are those its model has, with what that says of them."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from regolith_files.section import Section
from regolith_vehicles.tracks.config import TracksConfig

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'vehicles.md'


def section(kind: Any) -> type[Section] | None:
    """Return the section that a type is, or is a list of, or may be."""
    if isinstance(kind, type) and issubclass(kind, Section):
        return kind
    if get_origin(kind) in (tuple, Annotated, Union, types.UnionType):
        return next((found for found in map(section, get_args(kind)) if found is not None), None)
    return None


def keys(model: type[Section], before: str = '') -> Iterator[str]:
    """Yield a line of the table for each key of a model, nested ones after a dot."""
    for name, field in model.model_fields.items():
        inner = section(field.annotation)
        if inner is not None:
            many = '[]' if get_origin(field.annotation) is tuple else ''
            yield from keys(inner, f'{before}{name}{many}.')
            continue
        default = '' if field.is_required() else f'`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`'
        said = (field.description or '').replace('|', '/')
        yield f'| `{before}{name}` | {default} | {said} |'


def test_the_page_has_every_key_with_its_meaning() -> None:
    text = PAGE.read_text(encoding='utf-8')
    written = text.split('<!-- tracks -->\n')[1].split('<!-- end -->')[0].splitlines()[2:]
    assert written == list(keys(TracksConfig))
