# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lossless streams of a vehicle's states, by name."""

from __future__ import annotations

STREAMS = {
    'state': 'poses of its parts at every commit, part_poses',
    'motion': 'motion of its base within every cycle, motion_samples',
    'wheels': 'states of its wheels at every commit, wheel_states',
    'particles': 'moving soil in its CRM regions at every commit, soil_surfels',
}
"""Content and topic of each stream."""
