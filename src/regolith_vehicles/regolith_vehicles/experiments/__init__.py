# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual tests of whole vehicles: ``./regolith experiment NAME``; see :mod:`regolith_terrain.testbeds`.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.experiments import proving_ground as proving_ground

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {},
    modules=('proving_ground',),
)
