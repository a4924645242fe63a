# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust: parcels on ballistic arcs, their density, and what cameras and lidars see of them."""
