# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The scene: ground in tiles, rocks, vehicles, materials."""

from regolith_files.moved import names_of

__getattr__ = names_of('regolith_sensors.scene', 'regolith_sensors.scene.scene')
