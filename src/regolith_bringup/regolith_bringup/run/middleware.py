# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Middleware settings for the processes of a run, by default limited to this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from regolith_bringup.bag.message_definitions import share_folders

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
"""Environment variable with the path of the Fast DDS profile file (ROS 2 Jazzy)."""
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
LOCAL, UDP = 'fastdds.xml', 'fastdds_udp.xml'
NETWORK, NETWORK_UDP = 'fastdds_network.xml', 'fastdds_network_udp.xml'
"""Shipped profiles without shared memory: for this machine, and for all network interfaces."""


OPEN_WORDS = (
    'this run listens on all interfaces of this machine: anyone in reach can join it, read all data and drive the '
    'vehicles (DDS without SROS 2)'
)


def profile(name: str = LOCAL) -> Path:
    """Return the path of a shipped profile.

    Args:
        name: File name of the profile.

    Raises:
        FileNotFoundError: If the file is missing.
    """
    here = Path(__file__).resolve().parents[2]
    for folder in (here, *share_folders('regolith_bringup')):
        if (path := folder / 'config' / name).is_file():
            return path
    raise FileNotFoundError(f'no config/{name} in {here} or where regolith_bringup is installed; run make setup')


def is_network_visible(environment: Mapping[str, str], network: bool = False) -> bool:
    """Return whether a run is visible from other machines, by option or environment."""
    return network or environment.get(RANGE) == 'SUBNET'


def middleware_environment(environment: Mapping[str, str], network: bool = False) -> dict[str, str]:
    """Return the middleware variables of a process: a shipped profile, unless the environment names another.

    Args:
        environment: Environment of this process.
        network: Whether the run is visible from other machines.
    """
    named = environment.get(VARIABLE)
    out = is_network_visible(environment, network)
    if environment.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp').startswith('rmw_fastrtps') and (
        named is None or Path(named).name in (LOCAL, UDP, NETWORK, NETWORK_UDP)
    ):
        apart = named is not None and Path(named).name in (UDP, NETWORK_UDP)
        local, wide = (UDP, NETWORK_UDP) if apart else (LOCAL, NETWORK)
        # The shipped local profiles are complete. With LOCALHOST, rmw_fastrtps adds its own transports.
        return {VARIABLE: str(profile(wide if out else local)), RANGE: 'SUBNET' if out else 'SYSTEM_DEFAULT'}
    return {RANGE: 'SUBNET' if out else environment.get(RANGE, 'LOCALHOST')}


def node_environment(folder: Path, network: bool) -> dict[str, str]:
    """Return the environment of the nodes started by this process.

    Args:
        folder: Run folder, which contains the node logs.
        network: Whether the run is visible from other machines.
    """
    return {
        **os.environ,
        **middleware_environment(os.environ, network),
        'ROS_LOG_DIR': str(folder / 'log'),
        'PYTHONUNBUFFERED': '1',
        'PYTHONFAULTHANDLER': '1',
    }
