# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The soil grid: node records, merging, hashes, copies, mass balance, height profiles."""
