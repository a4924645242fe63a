# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publications behind rigid terrain."""

from __future__ import annotations

from typing import Any

from regolith_files import Citations
from regolith_terrain.citations import BIBLIOGRAPHY

_RIGID = ('canudas1995', 'dahl1968')


def citations(scenario: Any) -> Citations:
    """Return the publications behind rigid terrain for a scenario that uses it; empty for others."""
    return Citations(BIBLIOGRAPHY, _RIGID if 'rigid' in scenario.terrain.grounds else ())
