# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View of a run: its messages drawn in Rerun, and as markers for other viewers.

The conversion is independent of ROS and of the source of the messages, a bag or a running simulation. ``terrain_mesh``,
``terrain_shading`` and ``layers`` are also independent of the viewer.
"""
