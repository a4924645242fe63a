# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers behind the vehicles of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files.doors import Citations
from regolith_vehicles.config import PathDriverConfig

_BODIES = ('featherstone2008', 'goldstein2002', 'hairer2006', 'todorov2012')
_WHEELS = ('janosi1961', 'martinelli2003', 'siegwart2011', 'thrun2005', 'wong2008')
_PATH = ('coulter1992',)


def papers(scenario: Any) -> Citations:
    """Return the papers behind motion, steering, dead reckoning and drivers of a scenario's vehicles."""
    keys = set((*_BODIES, *_WHEELS) if scenario.vehicles else ())
    follows = any(isinstance(entry.driver, PathDriverConfig) for entry in scenario.vehicles.values())
    keys.update(_PATH if follows else ())
    return Citations(Path(__file__).parent / 'references.bib', sorted(keys))
