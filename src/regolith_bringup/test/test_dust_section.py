# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``dust`` of a scenario: values that are refused before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError


@pytest.mark.parametrize(
    ('key', 'value', 'allowed'),
    [
        ('extinction_m2pkg', '0', 'greater than or equal to 0.01'),
        ('extinction_m2pkg', '.nan', ''),
        ('lofted_fraction', '-1.0e-4', 'greater than 0'),
        ('lofted_fraction', '1.0', 'less than or equal to 0.1'),
        ('threshold_mps', '0', 'greater than or equal to 0.001'),
        ('parcel_mass_kg', '1.0e-20', 'greater than or equal to 0.000000000001'),
        ('parcel_mass_kg', '.inf', ''),
        ('soil_density_kgpm3', '1.0e9', 'less than or equal to 10000'),
        ('max_parcels', '1000000000', 'less than or equal to 1000000'),
        ('max_parcels', '1.0e9', 'less than or equal to 1000000'),
        ('max_parcels', '2.5', 'a valid integer'),
        ('max_parcels', 'many', ''),
        ('air_viscosity_pas', '-1.0e-5', 'greater than or equal to 0'),
        ('air_viscosity_pas', '18', 'less than or equal to 0.001'),
        ('opacity', '1', ''),
    ],
)
def test_bad_values_of_dust_are_refused(tmp_path: Path, key: str, value: str, allowed: str) -> None:
    """The message names file, line, key, value and what is allowed."""
    file = tmp_path / 'dusty.yaml'
    file.write_text(f'terrain: {{source: flat}}\nvehicles: {{amber: {{model: viper}}}}\ndust:\n  {key}: {value}\n')
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    text = str(caught.value)
    assert 'dusty.yaml:4' in text and f'dust.{key}' in text and allowed in text


def test_dust_is_off_without_its_section(tmp_path: Path) -> None:
    """Without the section there is no dust; an empty one has the defaults."""
    file = tmp_path / 'dusty.yaml'
    file.write_text('terrain: {source: flat}\nvehicles: {amber: {model: viper, position: [0, 0]}}\n')
    assert load_scenario(file).scenario.dust is None
    dust = load_scenario(file, ['dust={}']).scenario.dust
    assert dust is not None and dust.extinction_m2pkg == 12.1


def test_dust_that_no_sensor_sees_is_noted(tmp_path: Path) -> None:
    file = tmp_path / 'dusty.yaml'
    file.write_text('terrain: {source: flat}\nvehicles: {amber: {model: viper, position: [0, 0]}}\ndust: {}\n')
    (line,) = load_scenario(file).notices
    assert line.endswith(
        'dusty.yaml:3: note: dust: has no effect, because no vehicle has a sensor; fix: a sensor that sees it'
    )
    eye = 'vehicles.amber.sensors={eye: {model: navcam, mount: {xyz: [0.6, 0.0, 2.2]}}}'
    assert load_scenario(file, [eye]).notices == ()
