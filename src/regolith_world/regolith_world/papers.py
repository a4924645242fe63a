# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers behind the motion of the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files.doors import Citations

_LINKED = ('linkage', 'rope')


def papers(scenario: Any) -> Citations:
    """Return the papers behind the models of every run, and behind linkages where there are some."""
    keys = [
        'shepperd1978', 'shoemake1985', 'hairer2006', 'goldstein2002', 'catto2005', 'baumgarte1972', 'mirtich1996',
        'salmon2011', 'steele2014', 'box1958', 'gilbert1988', 'todorov2012', 'cohen1995',
    ]
    if any(entry['type'] in _LINKED for entry in scenario.objects.values()):
        keys += ['andersen1983', 'george1981', 'khatib1987']
    return Citations(Path(__file__).parent / 'references.bib', keys)
