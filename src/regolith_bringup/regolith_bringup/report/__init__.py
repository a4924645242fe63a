# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of runs: plots, tables and HTML pages."""
