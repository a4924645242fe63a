# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation tools of a vehicle."""
