# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the memory check of particle testbeds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import ValidationError

from regolith_terrain.crm import cost
from regolith_terrain.crm.soil import Discretization, load_particle_soil
from regolith_testbeds.experiments import bucket_drum, cratering, plate_sinkage, wheel_rig


@pytest.mark.parametrize(
    ('experiment', 'values'),
    [
        (wheel_rig, {'slope_deg': 10, 'spacing_m': 0.0008}),
        (plate_sinkage, {'spacing_m': 5e-5}),
        (cratering, {'spacing_m': 5e-5}),
        (bucket_drum, {'spacing_m': 1e-5}),
    ],
    ids=['wheel-rig', 'plate-sinkage', 'cratering', 'drum'],
)
def test_crm_testbed_beyond_memory_is_rejected(
    experiment: Any, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error states the required memory and an allowed spacing, which is then accepted."""
    monkeypatch.setattr(cost, 'machine_memory_gb', lambda: 24.0)
    asked = {'terrain_model': 'crm', **values}
    with pytest.raises(ValidationError, match=r'particles would need .* GB and up to .* hours on one core') as error:
        experiment.Settings.model_validate(asked)
    found = re.search(r'allowed: at least ([\de.-]+), for which 24 GB suffice', str(error.value))
    assert found is not None
    experiment.Settings.model_validate({**asked, 'spacing_m': float(found[1])})


def test_crm_cost_hours_follow_the_measured_rate() -> None:
    soil, settings = load_particle_soil('glass_beads'), Discretization(spacing_m=0.01)
    step = settings.step(soil.material())
    assert cost.hours(1e6, 2.0, step) == pytest.approx(2.0 * 1e6 / step / cost.PARTICLE_STEPS_PER_S / 3600.0)
    cost.refuse_too_many(1.0, 1e9, soil, settings)  # run time is not limited
