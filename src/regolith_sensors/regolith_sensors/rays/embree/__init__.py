# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays traced by Embree 4, in packets of 16 that are shaded as they come back."""

from regolith_files.moved import names_of

__getattr__ = names_of('regolith_sensors.rays.embree', 'regolith_sensors.rays.embree.library')
