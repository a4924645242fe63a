# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: one scenario in many variations, and one table of what came of them."""
