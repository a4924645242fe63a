# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS side of the ground: messages from records and back. Nothing outside imports this but nodes."""
