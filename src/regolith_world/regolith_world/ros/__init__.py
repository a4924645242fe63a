# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS side: messages from records, QoS, the bus over topics. Nothing outside imports this but nodes."""
