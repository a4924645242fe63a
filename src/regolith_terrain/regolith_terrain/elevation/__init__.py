# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation models: reading, plausibility checks, and placement in a local metric frame."""
