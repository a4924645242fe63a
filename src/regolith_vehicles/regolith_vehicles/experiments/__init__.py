# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual tests of whole vehicles: ``./regolith experiment NAME``; see :mod:`regolith_terrain.testbeds`."""
