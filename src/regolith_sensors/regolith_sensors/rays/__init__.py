# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays through a scene, and the light they bring back."""
