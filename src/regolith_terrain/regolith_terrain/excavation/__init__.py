# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation: soil that tools cut, carry and dump, and how loose soil slumps.

``cutting`` has the force on a blade, ``sweep`` the soil requested by a moving tool, ``exchange`` the soil that terrain
grants and takes back, ``relaxation`` the slumping of loose soil.
"""
