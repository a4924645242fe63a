# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation coordinator: adaptive steps, objects, collision detection, contacts, constraints, checkpoints.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world import determinism as determinism
    from regolith_world import run_policy as run_policy
    from regolith_world import watchdog as watchdog
    from regolith_world.config import InputBarrier as InputBarrier
    from regolith_world.config import ScenarioHead as ScenarioHead
    from regolith_world.config import WorldConfig as WorldConfig
    from regolith_world.config import load_section as load_section
    from regolith_world.cycle.participant import Participant as Participant
    from regolith_world.cycle.participant_type import ParticipantType as ParticipantType
    from regolith_world.cycle.records import BodyState as BodyState
    from regolith_world.cycle.records import Command as Command
    from regolith_world.cycle.records import Cycle as Cycle
    from regolith_world.cycle.records import CycleResult as CycleResult
    from regolith_world.cycle.records import Impulse as Impulse
    from regolith_world.cycle.records import JoinRequest as JoinRequest
    from regolith_world.cycle.records import Roles as Roles
    from regolith_world.cycle.records import Shape as Shape
    from regolith_world.cycle.records import ShapeKind as ShapeKind
    from regolith_world.names import LONGEST_NAME as LONGEST_NAME
    from regolith_world.names import check_name as check_name
    from regolith_world.names import is_valid_ros_name as is_valid_ros_name
    from regolith_world.names import valid_file_name as valid_file_name
    from regolith_world.names import valid_ros_name as valid_ros_name
    from regolith_world.node_main import PARENT_VARIABLE as PARENT_VARIABLE
    from regolith_world.node_main import disable_mujoco_graphics as disable_mujoco_graphics
    from regolith_world.node_main import end_with_process as end_with_process
    from regolith_world.numerics.rotation import from_rotation_vector as from_rotation_vector
    from regolith_world.numerics.rotation import from_rpy_deg as from_rpy_deg
    from regolith_world.numerics.rotation import matrix as matrix
    from regolith_world.numerics.rotation import product as product
    from regolith_world.objects.constraints import Constraint as Constraint
    from regolith_world.objects.force_field import ForceField as ForceField
    from regolith_world.objects.object import Intersection as Intersection
    from regolith_world.objects.object import Object as Object
    from regolith_world.objects.object import SavedObject as SavedObject
    from regolith_world.objects.object_types import ObjectType as ObjectType
    from regolith_world.objects.object_types import ShapeConfig as ShapeConfig
    from regolith_world.objects.rigid_body import RigidBody as RigidBody
    from regolith_world.objects.static_body import StaticBody as StaticBody
    from regolith_world.participant_context import HorizontalPosition as HorizontalPosition
    from regolith_world.participant_context import ParticipantContext as ParticipantContext
    from regolith_world.participant_context import StaticObstacles as StaticObstacles
    from regolith_world.participant_context import TerrainSurface as TerrainSurface
    from regolith_world.participant_context import out_of_bounds as out_of_bounds
    from regolith_world.participant_node import ParticipantNode as ParticipantNode
    from regolith_world.random.keyed_generator import generator as generator
    from regolith_world.ros.clock_offset import stamp as stamp
    from regolith_world.ros_environment import LAST_ROS_DOMAIN as LAST_ROS_DOMAIN
    from regolith_world.ros_environment import check_middleware as check_middleware
    from regolith_world.ros_environment import check_ros_environment as check_ros_environment
    from regolith_world.ros_environment import is_ros_domain as is_ros_domain
    from regolith_world.software_versions import installed_versions as installed_versions
    from regolith_world.software_versions import version_differences as version_differences
    from regolith_world.world import AdmissionError as AdmissionError
    from regolith_world.world import World as World
    from regolith_world.world_node import MAX_SENSOR_LAG_DESCRIPTION as MAX_SENSOR_LAG_DESCRIPTION
    from regolith_world.world_node import REMOTE_NODES_DESCRIPTION as REMOTE_NODES_DESCRIPTION
    from regolith_world.world_node import WAIT_FOR_RECORDER_DESCRIPTION as WAIT_FOR_RECORDER_DESCRIPTION

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': (
            'InputBarrier',
            'ScenarioHead',
            'WorldConfig',
            'load_section',
        ),
        'cycle.participant': ('Participant',),
        'cycle.participant_type': ('ParticipantType',),
        'cycle.records': (
            'BodyState',
            'Command',
            'Cycle',
            'CycleResult',
            'Impulse',
            'JoinRequest',
            'Roles',
            'Shape',
            'ShapeKind',
        ),
        'names': (
            'LONGEST_NAME',
            'check_name',
            'is_valid_ros_name',
            'valid_file_name',
            'valid_ros_name',
        ),
        'node_main': (
            'PARENT_VARIABLE',
            'disable_mujoco_graphics',
            'end_with_process',
        ),
        'numerics.rotation': (
            'from_rotation_vector',
            'from_rpy_deg',
            'matrix',
            'product',
        ),
        'objects.constraints': ('Constraint',),
        'objects.force_field': ('ForceField',),
        'objects.object': (
            'Intersection',
            'Object',
            'SavedObject',
        ),
        'objects.object_types': (
            'ObjectType',
            'ShapeConfig',
        ),
        'objects.rigid_body': ('RigidBody',),
        'objects.static_body': ('StaticBody',),
        'participant_context': (
            'HorizontalPosition',
            'ParticipantContext',
            'StaticObstacles',
            'TerrainSurface',
            'out_of_bounds',
        ),
        'participant_node': ('ParticipantNode',),
        'random.keyed_generator': ('generator',),
        'ros.clock_offset': ('stamp',),
        'ros_environment': (
            'LAST_ROS_DOMAIN',
            'check_middleware',
            'check_ros_environment',
            'is_ros_domain',
        ),
        'software_versions': (
            'installed_versions',
            'version_differences',
        ),
        'world': (
            'AdmissionError',
            'World',
        ),
        'world_node': (
            'MAX_SENSOR_LAG_DESCRIPTION',
            'REMOTE_NODES_DESCRIPTION',
            'WAIT_FOR_RECORDER_DESCRIPTION',
        ),
    },
    modules=('determinism', 'run_policy', 'watchdog'),
)
