# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of messages of ``simulation_interfaces`` 1.5 and 2.1, distinguished by their fields."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.ros


def test_resource_is_read_in_either_version() -> None:
    """Flat in the SpawnEntity service of 1.5, nested in its list and in all of 2.1."""
    from simulation_interfaces.msg import Resource, SpawnEntity
    from simulation_interfaces.srv import SpawnEntity as Service

    from regolith_world.ros.interfaces_version import resource_of

    listed = SpawnEntity(entity_resource=Resource(uri='a', resource_string='b'))
    assert resource_of(listed) == ('a', 'b')
    flat = SimpleNamespace(name='', uri='a', resource_string='b')
    nested = SimpleNamespace(name='', entity_resource=SimpleNamespace(uri='a', resource_string='b'))
    assert resource_of(flat) == resource_of(nested) == ('a', 'b')
    assert resource_of(Service.Request()) == ('', '')


def test_flags_select_the_parts_to_set() -> None:
    from regolith_world.ros.interfaces_version import fields_to_set

    assert fields_to_set(SimpleNamespace(entity='a', state=None)) == (True, True)
    assert fields_to_set(SimpleNamespace(set_pose=False, set_twist=True, set_acceleration=False)) == (False, True)


def test_spawnable_has_its_uri_in_either_version() -> None:
    from regolith_world.ros.interfaces_version import spawnable_message

    made = spawnable_message('regolith://vehicles/viper', 'a rover')
    assert getattr(made, 'entity_resource', made).uri == 'regolith://vehicles/viper' and made.description == 'a rover'
