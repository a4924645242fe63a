# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Citations for the motion of the world."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from regolith_files import Citations

_OF_TYPES = {
    ('linkage', 'rope'): ['andersen1983', 'george1981', 'khatib1987'],
    ('cable', 'joint'): ['catto2011', 'featherstone2008', 'khatib1987', 'murty1974'],
}


def citations(scenario: Any) -> Citations:
    """Return the papers on the models of every run, and on linkages and constraints if the scenario has them."""
    keys = [
        'shepperd1978',
        'shoemake1985',
        'hairer2006',
        'goldstein2002',
        'catto2005',
        'baumgarte1972',
        'mirtich1996',
        'salmon2011',
        'steele2014',
        'box1958',
        'gilbert1988',
        'todorov2012',
        'cohen1995',
    ]
    used = {entry['type'] for entry in scenario.objects.values()}
    more = (own for types, own in _OF_TYPES.items() if used & set(types))
    return Citations(Path(__file__).parents[1] / 'references.bib', list(dict.fromkeys(itertools.chain(keys, *more))))
