# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rendered scene: terrain tiles, rocks, vehicles and materials."""
