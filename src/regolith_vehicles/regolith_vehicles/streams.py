# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle tells whoever follows it state by state, by name: nothing of it may be missed by those who need it."""

from __future__ import annotations

STREAMS = {
    'state': 'poses of its parts at every commit, vehicle_state',
    'motion': 'how its base moved within every cycle, motion_samples',
    'wheels': 'states of its wheels at every commit, wheel_states',
}
"""Name -> what it says, and its topic."""
