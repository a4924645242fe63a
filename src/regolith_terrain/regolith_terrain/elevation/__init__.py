# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation models of the Moon: reading them, and laying them into a local metric frame."""
