# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of the terrain: message conversion, topics, services. Only nodes import it."""
