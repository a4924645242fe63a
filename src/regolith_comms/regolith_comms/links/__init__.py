# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Links between radios: grid of tiles, their graph, visibility, link models and relays."""
