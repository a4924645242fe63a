# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Start two rovers with solar panels near the south pole: ``ros2 launch regolith_bringup polar_day.launch.py``."""

from launch import LaunchDescription
from regolith_bringup.run.launch_adapter import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch`` runs."""
    return launch_description({'scenario': 'polar_day'})
