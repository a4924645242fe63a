# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: the scene and its light, reflectance of regolith, cameras, lidars, inertial and position sensors."""
