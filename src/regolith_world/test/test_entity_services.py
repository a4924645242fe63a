# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of entity services of a world without nodes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from toy_worlds import Nobody, run, world

pytestmark = pytest.mark.ros


def served() -> tuple[Any, Any]:
    """Return the services of a world with one moving ball, and that world."""
    from regolith_world.ros.entity_services import EntityServices
    from regolith_world.timeline import Timeline

    shape = {'kind': 'sphere', 'size_m': [0.1]}
    ball = {'type': 'rigid_body', 'position': [1.0, 2.0, 3.0], 'mass_kg': 1.0, 'shape': shape, 'weightless': True}
    w = world(
        ball={**ball, 'velocity_mps': [0.1, 0.2, 0.3], 'angular_velocity_radps': [0.4, 0.5, 0.6]},
        spark={**ball, 'position': [9.0, 0.0, 0.0], 'lifetime_s': 0.5},
    )
    timeline = Timeline(w, Nobody())  # type: ignore[arg-type]
    w.hold()
    timeline.begin()

    async def standing(action: Any) -> Any:
        return action()

    node: Any = SimpleNamespace(create_service=lambda *args, **more: None)
    runner: Any = SimpleNamespace(standing=standing, apply_edit=timeline.apply_edit)
    return EntityServices(node, runner, w, lambda name, entry: None), w  # type: ignore[arg-type, return-value]


def state(position: tuple[float, float, float], velocity: tuple[float, float, float]) -> Any:
    from simulation_interfaces.msg import EntityState

    made = EntityState()
    made.pose.position.x, made.pose.position.y, made.pose.position.z = position
    made.pose.orientation.w = 1.0
    made.twist.linear.x, made.twist.linear.y, made.twist.linear.z = velocity
    return made


def result() -> Any:
    return SimpleNamespace(result=None)


@pytest.mark.parametrize(('of_pose', 'of_twist'), [(True, False), (False, True), (True, True)])
def test_set_entity_state_sets_flagged_parts_only(of_pose: bool, of_twist: bool) -> None:
    services, w = served()
    body = w.objects['ball'].body
    place, speed = body.position.copy(), body.linear_velocity.copy()
    spin = body.angular_velocity.copy()
    request = SimpleNamespace(
        entity='ball', state=state((5.0, 6.0, 7.0), (-1.0, -2.0, -3.0)), set_pose=of_pose, set_twist=of_twist
    )
    response = asyncio.run(services._set_state(request, result()))
    assert response.result.result == response.result.RESULT_OK, response.result.error_message
    now = w.objects['ball'].body
    assert np.array_equal(now.position, (5.0, 6.0, 7.0) if of_pose else place)
    assert np.array_equal(now.linear_velocity, (-1.0, -2.0, -3.0) if of_twist else speed)
    assert np.array_equal(now.angular_velocity, (0.0, 0.0, 0.0) if of_twist else spin)


@pytest.mark.parametrize('deleted', [True, False], ids=['deleted', 'dead'])
def test_entity_info_is_not_kept_for_a_new_entity_of_the_same_name(deleted: bool) -> None:
    from simulation_interfaces.msg import EntityInfo
    from simulation_interfaces.srv import SpawnEntity

    services, w = served()

    def tags() -> list[str]:
        response = SimpleNamespace(info=None, result=None)
        services._of_entity(services._entity_info)(SimpleNamespace(entity='spark'), response)
        return list(response.info.tags)

    services._set_info(SimpleNamespace(entity='spark', info=EntityInfo(tags=['hot'])), result())
    assert tags() == ['hot']
    if deleted:
        asyncio.run(services._delete(SimpleNamespace(entity='spark'), result()))
    else:
        run(w, 0.6)
    assert 'spark' not in w.objects
    text = '{type: rigid_body, mass_kg: 1.0, shape: {kind: sphere, size_m: [0.1]}}'
    request = SpawnEntity.Request(name='spark', resource_string=text)
    request.initial_pose.pose.position.x = 20.0
    request.initial_pose.pose.orientation.w = 1.0
    outcome, name = asyncio.run(services._spawned(request))
    assert (outcome.error_message, name, tags()) == ('', 'spark', [])


@pytest.mark.parametrize(
    ('wanted', 'any_of', 'all_of'),
    [
        ([], ['ball', 'spark'], ['ball', 'spark']),
        (['hot'], ['ball', 'spark'], ['ball', 'spark']),
        (['hot', 'big'], ['ball', 'spark'], ['ball']),
        (['big'], ['ball'], ['ball']),
        (['cold'], [], []),
        (['big', 'cold'], ['ball'], []),
    ],
)
def test_tags_are_filtered_by_any_or_by_all_of_them(wanted: list[str], any_of: list[str], all_of: list[str]) -> None:
    from simulation_interfaces.msg import EntityFilters, EntityInfo, TagsFilter

    services, _ = served()
    for name, tags in (('ball', ['hot', 'big']), ('spark', ['hot'])):
        services._set_info(SimpleNamespace(entity=name, info=EntityInfo(tags=tags)), result())
    for mode, expected in ((TagsFilter.FILTER_MODE_ANY, any_of), (TagsFilter.FILTER_MODE_ALL, all_of)):
        found, outcome = services._chosen(EntityFilters(tags=TagsFilter(tags=wanted, filter_mode=mode)))
        assert (outcome.result, sorted(found)) == (outcome.RESULT_OK, expected)
