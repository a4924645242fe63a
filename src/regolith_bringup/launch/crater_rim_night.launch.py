# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Start two rovers at a crater at night: ``ros2 launch regolith_bringup crater_rim_night.launch.py``."""

from launch import LaunchDescription
from regolith_bringup.run.launch_adapter import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch`` runs."""
    return launch_description({'scenario': 'crater_rim_night'})
