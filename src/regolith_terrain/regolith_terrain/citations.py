# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publications behind the terrain of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files import Citations

BIBLIOGRAPHY = Path(__file__).parent / 'references.bib'
"""Publications of this package."""
_HASH = ('clarke2003', 'steele2014')
_PROCEDURAL = ('mcgetchin1973', 'perlin2002', 'pike1977', 'rosenburg2011', 'steele2014', 'trask1966', 'turcotte1997')
_LUNAR = (
    'catmull1974',
    'daubar2014',
    'fassett2014',
    'mcgetchin1973',
    'neukum1983',
    'neukum2001',
    'perlin2002',
    'pike1977',
    'rosenburg2011',
    'shepard2001',
    'soderblom1970',
    'steele2014',
    'stopar2017',
    'trask1966',
    'xie2017',
)
_ROCKS = ('basilevsky2013', 'demidov2014', 'ghent2014', 'golombek1997', 'wu2018')
_MODEL = ('snyder1987',)


def citations(scenario: Any) -> Citations:
    """Return the publications behind a scenario's height field, rocks and state hash."""
    terrain = scenario.terrain
    keys = set(_HASH)
    if terrain.source == 'procedural':
        keys.update(_PROCEDURAL if terrain.preset is None else _LUNAR)
    elif terrain.has_elevation_model:
        keys.update(_MODEL, _LUNAR if terrain.detail_between_posts is not None else ())
    keys.update(_ROCKS if terrain.has_rocks else ())
    return Citations(BIBLIOGRAPHY, sorted(keys))
