# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the nodes of a benchmark meet: neither to be measured with a run beside it, nor to disturb one."""

from __future__ import annotations

import os

from regolith_bringup.run.middleware import middleware_environment

_DOMAINS = range(81, 101)
"""Clear of those that people and tests use most, and of the kernel's ephemeral ports, which begin above domain 101."""


def environment() -> dict[str, str]:
    """Return this process's environment with a ROS domain of its own, on this machine only."""
    domain = _DOMAINS[os.getpid() % len(_DOMAINS)]
    return {**os.environ, **middleware_environment(os.environ), 'ROS_DOMAIN_ID': str(domain)}
