# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of flowing soil in CRM."""

from __future__ import annotations

import math

import numpy as np
import pytest
from particles import layer, of_soil, soil

from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.soil import Discretization


@pytest.mark.slow
@pytest.mark.parametrize('g', [9.81, 1.62])
def test_crm_incline_flow_matches_the_bagnold_profile(g: float) -> None:
    """A layer flows down an incline with the speed of the mu(I) law within 5 % (specification); its initial speed is
    lower.

    u(z) = 2/3 I / d sqrt(g cos(slope)) (h^1.5 - (h - z)^1.5).
    """
    slope, height, grain = math.radians(24.0), 0.2, 0.01
    made = soil(
        density_kgpm3=1500.0,
        youngs_modulus_pa=1e5 * g / 9.81,
        friction=0.38,
        limiting_friction=0.64,
        reference_inertial_number=0.279,
        grain_size_m=grain,
    )
    number = 0.279 * (math.tan(slope) - 0.38) / (0.64 - math.tan(slope))
    spacing = height / 10

    def profile(z: Floats) -> Floats:
        fast: Floats = height**1.5 - np.maximum(height - z, 0.0) ** 1.5
        return 2 / 3 * number / grain * math.sqrt(g * math.cos(slope)) * fast

    assert profile(np.array(height)) == pytest.approx({9.81: 1.668, 1.62: 0.678}[g], rel=1e-3)
    down = (g * math.sin(slope), 0.0, -g * math.cos(slope))
    # Artificial viscosity would slow the flow; here it is almost zero.
    bed = layer(made, spacing, 6 * spacing, height, down, artificial_viscosity=0.01)
    rows = bed.soil_rows()
    bed.particles[rows, 3] = 0.92 * profile(bed.particles[rows, 2])
    dt = Discretization(spacing_m=spacing).step(made.material())
    for _ in range(round(1.2 * math.sqrt(9.81 / g) / dt)):
        bed.step(dt)
    now = of_soil(bed)
    top = now[:, 2] > height - 1.5 * spacing
    assert now[top, 3].mean() == pytest.approx(profile(now[top, 2]).mean(), rel=0.05)
    assert now[:, 3].mean() == pytest.approx(profile(now[:, 2]).mean(), rel=0.05)


def test_crm_step_size_decreases_with_speed_and_acceleration() -> None:
    bed = layer(soil(), 0.02, 0.18, 0.08, (0.0, 0.0, -9.81))
    bed.step(1e-5)
    h, sound = bed.scheme.length, bed.scheme.sound_speed
    assert bed.largest_step() == pytest.approx(0.3 * h / sound, rel=0.01)
    bed.particles[bed.soil_rows()[0], 5] = -30.0
    bed.step(1e-6)
    assert bed.largest_step() < 0.6 * 0.3 * h / sound
    bed = layer(soil(), 0.02, 0.18, 0.08, (0.0, 0.0, -1e4))
    bed.step(1e-7)
    assert bed.largest_step() == pytest.approx(0.3 * math.sqrt(h / 1e4), rel=0.35)
