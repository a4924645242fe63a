# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of ROS 2 environment variables before a middleware reads them and ends the process with a traceback."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from regolith_files import InputError, Problem, allowed_names, as_yaml_text

LAST_ROS_DOMAIN = 232
"""Largest ROS domain. The ports of larger ones are beyond 65535 (DDSI-RTPS 2.2, section 9.6.1.1)."""
_RANGES = ('SUBNET', 'LOCALHOST', 'OFF', 'SYSTEM_DEFAULT', 'NOT_SET')
_PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE'


def is_ros_domain(text: str) -> bool:
    """Return whether a text is a valid ROS domain."""
    return re.fullmatch('[0-9]{1,3}', text) is not None and int(text) <= LAST_ROS_DOMAIN


def check_ros_environment(environment: Mapping[str, str]) -> None:
    """Refuse variables with which no node can start.

    Args:
        environment: Environment of the process that will start or contain nodes.

    Raises:
        InputError: With the first such variable.
    """
    check_middleware(environment)
    domain = environment.get('ROS_DOMAIN_ID', '')
    if domain and not is_ros_domain(domain):
        raise _refused('ROS_DOMAIN_ID', domain, 'is not a ROS domain', f'0 to {LAST_ROS_DOMAIN}')


def check_middleware(environment: Mapping[str, str]) -> None:
    """Refuse variables with which the middleware cannot be loaded. An import of rclpy would end the process.

    Args:
        environment: Environment of the process.

    Raises:
        InputError: With the first such variable.
    """
    rmw, known = environment.get('RMW_IMPLEMENTATION', ''), middlewares(environment)
    if rmw and known and rmw not in known:
        raise _refused('RMW_IMPLEMENTATION', rmw, 'is not installed', allowed_names(known, rmw))
    reach = environment.get('ROS_AUTOMATIC_DISCOVERY_RANGE', '')
    if reach and reach not in _RANGES:
        raise _refused(
            'ROS_AUTOMATIC_DISCOVERY_RANGE', reach, 'is not a discovery range', allowed_names(_RANGES, reach)
        )
    profiles = environment.get(_PROFILES, '')
    if profiles and not os.path.isfile(profiles):
        raise _refused(_PROFILES, profiles, 'is not a file', 'an XML file of Fast DDS profiles, or unset')


def middlewares(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the installed middlewares from the package index; empty if there is no index."""
    found: set[str] = set()
    for prefix in filter(None, environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
        folder = Path(prefix) / 'share' / 'ament_index' / 'resource_index' / 'rmw_typesupport'
        if folder.is_dir():
            found.update(path.name for path in folder.iterdir())
    return sorted(found - {'rmw_implementation'})


def _refused(variable: str, value: str, problem: str, allowed: str) -> InputError:
    return InputError(Problem('environment', variable, problem, allowed, as_yaml_text(value)))
