# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers behind how the world moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_files.doors import Citations


def papers(scenario: Any) -> Citations:
    """Return the papers behind what every run does."""
    keys = ('shepperd1978', 'shoemake1985', 'hairer2006', 'goldstein2002')
    return Citations(Path(__file__).parent / 'references.bib', keys)
