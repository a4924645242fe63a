# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams of a vehicle's states, by name: those who follow one must not miss a message of it."""

from __future__ import annotations

STREAMS = {
    'state': 'poses of its parts at every commit, part_poses',
    'motion': 'how its base moved within every cycle, motion_samples',
    'wheels': 'states of its wheels at every commit, wheel_states',
    'particles': 'soil that moves in its regions of particles at every commit, particles',
}
"""Name -> content and topic."""
