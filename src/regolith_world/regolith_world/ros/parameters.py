# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Declaration of node parameters."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from regolith_world.ros.shutdown import StartupError

START_HINT = 'Nodes are started by `ros2 launch regolith_bringup scenario.launch.py` or `regolith run`'
"""Hint for users that start a node by hand."""


def declare_parameter(node: Node, name: str, default: Any, description: str) -> Any:
    """Declare a read-only parameter and return its value.

    Args:
        node: Node of the parameter.
        name: Name of the parameter.
        default: Default value, which also sets the type.
        description: Description of the parameter, with its unit.
    """
    descriptor = ParameterDescriptor(description=description, read_only=True)
    return node.declare_parameter(name, default, descriptor).value


def declare_scenario(node: Node) -> Path:
    """Declare ``scenario_file`` and return its value.

    Args:
        node: The node.

    Raises:
        StartupError: If there is no such file.
    """
    value = declare_parameter(node, 'scenario_file', '', 'Resolved scenario (YAML): scenario.yaml of a run folder.')
    path = Path(value)
    if not value or not os.path.isfile(path):
        found = 'is not set' if not value else f'{value!r} is not a file'
        raise StartupError(
            f'{node.get_name()}: parameter scenario_file {found}; allowed: the scenario.yaml of a run folder. '
            f'{START_HINT}'
        )
    return path


def declare_real_time_factor(node: Node, change: Callable[[float], None]) -> float:
    """Declare ``real_time_factor``, which may change during a run, and return its value.

    Args:
        node: The node.
        change: Function of a new value.
    """
    about = 'Upper limit of the real-time factor (simulated seconds per wall second); 0: no limit.'
    limits = [FloatingPointRange(from_value=0.0, to_value=1e6)]
    node.declare_parameter('real_time_factor', 1.0, ParameterDescriptor(description=about, floating_point_range=limits))

    def take(parameters: list[Parameter]) -> None:
        for parameter in parameters:
            if parameter.name == 'real_time_factor':
                change(float(parameter.value))

    node.add_post_set_parameters_callback(take)
    return float(node.get_parameter('real_time_factor').value)


def declare_run_id(node: Node) -> int:
    """Declare ``run_id``, the id of the run of a node, and return its value.

    The launcher draws it once. Every protocol message contains it, and messages of other runs in the same graph are
    ignored. It is not part of any hash. Nodes started without it form a separate run with id 0.
    """
    return int(declare_parameter(node, 'run_id', 0, 'Id of the run. Messages of other runs are ignored.'))
