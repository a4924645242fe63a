# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the citations of the terrain package."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from regolith_terrain import citations as terrain_citations
from regolith_terrain.config import TerrainConfig
from regolith_terrain.crm import citations as crm_citations
from regolith_terrain.rigid import citations as rigid_citations
from regolith_terrain.scm import citations as scm_citations

CITATIONS = [module.citations for module in (terrain_citations, crm_citations, rigid_citations, scm_citations)]


def cited(**terrain: Any) -> set[str]:
    scenario = SimpleNamespace(terrain=TerrainConfig.model_validate(terrain))
    keys: set[str] = set()
    for citations in CITATIONS:
        found = citations(scenario)
        assert set(found.keys) <= set(found.entries()), 'every key has an entry'
        keys |= set(found.keys)
    return keys


def test_citations_depend_on_terrain_model_and_mode() -> None:
    ours, reference = cited(source='flat'), cited(source='flat', scm_mode='reference')
    assert {'bekker1969', 'janosi1961', 'krenn2009'} <= reference < ours and 'wong1967' in ours - reference
    assert 'holz2009' in cited(source='flat', bulldozing={'enabled': True}) - ours
    rigid = cited(source='flat', model='rigid')
    assert 'dahl1968' in rigid and not rigid & {'bekker1969', 'janosi1961', 'wong1967'}
    pad = {'model': 'rigid', 'disc': {'center': [0.0, 0.0], 'radius_m': 2.0}}
    assert cited(source='flat', scm_mode='reference', regions=[pad]) == reference | rigid
    strip = {
        'model': 'crm',
        'rectangle': {'low': [1.0, 0.0], 'high': [2.0, 1.0]},
        'name': 'strip',
        'vehicle': 'amber',
        'spacing_m': 0.1,
        'depth_m': 0.2,
    }
    assert {'dunatunga2015', 'adami2012', 'wendland1995'} <= cited(source='flat', regions=[strip]) - ours


def test_citations_depend_on_the_terrain_source(tmp_path: Path) -> None:
    flat, gentle = cited(source='flat'), cited()
    assert 'perlin2002' in gentle - flat and 'neukum2001' not in gentle
    lunar = cited(preset='mare')
    assert {'neukum2001', 'shepard2001', 'golombek1997'} <= lunar
    assert lunar - cited(preset='mare', rocks=False) == {
        'basilevsky2013',
        'demidov2014',
        'ghent2014',
        'golombek1997',
        'wu2018',
    }
    model = str(tmp_path / 'site.tif')
    assert {'snyder1987', 'neukum2001'} <= cited(source=model)
    assert cited(source=model, detail='none') - flat == {'snyder1987'}
