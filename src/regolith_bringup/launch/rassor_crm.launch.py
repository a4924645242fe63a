# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Start a digger in soil of particles: ``ros2 launch regolith_bringup rassor_crm.launch.py``."""

from launch import LaunchDescription
from regolith_bringup.run.launch_adapter import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch`` runs."""
    return launch_description({'scenario': 'rassor_crm'})
