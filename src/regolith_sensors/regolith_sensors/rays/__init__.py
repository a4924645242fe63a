# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays through a scene, and the light they bring back."""

from regolith_files.moved import names_of

__getattr__ = names_of('regolith_sensors.rays', 'regolith_sensors.rays.embree.casting')
