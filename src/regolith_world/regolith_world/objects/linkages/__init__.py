# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies held together by joints, which evolve as one: pendulums, ropes of rods, four-bar loops."""
