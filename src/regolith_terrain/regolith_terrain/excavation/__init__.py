# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Digging: soil that tools cut, carry and pour out, and how it settles.

``cutting`` says what force a blade needs, ``sweep`` what soil a moving tool asks for, ``exchange`` what terrain
grants and takes back, ``relaxation`` how loose soil slumps.
"""
