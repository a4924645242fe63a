# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Agent: the participant that computes one vehicle."""
