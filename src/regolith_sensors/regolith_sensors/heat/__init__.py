# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Heat: temperatures of the ground, thermal cameras."""
