# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Separate ROS domain for a benchmark, so that other runs do not interfere."""

from __future__ import annotations

import os

from regolith_bringup.run.middleware import middleware_environment

_DOMAINS = range(81, 101)
"""Domains that are rarely used, below 102, where the ephemeral ports of the kernel begin."""


def environment() -> dict[str, str]:
    """Return the environment of this process with a separate ROS domain, limited to this machine."""
    domain = _DOMAINS[os.getpid() % len(_DOMAINS)]
    return {**os.environ, **middleware_environment(os.environ), 'ROS_DOMAIN_ID': str(domain)}
