# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Proving ground: one vehicle on level or sloping ground, prescribed driver inputs, and its motion as a table."""
