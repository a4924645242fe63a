# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 layer of the world: record conversion, QoS, transport over topics, services. Imported by nodes only.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.ros import cdr as cdr
    from regolith_world.ros import clock_offset as clock_offset
    from regolith_world.ros import protocol_codec as protocol_codec
    from regolith_world.ros import qos as qos
    from regolith_world.ros.announcement import Announcement as Announcement
    from regolith_world.ros.checkpoint_services import CheckpointServices as CheckpointServices
    from regolith_world.ros.clock_offset import clock_ns as clock_ns
    from regolith_world.ros.clock_offset import simulated_ns as simulated_ns
    from regolith_world.ros.clock_offset import stamp as stamp
    from regolith_world.ros.entity_services import EntityServices as EntityServices
    from regolith_world.ros.gc_settings import freeze_garbage_collector as freeze_garbage_collector
    from regolith_world.ros.inbox import SERVICE_PERIOD_S as SERVICE_PERIOD_S
    from regolith_world.ros.inbox import TYPE_CHECK_PERIOD_S as TYPE_CHECK_PERIOD_S
    from regolith_world.ros.inbox import Inbox as Inbox
    from regolith_world.ros.inbox import spin_ready as spin_ready
    from regolith_world.ros.message_codec import MessageCodec as MessageCodec
    from regolith_world.ros.message_conversion import byte_array as byte_array
    from regolith_world.ros.message_conversion import pose_message as pose_message
    from regolith_world.ros.message_conversion import quaternion_message as quaternion_message
    from regolith_world.ros.message_conversion import typed_array as typed_array
    from regolith_world.ros.message_conversion import vector3_message as vector3_message
    from regolith_world.ros.message_template import MessageTemplate as MessageTemplate
    from regolith_world.ros.message_template import TemplateField as TemplateField
    from regolith_world.ros.message_template import pose_fields as pose_fields
    from regolith_world.ros.message_template import xyz_fields as xyz_fields
    from regolith_world.ros.named_pose_services import PoseServices as PoseServices
    from regolith_world.ros.naming import helper_node as helper_node
    from regolith_world.ros.naming import named_node as named_node
    from regolith_world.ros.naming import root_namespace as root_namespace
    from regolith_world.ros.parameters import START_HINT as START_HINT
    from regolith_world.ros.parameters import declare_parameter as declare_parameter
    from regolith_world.ros.parameters import declare_run_id as declare_run_id
    from regolith_world.ros.parameters import declare_scenario as declare_scenario
    from regolith_world.ros.participant_endpoint import ParticipantEndpoint as ParticipantEndpoint
    from regolith_world.ros.participant_host import WAIT_REPORT_S as WAIT_REPORT_S
    from regolith_world.ros.participant_host import ParticipantHost as ParticipantHost
    from regolith_world.ros.participant_host import run_participant as run_participant
    from regolith_world.ros.protocol_codec import codec as codec
    from regolith_world.ros.protocol_codec import register_record as register_record
    from regolith_world.ros.remote_nodes import RemoteNodes as RemoteNodes
    from regolith_world.ros.runner import Runner as Runner
    from regolith_world.ros.service_client import call_service as call_service
    from regolith_world.ros.service_server import create_service as create_service
    from regolith_world.ros.service_server import request_coordinates as request_coordinates
    from regolith_world.ros.shared_memory import remove_abandoned_segments as remove_abandoned_segments
    from regolith_world.ros.shutdown import ShutdownRequest as ShutdownRequest
    from regolith_world.ros.shutdown import StartupError as StartupError
    from regolith_world.ros.shutdown import await_stable_graph as await_stable_graph
    from regolith_world.ros.shutdown import run_process as run_process
    from regolith_world.ros.simulation_services import SimulationServices as SimulationServices
    from regolith_world.ros.startup_timeout import StartupNotice as StartupNotice
    from regolith_world.ros.startup_timeout import StartupTimeout as StartupTimeout
    from regolith_world.ros.status_publisher import WORLD_STATE_NAMES as WORLD_STATE_NAMES
    from regolith_world.ros.type_matching_subscription import accepted_types as accepted_types
    from regolith_world.ros.world_monitor import WorldMonitor as WorldMonitor

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'announcement': ('Announcement',),
        'checkpoint_services': ('CheckpointServices',),
        'clock_offset': (
            'clock_ns',
            'simulated_ns',
            'stamp',
        ),
        'entity_services': ('EntityServices',),
        'gc_settings': ('freeze_garbage_collector',),
        'inbox': (
            'Inbox',
            'SERVICE_PERIOD_S',
            'TYPE_CHECK_PERIOD_S',
            'spin_ready',
        ),
        'message_codec': ('MessageCodec',),
        'message_conversion': (
            'byte_array',
            'pose_message',
            'quaternion_message',
            'typed_array',
            'vector3_message',
        ),
        'message_template': (
            'MessageTemplate',
            'TemplateField',
            'pose_fields',
            'xyz_fields',
        ),
        'named_pose_services': ('PoseServices',),
        'naming': (
            'helper_node',
            'named_node',
            'root_namespace',
        ),
        'parameters': (
            'START_HINT',
            'declare_parameter',
            'declare_run_id',
            'declare_scenario',
        ),
        'participant_endpoint': ('ParticipantEndpoint',),
        'participant_host': (
            'ParticipantHost',
            'WAIT_REPORT_S',
            'run_participant',
        ),
        'protocol_codec': (
            'codec',
            'register_record',
        ),
        'remote_nodes': ('RemoteNodes',),
        'runner': ('Runner',),
        'service_client': ('call_service',),
        'service_server': (
            'create_service',
            'request_coordinates',
        ),
        'shared_memory': ('remove_abandoned_segments',),
        'shutdown': (
            'ShutdownRequest',
            'StartupError',
            'await_stable_graph',
            'run_process',
        ),
        'simulation_services': ('SimulationServices',),
        'startup_timeout': (
            'StartupNotice',
            'StartupTimeout',
        ),
        'status_publisher': ('WORLD_STATE_NAMES',),
        'type_matching_subscription': ('accepted_types',),
        'world_monitor': ('WorldMonitor',),
    },
    modules=('cdr', 'clock_offset', 'protocol_codec', 'qos'),
)
