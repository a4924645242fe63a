# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Single-photon avalanche diode (SPAD) sensors: histograms of photon counts over the time of flight."""
