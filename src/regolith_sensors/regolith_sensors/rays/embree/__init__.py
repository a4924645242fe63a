# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays traced by Embree 4, in packets of 16 that are shaded as they come back."""
