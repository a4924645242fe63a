# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lidars: beams, echoes, point clouds."""

from regolith_files.moved import names_of

__getattr__ = names_of('regolith_sensors.lidar', 'regolith_sensors.lidar.sweep')
