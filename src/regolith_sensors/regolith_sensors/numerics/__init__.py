# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numerics of sensors: fast elementary functions, parallel loops, lens models."""
