# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time and evolution: cycles, objects, states, intersections, contacts, constraints."""
