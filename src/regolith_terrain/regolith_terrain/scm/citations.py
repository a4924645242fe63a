# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publications behind SCM."""

from __future__ import annotations

from typing import Any

from regolith_files import Citations
from regolith_terrain.citations import BIBLIOGRAPHY

_SCM = ('andrew1979', 'bekker1969', 'carrier1991', 'hairer2006', 'janosi1961', 'krenn2009', 'serban2023')
_REGOLITH_MODE = ('canudas1995', 'dahl1968', 'wong1967')
_BULLDOZING = ('holz2009',)
_SLIP_SINKAGE = ('jaky1944', 'janssen1895', 'muhlhaus1987', 'reece1965', 'terzaghi1943')


def citations(scenario: Any) -> Citations:
    """Return the publications behind SCM for a scenario that uses it, by mode and kinds of displacement."""
    terrain = scenario.terrain
    if 'scm' not in terrain.grounds:
        return Citations(BIBLIOGRAPHY, ())
    mode = _REGOLITH_MODE if terrain.scm_mode == 'regolith' else ()
    slip = _SLIP_SINKAGE if terrain.digs_in else ()
    return Citations(BIBLIOGRAPHY, (*_SCM, *mode, *slip, *(_BULLDOZING if terrain.bulldozing.enabled else ())))
