# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the citations of radio models."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from regolith_comms.config import CommsConfig
from regolith_comms.links.terrain_graph import MARK
from regolith_comms.report import citations

ALWAYS = {'subt2022', 'trefethen2014'}
OVER_TILES = ALWAYS | {'subtwiki', 'dijkstra1959'}


def cited(**section: object) -> set[str]:
    found = citations(SimpleNamespace(comms=CommsConfig.model_validate(section)))
    assert set(found.keys) <= set(found.entries())
    return set(found.keys)


def test_run_without_radios_cites_nothing() -> None:
    assert not citations(SimpleNamespace()).keys and not citations(SimpleNamespace(comms=None)).keys


def test_graph_of_ground_cites_diffraction(tmp_path: Path) -> None:
    """It is cited if the graph is made for the run or before it, not for other graphs and models without a graph."""
    assert cited() == OVER_TILES | {'itu526'}
    for first, more in ((f'/* {MARK} abc */', {'itu526'}), ('/* by hand */', set())):
        (tmp_path / 'site.dot').write_text(f'{first}\ngraph {{\n}}\n')
        assert cited(graph=str(tmp_path / 'site.dot'), grid='site.dat') == OVER_TILES | more
    (tmp_path / 'plain.yaml').write_text('model: log_normal_range\n')
    assert cited(radio=str(tmp_path / 'plain.yaml')) == ALWAYS
