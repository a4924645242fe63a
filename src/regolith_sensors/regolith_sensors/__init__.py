# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated sensors: scene, light, regolith reflectance, cameras, lidars, IMUs and GNSS receivers."""
