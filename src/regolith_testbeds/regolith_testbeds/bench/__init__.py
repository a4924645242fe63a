# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of soil contact, vehicles, particles and grains."""
