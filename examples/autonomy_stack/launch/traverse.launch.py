# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Start ``traverse_polar`` and the stack that drives its rover: ``ros2 launch autonomy_stack traverse.launch.py``.

``seed:=3`` selects other terrain, ``goals:="[30.0, 5.0]"`` other goals.
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription

DRIVEN = (
    'vehicles.rover.driver={type: external, timeout_s: 1.0}',
    # The world waits for a command in every cycle, so the result does not depend on the speed of the machine.
    'world.input_barrier={topic: /rover/cmd_vel, timeout_s: 5.0}',
)


def generate_launch_description() -> LaunchDescription:
    """Return the launch actions: the run of the scenario and the node of the stack."""
    scenario = Path(get_package_share_directory('regolith_bringup'), 'launch', 'traverse_polar.launch.py')
    own = Path(get_package_share_directory('autonomy_stack'), 'config', 'stack.yaml')
    run = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(scenario)),
        launch_arguments={
            'set': ';'.join(DRIVEN),
            'seed': LaunchConfiguration('seed'),
            'duration': LaunchConfiguration('duration'),
        }.items(),
    )
    goals = ParameterValue(LaunchConfiguration('goals'), value_type=list[float])
    node = Node(
        package='autonomy_stack',
        executable='stack_node',
        namespace='rover',
        name='autonomy_stack',
        output='screen',
        parameters=[str(own), {'goals': goals}],
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument('seed', default_value='1', description='of the ground'),
            DeclareLaunchArgument('duration', default_value='420', description='simulated time at most [s]'),
            DeclareLaunchArgument(
                'goals', default_value='[36.0, 0.0, 0.0, 0.0]', description='x1, y1, x2, y2, ... [m]'
            ),
            run,
            node,
        ]
    )
