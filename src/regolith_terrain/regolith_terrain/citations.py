# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publications behind the terrain of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files import Citations

_SCM = ('andrew1979', 'bekker1969', 'carrier1991', 'hairer2006', 'janosi1961', 'krenn2009', 'serban2023')
_REGOLITH_MODE = ('canudas1995', 'dahl1968', 'wong1967')
_BULLDOZING = ('holz2009',)
_SLIP_SINKAGE = ('jaky1944', 'janssen1895', 'muhlhaus1987', 'reece1965', 'terzaghi1943')
_RIGID = ('canudas1995', 'dahl1968')
_CRM = (
    'adami2012',
    'bonet1999',
    'borja1990',
    'bui2008',
    'drucker1952',
    'dunatunga2015',
    'gray2001',
    'hu2021',
    'jaumann1911',
    'jop2006',
    'monaghan1989',
    'monaghan1992',
    'roscoe1968',
    'wendland1995',
)
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
    """Return the publications behind a scenario's terrain models, height field and rocks."""
    terrain = scenario.terrain
    keys = set(_HASH)
    if 'scm' in terrain.grounds:
        keys.update(_SCM, _REGOLITH_MODE if terrain.scm_mode == 'regolith' else ())
        keys.update(_SLIP_SINKAGE if terrain.digs_in else ())
        keys.update(_BULLDOZING if terrain.bulldozing.enabled else ())
    keys.update(_RIGID if 'rigid' in terrain.grounds else ())
    keys.update(_CRM if 'crm' in terrain.grounds else ())
    if terrain.source == 'procedural':
        keys.update(_PROCEDURAL if terrain.preset is None else _LUNAR)
    elif terrain.source != 'flat':
        keys.update(_MODEL, _LUNAR if terrain.detail_between_posts is not None else ())
    keys.update(_ROCKS if terrain.has_rocks else ())
    return Citations(Path(__file__).parent / 'references.bib', sorted(keys))
