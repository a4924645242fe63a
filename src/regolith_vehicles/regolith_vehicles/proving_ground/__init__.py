# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A proving ground: a vehicle alone on level or sloping ground, inputs by a law, and what it does as a table."""
