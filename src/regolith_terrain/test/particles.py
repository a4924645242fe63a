# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Particle beds for the tests of CRM."""

from __future__ import annotations

from typing import Any

import numpy as np

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization, ParticleSoil


def soil(**values: Any) -> ParticleSoil:
    return ParticleSoil.model_validate({'name': 'test', 'density_kgpm3': 1700.0, 'youngs_modulus_pa': 1e6, **values})


def layer(
    made: ParticleSoil, spacing: float, width: float, depth: float, gravity: tuple[float, float, float], **values: Any
) -> ParticleBed:
    """Return a periodic soil layer on a rough floor, in equilibrium with its weight; ``width`` is the period [m]."""
    workers = values.pop('workers', 1)
    settings = Discretization.model_validate({'spacing_m': spacing, **values})
    places = boundary_markers.lattice((0, 0, 0), (width, width, depth), spacing)
    under = boundary_markers.floor((0, 0, 0), (width, width, 0), spacing)
    body = np.zeros(len(under), np.int32)
    bed = ParticleBed(made, settings, gravity, places, under, body, workers=workers, period=(width, width))
    bed.lay_at_rest(depth)
    return bed


def of_soil(bed: ParticleBed) -> Floats:
    """Return the soil particles in the order of their labels, shape (n, 12)."""
    return bed.particles[bed.soil_rows()]
