# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many variations of one scenario, with a table of results."""
