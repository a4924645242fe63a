# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, snapshots, the timeline and the log of inputs and world edits."""
