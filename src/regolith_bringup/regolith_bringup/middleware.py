# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How the middleware is set for the processes of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from regolith_bringup.message_definitions import share_folders

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
"""Names the file Fast DDS reads its profiles from (ROS 2 Jazzy)."""


def profile(name: str = 'fastdds.xml') -> Path:
    """Return the path of a profile that ships: ``fastdds.xml``, or ``fastdds_udp.xml`` without shared memory.

    :raises FileNotFoundError: if it is not there
    """
    here = Path(__file__).resolve().parents[1]
    for folder in (here, *share_folders('regolith_bringup')):
        if (path := folder / 'config' / name).is_file():
            return path
    raise FileNotFoundError(f'no config/{name} in {here} or where regolith_bringup is installed; run make setup')


def middleware_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what to add to a process's environment: our profile, unless it names one already."""
    return {} if VARIABLE in environment else {VARIABLE: str(profile())}
