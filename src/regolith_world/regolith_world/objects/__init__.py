# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that the world computes: bodies, platforms, force fields, constraints, linkages."""
