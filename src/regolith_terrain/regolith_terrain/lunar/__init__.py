# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lunar terrain from published statistics of craters, rocks and roughness."""
