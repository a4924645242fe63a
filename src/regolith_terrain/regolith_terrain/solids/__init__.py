# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Solid things on the ground that do not move: rocks and the obstacles of a scenario, and how parts touch them."""
