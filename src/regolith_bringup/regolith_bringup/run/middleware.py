# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Middleware settings for the processes of a run: by default bound to this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from regolith_bringup.bag.message_definitions import share_folders

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
"""Environment variable with the file of Fast DDS profiles (ROS 2 Jazzy)."""
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
LOCAL, UDP = 'fastdds.xml', 'fastdds_udp.xml'
NETWORK, NETWORK_UDP = 'fastdds_network.xml', 'fastdds_network_udp.xml'
"""Shipped profiles: this machine, without shared memory; all interfaces, without shared memory."""


OPEN_WORDS = (
    'this run listens on all interfaces of this machine: who can reach it can join it, read everything and drive the '
    'vehicles (DDS without SROS 2)'
)


def profile(name: str = LOCAL) -> Path:
    """Return the path of a shipped profile.

    Raises:
        FileNotFoundError: if it is missing
    """
    here = Path(__file__).resolve().parents[2]
    for folder in (here, *share_folders('regolith_bringup')):
        if (path := folder / 'config' / name).is_file():
            return path
    raise FileNotFoundError(f'no config/{name} in {here} or where regolith_bringup is installed; run make setup')


def is_network_visible(environment: Mapping[str, str], network: bool = False) -> bool:
    """Return whether a run is visible beyond this machine, by option or by environment."""
    return network or environment.get(RANGE) == 'SUBNET'


def middleware_environment(environment: Mapping[str, str], network: bool = False) -> dict[str, str]:
    """Return variables for a process's environment: one of our profiles, unless the environment names another.

    Args:
        network: whether the run is visible beyond this machine
    """
    named = environment.get(VARIABLE)
    out = is_network_visible(environment, network)
    if environment.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp').startswith('rmw_fastrtps') and (
        named is None or Path(named).name in (LOCAL, UDP, NETWORK, NETWORK_UDP)
    ):
        apart = named is not None and Path(named).name in (UDP, NETWORK_UDP)
        local, wide = (UDP, NETWORK_UDP) if apart else (LOCAL, NETWORK)
        # Our local profiles say it all; with LOCALHOST rmw_fastrtps adds transports of its own to them.
        return {VARIABLE: str(profile(wide if out else local)), RANGE: 'SUBNET' if out else 'SYSTEM_DEFAULT'}
    return {RANGE: 'SUBNET' if out else environment.get(RANGE, 'LOCALHOST')}


def node_environment(folder: Path, network: bool) -> dict[str, str]:
    """Return the environment of nodes that this process starts.

    Args:
        folder: of the run, for their logs
        network: whether the run is visible beyond this machine
    """
    return {
        **os.environ,
        **middleware_environment(os.environ, network),
        'ROS_LOG_DIR': str(folder / 'log'),
        'PYTHONUNBUFFERED': '1',
        'PYTHONFAULTHANDLER': '1',
    }
