# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil grid: node records, merging, hashes, copies, mass balance, height profiles."""
