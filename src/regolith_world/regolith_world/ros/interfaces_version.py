# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Differences between versions 1.5 and 2.1 of ``simulation_interfaces``.

The version of the system is used; without one, 2.1 is built. In 2.1 a resource is nested, and flags state which parts
of an entity's state are set. The fields of a message identify the version, so both are supported.
"""

from __future__ import annotations

from typing import Any

from simulation_interfaces.msg import Spawnable


def resource_of(request: Any) -> tuple[str, str]:
    """Return URI and text of the resource of a spawn request, in either version."""
    given = getattr(request, 'entity_resource', request)
    return given.uri, given.resource_string


def fields_to_set(request: Any) -> tuple[bool, bool]:
    """Return whether pose and velocity are to be set. In 1.5 both are."""
    return getattr(request, 'set_pose', True), getattr(request, 'set_twist', True)


def spawnable_message(uri: str, description: str) -> Any:
    """Return the message of a spawnable resource."""
    made = Spawnable(description=description)
    getattr(made, 'entity_resource', made).uri = uri
    return made
