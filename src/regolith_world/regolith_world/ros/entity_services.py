# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Entity services of ``simulation_interfaces`` 1.5: list, get, set, spawn and delete entities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.msg import Bounds, EntityInfo, EntityState, Result, SpawnResult
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetSpawnables,
    SetEntityInfo,
    SetEntityState,
    SpawnEntities,
    SpawnEntity,
)

from regolith_files import counted_noun
from regolith_world.checkpoint.world_edits import DeleteEdit, SetStateEdit, SpawnEdit
from regolith_world.cycle.records import BodyState
from regolith_world.objects import entities, spawning
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import MOST_SPEED_MPS
from regolith_world.objects.spawning import SpawnError, SpawnPose, SpawnResultCode
from regolith_world.ros.clock_offset import stamp
from regolith_world.ros.interfaces_version import fields_to_set, resource_of, spawnable_message
from regolith_world.ros.runner import Runner
from regolith_world.ros.service_server import FARTHEST_M, create_service
from regolith_world.ros.simulation_services import bounds_of, result_of, service_name
from regolith_world.world import World

_FASTEST = 1e4
"""Maximum velocity that can be set [m/s, rad/s]. Beyond it the minimum step is too long to detect collisions."""
StartVehicle = Callable[[str, Mapping[str, Any]], Future]
"""Function that starts a vehicle by name and entry between two cycles. Its future has '' or the reason of a failure."""


class EntityServices:
    """Entity services of the world of a runner.

    Args:
        node: Node ``world``.
        runner: Runner of the world.
        world: The world.
        start_vehicle: Function that starts a vehicle, see :data:`StartVehicle`.
    """

    def __init__(self, node: Node, runner: Runner, world: World, start_vehicle: StartVehicle) -> None:
        self._runner, self._world, self._start_vehicle = runner, world, start_vehicle
        self._told: dict[str, EntityInfo] = {}
        """Information set by clients, by name of the entity. It is not part of the world's state."""
        together = ReentrantCallbackGroup()  # a waiting service does not block others
        for kind, callback in (
            (GetEntities, self._entities),
            (GetEntitiesStates, self._entities_states),
            (GetEntityState, self._of_entity(self._entity_state)),
            (GetEntityInfo, self._of_entity(self._entity_info)),
            (GetEntityBounds, self._of_entity(self._entity_bounds)),
            (SetEntityState, self._set_state),
            (SetEntityInfo, self._set_info),
            (SpawnEntity, self._spawn_entity),
            (SpawnEntities, self._spawn_entities),
            (DeleteEntity, self._delete),
            (GetSpawnables, self._spawnables),
        ):
            create_service(node, kind, service_name(kind), callback, together)

    async def _standing(self, action: Callable[[], Any]) -> Any:
        """Return the result of an action between two cycles, or its ValueError."""
        try:
            return await self._runner.standing(action)
        except ValueError as error:
            return error

    # Services run between cycles, or while the world waits for results. In both cases objects have committed states.

    def _entities(self, request: Any, response: Any) -> Any:
        found, response.result = self._chosen(request.filters)
        response.entities = list(found)
        return response

    def _entities_states(self, request: Any, response: Any) -> Any:
        found, response.result = self._chosen(request.filters)
        response.entities, response.states = list(found), [self._state_of(item) for item in found.values()]
        return response

    def _chosen(self, filters: Any) -> tuple[Mapping[str, Object], Result]:
        """Return the entities that match filters, and the result."""
        region, problem = _region(filters.bounds)
        if problem is not None:
            return {}, problem
        kinds = [kind.category for kind in filters.categories]
        try:
            found = entities.filter_entities(entities.entities(self._world.objects), filters.filter, kinds, region)
        except ValueError as error:
            return {}, result_of(Result.RESULT_OPERATION_FAILED, str(error))
        wanted, every = set(filters.tags.tags), filters.tags.filter_mode == filters.tags.FILTER_MODE_ALL
        tags = {name: wanted & set(self._info(item).tags) for name, item in found.items()}
        fits = [n for n in found if not wanted or (tags[n] == wanted if every else tags[n])]
        return {name: found[name] for name in fits}, result_of()

    def _of_entity(self, write: Callable[[Object, Any], None]) -> Callable[[Any, Any], Any]:
        """Return a service that writes data of the requested entity."""

        def serve(request: Any, response: Any) -> Any:
            item = entities.entities(self._world.objects).get(request.entity)
            if item is None:
                response.result = result_of(Result.RESULT_NOT_FOUND, f'no entity {request.entity!r}')
                return response
            response.result = result_of()
            write(item, response)
            return response

        return serve

    def _entity_state(self, item: Object, response: Any) -> None:
        response.state = self._state_of(item)

    def _state_of(self, item: Object) -> EntityState:
        state, body = EntityState(), item.body
        state.header.stamp = stamp(self._world.t_ns)
        pose, twist = state.pose, state.twist
        pose.position.x, pose.position.y, pose.position.z = body.position.tolist()
        turn = pose.orientation
        turn.x, turn.y, turn.z, turn.w = body.orientation.tolist()
        twist.linear.x, twist.linear.y, twist.linear.z = body.linear_velocity.tolist()
        twist.angular.x, twist.angular.y, twist.angular.z = body.angular_velocity.tolist()
        return state

    def _entity_info(self, item: Object, response: Any) -> None:
        response.info = self._info(item)

    def _info(self, item: Object) -> EntityInfo:
        """Return the information that a client set for an entity, or the default."""
        kind = 'vehicle' if entities.category(item) == entities.Category.ROBOT else item.root.kind
        info = self._told.get(item.name) or EntityInfo(description=kind)
        info.category.category = int(entities.category(item))
        return info

    def _set_info(self, request: Any, response: Any) -> Any:
        item = entities.entities(self._world.objects).get(request.entity)
        if item is None:
            response.result = result_of(Result.RESULT_NOT_FOUND, f'no entity {request.entity!r}')
        elif request.info.category.category not in (0, int(entities.category(item))):
            own = int(entities.category(item))
            why = f'category {request.info.category.category} differs from that of the entity; allowed: {own}, or 0'
            response.result = result_of(Result.RESULT_OPERATION_FAILED, why)
        else:
            self._told[item.name] = request.info
            response.result = result_of()
        return response

    def _entity_bounds(self, item: Object, response: Any) -> None:
        box = entities.bounds(item)
        if box is not None:
            response.bounds = bounds_of(box.low, box.high)

    async def _set_state(self, request: Any, response: Any) -> Any:
        item = entities.entities(self._world.objects).get(request.entity)
        if item is None:
            response.result = result_of(Result.RESULT_NOT_FOUND, f'no entity {request.entity!r}')
            return response
        of_pose, of_twist = fields_to_set(request)
        twist = request.state.twist
        linear, angular = (np.array([v.x, v.y, v.z]) for v in (twist.linear, twist.angular))
        try:
            pose = _pose(request.state.header.frame_id, request.state.pose) if of_pose else None
        except ValueError as error:
            response.result = result_of(getattr(response, 'INVALID_POSE', Result.RESULT_OPERATION_FAILED), str(error))
            return response
        fastest = MOST_SPEED_MPS if item.moved_by else _FASTEST
        if not ((np.abs(angular) <= _FASTEST).all() and math.hypot(*linear) <= fastest):  # false for NaN
            why = (
                f'velocities {linear.tolist()}, {angular.tolist()} are too large; '
                f'allowed: up to {fastest:g} m/s, rates within {_FASTEST:g} rad/s'
            )
            response.result = result_of(Result.RESULT_OPERATION_FAILED, why)
            return response

        def place() -> None:
            now = item.body
            there = SpawnPose(now.position, now.orientation) if pose is None else pose
            moving = (linear, angular) if of_twist else (now.linear_velocity, now.angular_velocity)
            self._runner.apply_edit(
                SetStateEdit(item.name, BodyState(item.name, there.position, there.orientation, *moving))
            )

        problem = await self._standing(place)
        response.result = result_of(Result.RESULT_OPERATION_FAILED, str(problem)) if problem else result_of()
        return response

    # -- spawning and deletion ----------------------------------------------------------------------------------

    def _spawnables(self, request: Any, response: Any) -> Any:
        if request.sources:
            why = f'sources {list(request.sources)} are not supported; allowed: none'
            response.result = result_of(Result.RESULT_FEATURE_UNSUPPORTED, why)
            return response
        response.spawnables = [spawnable_message(s.uri, s.description) for s in spawning.spawnables()]
        response.result = result_of()
        return response

    async def _spawn_entity(self, request: Any, response: Any) -> Any:
        response.result, response.entity_name = await self._spawned(request)
        return response

    async def _spawn_entities(self, request: Any, response: Any) -> Any:
        for each in request.spawn_requests:
            result, name = await self._spawned(each)
            response.results.append(SpawnResult(result=result, entity_name=name))
        failed = sum(each.result.result != Result.RESULT_OK for each in response.results)
        why = f'{failed} of {len(response.results)} failed, see results'
        response.result = result_of(response.ENTITIES_SPAWN_FAILED, why) if failed else result_of()
        return response

    async def _spawned(self, request: Any) -> tuple[Result, str]:
        """Return the result of a spawn request, and the name of the new entity."""
        try:
            if request.entity_namespace.strip('/') not in ('', request.name):
                why = f'entity_namespace {request.entity_namespace!r}; allowed: none, topics are below the name'
                raise SpawnError(SpawnResultCode.NAMESPACE_INVALID, why)
            resource = spawning.read_resource(*resource_of(request))
            source = spawning.source_of(resource)
            try:
                pose = _pose(request.initial_pose.header.frame_id, request.initial_pose.pose)
            except ValueError as error:
                raise SpawnError(SpawnResultCode.INVALID_POSE, str(error)) from None
            in_use, removed_participants = self._world.names_in_use, self._world.removed_participants
            name = spawning.unique_name(request.name, resource, request.allow_renaming, in_use, removed_participants)
            if source is None:
                gravity = np.array([0.0, 0.0, -self._world.config.gravity_mps2])
                made = spawning.build_object(name, resource, pose, gravity)
                problem = await self._standing(
                    lambda: self._runner.apply_edit(SpawnEdit(name, made.save(), appearance=made.appearance))
                )
            else:
                entry = spawning.checked_entry(source, resource, pose)
                started: Any = await self._standing(lambda: self._start_vehicle(name, entry))
                problem = started if isinstance(started, ValueError) else await started
            if problem:
                raise SpawnError(SpawnResultCode.INVALID_POSE, str(problem))
        except SpawnError as refusal:
            return result_of(int(refusal.reason), str(refusal)), ''
        self._told.pop(name, None)  # of an earlier entity of this name
        return result_of(), name

    async def _delete(self, request: Any, response: Any) -> Any:
        objects, name = self._world.objects, request.entity
        if name in entities.entities(objects) and name not in objects:
            whole = entities.entities(objects)[name].root.name
            response.result = result_of(Result.RESULT_OPERATION_FAILED, f'{name!r} is a part; allowed: {whole!r}')
        elif name not in objects:
            response.result = result_of(Result.RESULT_NOT_FOUND, f'no entity {name!r}')
        else:
            problem = await self._standing(lambda: self._runner.apply_edit(DeleteEdit(name)))
            response.result = result_of(Result.RESULT_OPERATION_FAILED, str(problem)) if problem else result_of()
        return response


def _pose(frame: str, message: Any) -> SpawnPose:
    """Return a pose in the world frame.

    Args:
        frame: Frame of the pose.
        message: The pose message.

    Raises:
        ValueError: If the frame differs, or the pose is not valid.
    """
    if frame not in ('', 'world'):
        raise ValueError(f'frame_id {frame!r}; allowed: world, or none')
    p, q = message.position, message.orientation
    position, orientation = np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])
    length = float(np.linalg.norm(orientation))
    if not np.isfinite(position).all() or np.abs(position).max() > FARTHEST_M:
        raise ValueError(f'position {position.tolist()}; allowed: numbers within {FARTHEST_M:g} m')
    if not math.isfinite(length) or abs(length - 1.0) > 1e-3:
        raise ValueError(f'orientation {orientation.tolist()}; allowed: a quaternion of length 1')
    return SpawnPose(position, orientation / length)


def _region(bounds: Any) -> tuple[entities.SphereRegion | entities.BoxRegion | None, Result | None]:
    """Return the region of bounds, None if they are empty; and the result if they cannot be used, else None."""
    points = [np.array([p.x, p.y, p.z]) for p in bounds.points]
    if bounds.type == Bounds.TYPE_EMPTY:
        return None, None
    if bounds.type not in (Bounds.TYPE_BOX, Bounds.TYPE_SPHERE):
        return None, result_of(Result.RESULT_FEATURE_UNSUPPORTED, f'bounds of type {bounds.type}; allowed: BOX, SPHERE')
    if len(points) != 2 or not np.isfinite(points).all():
        why = f'{counted_noun(len(points), "point")} of bounds; allowed: two, finite'
        return None, result_of(Result.RESULT_OPERATION_FAILED, why)
    if bounds.type == Bounds.TYPE_SPHERE and points[1][0] < 0.0:
        why = f'points[1].x = {points[1][0]:g} of a sphere of bounds; allowed: a radius of 0 m or more'
        return None, result_of(Result.RESULT_OPERATION_FAILED, why)
    if bounds.type == Bounds.TYPE_SPHERE:
        return entities.SphereRegion(points[0], float(points[1][0])), None
    return entities.BoxRegion(np.minimum(*points), np.maximum(*points)), None
