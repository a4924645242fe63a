# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The scene: ground in tiles, rocks, vehicles, materials."""
