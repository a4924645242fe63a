# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How the middleware is set for the processes of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from regolith_bringup.message_definitions import share_folders

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
"""Names the file Fast DDS reads its profiles from (ROS 2 Jazzy)."""


def middleware_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what to add to a process's environment: our profile, unless it names one already."""
    if VARIABLE in environment:
        return {}
    here = Path(__file__).resolve().parents[1]
    candidates = [folder / 'config' / 'fastdds.xml' for folder in (here, *share_folders('regolith_bringup'))]
    found = next((path for path in candidates if path.is_file()), None)
    return {} if found is None else {VARIABLE: str(found)}
