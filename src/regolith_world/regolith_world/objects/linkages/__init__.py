# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Linkages: bodies connected by joints that are solved together, such as pendulums, ropes and four-bar linkages."""
