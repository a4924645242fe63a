# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of a driver's command and of a powertrain's state."""

STEERING, THROTTLE, BRAKING, DIRECTION = range(4)
"""Command: -1 (right) to 1, 0 to 1, 0 to 1; forward gears from 0 on, else the reverse gear."""
GEAR, ENGINE_SPEED, ENGINE_TORQUE, TURBINE_SPEED, SINCE_SHIFT = range(5)
"""State: gear from 0 on, -1 in reverse; speed [rad/s] and torque [N m] of the engine; speed of the shaft between
coupling and gearbox [rad/s], time since gears changed [s]."""
STATES = 5
