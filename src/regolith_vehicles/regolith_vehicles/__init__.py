# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles: multibody models, wheels on soil, drivers, and the agent of one vehicle."""
