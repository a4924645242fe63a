# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publications behind CRM."""

from __future__ import annotations

from typing import Any

from regolith_files import Citations
from regolith_terrain.citations import BIBLIOGRAPHY

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


def citations(scenario: Any) -> Citations:
    """Return the publications behind CRM for a scenario that uses it; empty for others."""
    return Citations(BIBLIOGRAPHY, _CRM if 'crm' in scenario.terrain.grounds else ())
