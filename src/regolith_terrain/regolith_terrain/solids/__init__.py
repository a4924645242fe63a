# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Static solids on the terrain, rocks and obstacles, and contact with them."""
