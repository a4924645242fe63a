# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What version 2.1 of ``simulation_interfaces`` names otherwise than 1.5, which we build where the system has none.

A resource is nested there, and the state of an entity is set in the parts that flags name. Messages are told apart by
their fields, so whichever version is installed is served.
"""

from __future__ import annotations

from typing import Any

from simulation_interfaces.msg import Spawnable


def resource_of(request: Any) -> tuple[str, str]:
    """Return address and text of the resource of a request to spawn, of whichever version or list."""
    given = getattr(request, 'entity_resource', request)
    return given.uri, given.resource_string


def fields_to_set(request: Any) -> tuple[bool, bool]:
    """Return whether pose and velocity are to be set; in 1.5 both are."""
    return getattr(request, 'set_pose', True), getattr(request, 'set_twist', True)


def spawnable_message(uri: str, description: str) -> Any:
    """Return the message of something that can be spawned."""
    made = Spawnable(description=description)
    getattr(made, 'entity_resource', made).uri = uri
    return made
