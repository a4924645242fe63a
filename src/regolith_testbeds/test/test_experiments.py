# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the testbeds of single wheels and plates."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from regolith_terrain.config import load_soil
from regolith_testbeds.experiments import bevameter, bucket_drum, multipass, plate_sinkage, wheel_rig
from regolith_testbeds.settings import reference_rows
from regolith_testbeds.slope_settings import OF_CLIMBS, OF_GROUND


def run(module: Any, **values: Any) -> list[dict[str, Any]]:
    ticks: list[tuple[int, int]] = []
    rows: list[dict[str, Any]] = module.run(module.Settings.model_validate(values), lambda *tick: ticks.append(tick))
    assert ticks[-1][0] == ticks[-1][1] and [t[0] for t in ticks] == sorted(t[0] for t in ticks)
    return rows


def test_wheel_rig_in_reference_mode_matches_chrono() -> None:
    rows = run(wheel_rig, soil='chrono_lunar', load_n=200, slip='0.15,0.5', scm_mode='reference')
    for row, slip in zip(rows, ('0.15', '0.5'), strict=True):
        theirs = reference_rows('scm_slip', soil='lunar', load_N='200', slip=slip, geometry='exact')[0]
        assert row['slip'] == float(slip)
        # The tolerance of the project is 1 %; agreement of more digits shows that the definitions are equal.
        for key, column in (
            ('drawbar_pull_n', 'drawbar_pull_N'),
            ('torque_nm', 'driving_torque_Nm'),
            ('sinkage_m', 'axle_sinkage_m'),
            ('normal_load_n', 'soil_Fz_N'),
        ):
            assert row[key] == pytest.approx(float(theirs[column]), rel=2e-4)


@pytest.mark.parametrize('soil', ['dry_sand', 'clay', 'lunar_nominal'])
def test_bevameter_recovers_the_soil_parameters(soil: str) -> None:
    row = run(bevameter, soil=soil)[0]
    true = load_soil(soil)
    for key in ('k_c', 'k_phi', 'exponent', 'cohesion_pa', 'friction_angle_deg', 'janosi_shear_m'):
        assert row[key] == pytest.approx(getattr(true, key), rel=1e-6), key


def test_plate_sinkage_matches_bekker() -> None:
    for row in run(plate_sinkage, soil='chrono_sandmid', load_n='500,2000', a_m=0.11, b_m=0.11):
        # Small bounces of the plate on the elastic spring push the soil 0.2 % deeper than the static load.
        assert row['sinkage_m'] == pytest.approx(row['bekker_sinkage_m'], rel=3e-3)
        assert row['sinkage_unloaded_m'] < row['sinkage_m'] <= row['sinkage_reloaded_m'] * (1.0 + 1e-9)


@pytest.mark.parametrize('mode', ['regolith', 'reference'])
def test_multipass_added_sinkage_decreases(mode: str) -> None:
    rows = run(multipass, soil='chrono_lunar', load_n=500, slip=0.2, passes=3, scm_mode=mode, grid_spacing_m=0.015)
    added = [row['added_m'] for row in rows]
    assert added[0] > 2.0 * added[1] > 0.0 and added[1] > added[2] > -1e-6
    # In reference mode the terrain stores shear: a following wheel has the full pull from the first centimeter.
    if mode == 'reference':
        assert rows[1]['drawbar_pull_n'] > 1.2 * rows[0]['drawbar_pull_n']


@pytest.mark.parametrize(
    ('module', 'values', 'said'),
    [
        (wheel_rig, {'slip': '0.1,1.5'}, 'slip.1 = 1.5: is out of range; allowed'),
        (wheel_rig, {'soil': 'mud'}, 'no such soil'),
        (wheel_rig, {'grid_spacing_m': 'fine'}, 'valid number'),
        (wheel_rig, {'wheel': 1}, 'Extra inputs'),
        (wheel_rig, {'grousers': 12, 'grouser_height_m': 0.3}, 'allowed: below the radius'),
        (plate_sinkage, {'load_n': '-1'}, 'load_n.0 = -1.0: is out of range; allowed'),
        (bevameter, {'plates_m': '0.1'}, 'at least two different numbers'),
    ],
)
def test_experiment_invalid_setting_is_named(module: Any, values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        module.Settings.model_validate(values)


@pytest.mark.seconds
@pytest.mark.parametrize('module', [wheel_rig, plate_sinkage, bevameter, multipass])
def test_testbed_draw_gives_a_labeled_plot(module: Any) -> None:
    from matplotlib.figure import Figure

    settings = module.Settings.model_validate({'soil': 'chrono_lunar', 'grid_spacing_m': 0.03, 'dt_s': 2e-3})
    axes = Figure().add_subplot()
    module.draw(settings, module.run(settings, lambda *tick: None), axes)
    assert axes.lines and axes.get_xlabel() and axes.get_ylabel() and axes.get_title()


@pytest.mark.parametrize(
    ('model', 'names'),
    [
        (bucket_drum.Settings, [name for names in bucket_drum._OF_GROUND.values() for name in names]),
        (plate_sinkage.Settings, [name for names in plate_sinkage._OF_GROUND.values() for name in names]),
        (bevameter.Settings, [name for names in bevameter._OF_GROUND.values() for name in names]),
        (
            wheel_rig.Settings,
            [*wheel_rig._OF_SLIP, *OF_CLIMBS, *(name for names in OF_GROUND.values() for name in names)],
        ),
    ],
)
def test_settings_of_one_terrain_model_exist(model: type[BaseModel], names: list[str]) -> None:
    """A name that is not a setting would never be rejected with another terrain model."""
    assert len(names) > 5
    assert set(names) <= set(model.model_fields)
