# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of a driver's command and of a powertrain's state."""

STEERING, THROTTLE, BRAKING, DIRECTION = range(4)
"""Columns of a command: steering (-1 right to 1 left), throttle and braking (0 to 1), direction (< 0: reverse gear)."""
GEAR, ENGINE_SPEED, ENGINE_TORQUE, TURBINE_SPEED, SINCE_SHIFT = range(5)
"""Columns of a powertrain's state.

They are: gear from 0, -1 in reverse; speed [rad/s] and torque [N m] of the engine; speed of the shaft between coupling
and gearbox [rad/s]; time since the last gear change [s].
"""
STATES = 5
