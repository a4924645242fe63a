# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain of its own for a benchmark, so that it and other runs do not disturb each other."""

from __future__ import annotations

import os

from regolith_bringup.run.middleware import middleware_environment

_DOMAINS = range(81, 101)
"""Domains away from the usual ones, and below 102, where the kernel's ephemeral ports begin."""


def environment() -> dict[str, str]:
    """Return this process's environment with a ROS domain of its own, on this machine only."""
    domain = _DOMAINS[os.getpid() % len(_DOMAINS)]
    return {**os.environ, **middleware_environment(os.environ), 'ROS_DOMAIN_ID': str(domain)}
