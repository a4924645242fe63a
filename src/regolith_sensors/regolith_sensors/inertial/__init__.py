# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertial units, positioning, and their errors."""
