# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 layer of the world: record conversion, QoS, transport over topics, services. Imported by nodes only."""
