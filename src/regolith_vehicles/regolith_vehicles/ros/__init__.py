# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS side of vehicles: topics. Nothing outside imports this but nodes."""
