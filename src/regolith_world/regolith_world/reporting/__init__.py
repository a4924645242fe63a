# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section, plots, view layer and citations of the world."""
