# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics, services and actions of vehicles. Only nodes import this package."""
