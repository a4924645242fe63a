# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numerics: portable math functions, rotations, parallel ranges, the cache of compiled kernels."""
