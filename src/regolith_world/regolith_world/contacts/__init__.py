# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection, time of impact, contact forces."""
