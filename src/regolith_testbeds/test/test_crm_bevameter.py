# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the bevameter on CRM: sheared ring, curves, settings."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from pydantic import ValidationError

from regolith_terrain.crm import Discretization, ParticleSoil
from regolith_testbeds.crm.sheared_ring import Ring, ShearedRing, sheared_points
from regolith_testbeds.experiments import bevameter
from regolith_testbeds.soil_fit import read_curves

COARSE = Discretization(spacing_m=0.025, smoothing_ratio=1.2, artificial_viscosity=0.5)
SAND = ParticleSoil(name='sand', density_kgpm3=1600.0, youngs_modulus_pa=1e6, friction=0.6)


def started(workers: int = 1, most: float = 0.02) -> ShearedRing:
    """Return a coarse ring at its start."""
    return ShearedRing(Ring(0.1, 0.025, 3e3, 0.1, most), 9.81, SAND, COARSE, workers)


def nothing(done: int, total: int) -> None:
    assert 0 <= done <= total


def test_ring_has_torque_of_a_uniform_stress() -> None:
    """The integral of r dA of a thin ring is mean radius times area; of a disc 2/3 pi R^3."""
    thin = Ring(1.0001, 0.9999, 1.0, 1.0, 1.0)
    assert thin.lever == pytest.approx(thin.mean * thin.area, rel=1e-8)
    assert Ring(0.3, 0.0, 1.0, 1.0, 1.0).lever == pytest.approx(2.0 / 3.0 * math.pi * 0.3**3, rel=1e-12)


def test_sheared_points_are_means_of_equal_ranges() -> None:
    curve = np.column_stack([np.arange(10.0), 2.0 * np.arange(10.0), np.ones((10, 2))])
    assert sheared_points(curve, 5) == pytest.approx(np.array([[x, 2.0 * x] for x in (0.5, 2.5, 4.5, 6.5, 8.5)]))


@pytest.mark.slow
def test_sheared_ring_supports_its_load_and_slides_at_the_friction_of_the_soil() -> None:
    """The mean normal pressure is the load, to 3 % of its changes of momentum.

    The stress in steady flow is at most mu of the pressure, which the sides of the ring raise by up to a fifth, and
    at least three quarters of it: the ring slides on 25 mm particles.
    """
    run = started(2, most=0.05)
    while run.part < 1.0:
        run.advance(lambda part: None)
    slid, stress, pressure, depth = np.array(run.curve).T
    late = slid > 0.02
    assert slid[-1] >= 0.049 and depth[-1] > depth[0] > 0.0
    assert pressure[late].mean() == pytest.approx(3e3, rel=0.03)
    assert 0.75 * 0.6 < stress[late].mean() / 3e3 < 1.2 * 0.6


def test_sheared_ring_is_the_same_for_two_threads_and_from_a_checkpoint() -> None:
    one, two = started(), started(2)
    for run in (one, two):
        run.advance(lambda part: None)
    assert one.save() != started().save()
    again = started()
    again.load(one.save())
    for run in (one, two, again):
        run.advance(lambda part: None)
    states = [{**run._state(), 'bed': run.bed.save()} for run in (one, two, again)]
    for other in states[1:]:
        assert other['bed'] == states[0]['bed'] and other['ring'] == states[0]['ring']


@pytest.mark.slow
def test_crm_bevameter_writes_curves_of_plausible_soil(tmp_path: Path) -> None:
    """Coarse plates and rings: curves that soil-fit reads, and parameters of loose sand.

    Pressure rises with depth, less than linearly. The ring sinks continuously under 4 kPa, and its particles are half
    as wide as it, so the strength is only known to a factor of two; viscosity adds to it (docs/validation/crm.md).
    """
    file = tmp_path / 'curves.csv'
    values: dict[str, Any] = {
        'terrain_model': 'crm',
        'particle_soil': 'grc1',
        'spacing_m': 0.02,
        'plates_m': '0.08,0.14',
        'pressures_pa': '2000,4000',
        'ring_inner_m': 0.04,
        'shear_m': 0.02,
        'curves': str(file),
    }
    settings = bevameter.Settings.model_validate(values)
    (row,) = bevameter.run(settings, nothing)
    assert not row['incomplete'] and 0.1 < row['exponent'] < 1.0
    assert 0.0 < row['friction_angle_deg'] < math.degrees(math.asin(0.55))
    strength = row['cohesion_pa'] + 4e3 * math.tan(math.radians(row['friction_angle_deg']))
    assert 0.4 < strength / (0.55 * 4e3) < 1.2
    curves = read_curves(file)
    assert np.unique(curves['pressure'].of) == pytest.approx([0.04, 0.07])
    assert np.unique(curves['shear'].of) == pytest.approx([2e3, 4e3])
    axes = Figure().add_subplot()
    bevameter.draw(settings, [row], axes)
    assert len(axes.lines) == 4


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        ({'ring_outer_m': 0.2}, 'ring_outer_m = 0.2: does not apply to scm; allowed: with terrain_model crm'),
        ({'particle_soil': 'grc1'}, "particle_soil = 'grc1': does not apply to scm"),
        (
            {'terrain_model': 'crm', 'soil': 'grc1'},
            "soil = 'grc1': does not apply to crm; allowed: with terrain_model scm",
        ),
        (
            {'terrain_model': 'crm', 'ring_inner_m': 0.1},
            'ring_inner_m = 0.1: is too large; allowed: below ring_outer_m',
        ),
        ({'terrain_model': 'crm', 'spacing_m': 0.02}, 'allowed: at most a third of the ring, 0.01333'),
        ({'terrain_model': 'crm', 'plates_m': '0.03,0.1'}, 'allowed: at most a third of the smallest plate, 0.01'),
        ({'terrain_model': 'crm', 'spacing_m': 1e-4}, 'particles would need'),
    ],
)
def test_bad_settings_of_the_bevameter_are_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        bevameter.Settings.model_validate(values)


def test_interrupted_bevameter_has_no_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row without results names the checkpoint, and its plot has no curve."""
    stopped = [{'incomplete': True, 'checkpoint': 'file', 'curve': []}]
    monkeypatch.setattr(bevameter, 'sweep', lambda *_: stopped)
    settings = bevameter.Settings(terrain_model='crm')
    (row,) = bevameter.run(settings, nothing)
    assert row['incomplete'] and row['checkpoint'] == 'file' and 'k_phi' not in row
    axes = Figure().add_subplot()
    bevameter.draw(settings, [row], axes)
    assert not axes.lines
