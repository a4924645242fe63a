# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a wheel that climbs slopes on SCM, CRM and DEM."""

from __future__ import annotations

import json
import math
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds.dem import climb as grain_climb
from regolith_testbeds.experiments import wheel_rig
from regolith_testbeds.slope_climb import WheelRig, load_wheel_rig, measured

KEYS = {
    'terrain_model',
    'rig',
    'slope_deg',
    'slip',
    'slip_drift',
    'steady',
    'sinkage_m',
    'speed_mps',
    'torque_nm',
    'power_w',
    'cost_of_transport',
    'normal_force_n',
    'gravity_mps2',
    'omega_radps',
    'elements',
    'steps',
    'step_s',
    'simulated_s',
    'wall_s',
    'largest_overlap',
    'track',
    'incomplete',
    'device',
}
SMALL = {
    'radius_m': 0.045,
    'width_m': 0.04,
    'grousers': 12,
    'grouser_height_m': 0.01,
    'grouser_thickness_m': 0.003,
    'mass_kg': 0.4,
    'omega_radps': 4.0,
    'trough': {'length_m': 0.21, 'width_m': 0.06, 'depth_m': 0.025},
    'settle_s': 0.05,
    'spin_up_s': 0.05,
    'drive_s': 0.3,
}
# On a graphics card, results differ by rounding, which a grain bed amplifies: all tests here run on the CPU.
COARSE: dict[str, dict[str, Any]] = {
    'scm': {'grid_spacing_m': 0.01},
    'crm': {
        'device': 'cpu',
        'spacing_m': 0.01,
        'particle_soil': {'density_kgpm3': 1760.0, 'youngs_modulus_pa': 1e5, 'friction': 0.793},
    },
    'dem': {'grains': {'shape': 'sphere', 'radius_m': 0.004, 'youngs_modulus_pa': 5e6}},
}


def settings(ground: str, /, **values: Any) -> wheel_rig.Settings:
    return wheel_rig.Settings.model_validate(
        {'terrain_model': ground, 'rig': SMALL, 'slope_deg': '10', 'threads': 1, **COARSE[ground], **values}
    )


def climbed(ground: str, **values: Any) -> list[dict[str, Any]]:
    ticks: list[tuple[int, int]] = []
    rows = wheel_rig.run(settings(ground, **values), lambda *tick: ticks.append(tick))
    assert ticks[-1][0] == ticks[-1][1] and [t[0] for t in ticks] == sorted(t[0] for t in ticks)
    return rows


def figures(row: dict[str, Any]) -> str:
    """Return the parts of a row that are identical in another run of the same settings."""
    return json.dumps({key: value for key, value in row.items() if key != 'wall_s'})


@pytest.mark.seconds
@pytest.mark.parametrize('ground', ['scm', 'crm', 'dem'])
def test_climb_rows_have_the_same_keys_for_any_terrain_model(ground: str) -> None:
    row = climbed(ground)[0]
    assert set(row) == KEYS and row['incomplete'] is False and row['device'] == 'cpu'
    assert row['terrain_model'] == ground and row['slope_deg'] == 10.0 and row['steps'] > 100
    assert -0.5 < row['slip'] < 1.0
    # A climb ends with the drive, within one sample.
    assert row['simulated_s'] == pytest.approx(row['steps'] * row['step_s']) and row['simulated_s'] == pytest.approx(
        0.35, abs=2.0 * row['step_s'] if ground == 'scm' else 0.011
    )
    assert row['slip'] == pytest.approx(1.0 - row['speed_mps'] / (4.0 * 0.055))
    assert row['power_w'] == pytest.approx(4.0 * row['torque_nm'])
    # The wheel is driven, sinks in, and stays in while it climbs.
    assert row['torque_nm'] > 0.0 and 0.0 < row['sinkage_m'] < 0.02 and row['track'][-1][1] > 0.0
    # Support force across the slope, except for bounces on a short path.
    assert row['normal_force_n'] == pytest.approx(0.4 * 9.81 * math.cos(math.radians(10.0)), rel=0.15)


def test_climb_slip_and_its_drift_follow_the_track() -> None:
    """For a path v t + a t^2 / 2, slip and its change follow."""
    rig = WheelRig.model_validate({'settle_s': 1.0, 'drive_s': 10.0, 'averaging_fraction': 0.4})
    t = np.linspace(0.0, 11.0, 1101)
    for a, steady in ((0.0, True), (-4e-3, False)):
        way = 0.1 * t + 0.5 * a * t**2
        samples = np.stack((t, way, 0.02 + 0.0 * t, 5.0 + 0.0 * t, 170.0 + 0.0 * t), axis=1)
        found = measured(rig, samples)
        # Over the last 4 s with the middle at 9 s; its halves are 2 s apart except for half a sample; rate times 0.255
        # m is 0.204 m/s.
        assert found['slip'] == pytest.approx(1.0 - (0.1 + 9.0 * a) / 0.204, abs=1e-9)
        assert found['slip_drift'] == pytest.approx(-2.0 * a / 0.204, rel=3e-3) and found['steady'] is steady
        assert found['sinkage_m'] == pytest.approx(0.02) and found['power_w'] == pytest.approx(4.0)
        speed = found['speed_mps']
        assert found['cost_of_transport'] == pytest.approx(4.0 / (17.5 * 9.81 * speed))
    assert measured(rig, samples[:50])['slip'] is None


def test_climb_times_scale_with_gravity() -> None:
    rig = load_wheel_rig('grc1_mgru3')
    trough = {'length_m': 2.25, 'width_m': 0.4, 'depth_m': 0.12}
    assert rig == WheelRig.model_validate({'name': 'grc1_mgru3', 'trough': trough, 'drive_s': 9.0, 'scm_drive_s': 40.0})
    moon = rig.under(1.62)
    assert moon.drive_s == pytest.approx(9.0 * math.sqrt(9.81 / 1.62)) and moon.omega_radps == 0.8
    values = {'slope_deg': 5, 'gravity_mps2': 1.62, 'omega_radps': 0.3251}
    made = {g: wheel_rig.Settings.model_validate({**values, 'terrain_model': g}).climbing_rig() for g in ('scm', 'crm')}
    assert made['crm'] == moon.model_copy(update={'omega_radps': 0.3251})
    # The drive is longer on the soil grid.
    assert made['scm'].drive_s == pytest.approx(40.0 * math.sqrt(9.81 / 1.62))


@pytest.mark.slow
def test_scm_climb_slip_matches_measurements() -> None:
    """Slip is within 0.10 of Hu et al. (2024) for a prototype wheel on GRC-1 up to 10 deg, and within 0.25 above.

    SCM has no model of the soil flow below the wheel, so the tolerance is wider. The wheel must dig in where the slope
    approaches the soil strength.
    """
    measured_slip = {5.0: 0.052, 10.0: 0.135, 15.0: 0.434, 20.0: 0.756, 25.0: 0.885}
    climb = wheel_rig.Settings.model_validate({'slope_deg': tuple(measured_slip)})
    slips = [row['slip'] for row in wheel_rig.run(climb, lambda *tick: None)]
    assert slips == sorted(slips)
    for slip, (slope, known) in zip(slips, measured_slip.items(), strict=True):
        assert slip == pytest.approx(known, abs=0.10 if slope <= 10.0 else 0.25), slope


@pytest.mark.seconds
def test_crm_climb_on_the_moon_scales_only_the_time() -> None:
    """Without cohesion and with equal relative stiffness, lunar gravity scales all rates by the root of gravity.

    Slips and powers over m g v therefore agree to rounding, which soil contact amplifies.
    """
    rows = []
    for g in (9.81, 1.62):
        stiff = {**COARSE['crm']['particle_soil'], 'youngs_modulus_pa': 1e5 * g / 9.81}
        rows += climbed('crm', gravity_mps2=g, omega_radps=4.0 * math.sqrt(g / 9.81), particle_soil=stiff)
    earth, moon = rows
    assert moon['steps'] == earth['steps']
    assert moon['simulated_s'] == pytest.approx(earth['simulated_s'] * math.sqrt(9.81 / 1.62), rel=1e-9)
    for key in ('slip', 'cost_of_transport', 'sinkage_m'):
        assert moon[key] == pytest.approx(earth[key], rel=1e-6), key


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        ({'slip': 0.2}, r'slope_deg = 10.0: cannot be combined with slip 0.2; allowed: one of the two'),
        ({'slope_deg': '5,50'}, r'slope_deg = 50.0: is out of range; allowed: -45 to 45'),
        ({'terrain_model': 'crm', 'spacing_m': 0.3}, r'spacing_m 0.3: is too coarse; allowed: at most 0.025'),
        ({'terrain_model': 'dem', 'grains': {'radius_m': 0.06}}, 'radius_m 0.06 of grains; allowed'),
        ({'load_n': 100.0}, r'load_n = 100.0: does not apply to slope_deg; allowed: with slip, or in rig'),
        ({'terrain_model': 'crm', 'duration_s': 30.0}, r'length_m 0.21 of the trough is too short; allowed: at least'),
        ({'spacing_m': 0.02}, "spacing_m: does not apply to terrain_model 'scm'; allowed: with terrain_model 'crm'"),
        (
            {'terrain_model': 'crm', 'soil': 'grc1'},
            "soil: does not apply to terrain_model 'crm'; allowed: with terrain_model 'scm'",
        ),
        ({'rig': 'mud'}, 'no such wheel rig'),
        ({'rig': {'scm_soil': 'mud'}}, 'no such soil'),
        ({'terrain_model': 'crm', 'rig': {'particle_soil': 'mud'}}, 'no such particle soil'),
        (
            {'slope_deg': None, 'rig': {}, 'terrain_model': 'crm'},
            "terrain_model = 'crm': applies only when slope_deg is set; allowed: with slope_deg",
        ),
        ({'slope_deg': None}, 'rig = .*: applies only when slope_deg is set; allowed: with slope_deg'),
        ({'resume': 'nowhere'}, r'nowhere: no such file .*; allowed: a checkpoint'),
        (
            {'checkpoint': '/nowhere/at/all'},
            "checkpoint = '/nowhere/at/all': cannot be written; allowed: a file in a folder that can be written to",
        ),
    ],
)
def test_climb_invalid_settings_are_rejected(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        settings(str(values.get('terrain_model', 'scm')), **values)


@pytest.mark.seconds
@pytest.mark.parametrize('ground', ['crm', 'dem'])
def test_climb_results_are_independent_of_threads(ground: str) -> None:
    assert figures(climbed(ground, duration_s=0.15)[0]) == figures(climbed(ground, duration_s=0.15, threads=2)[0])


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('ground', 'at'),
    [
        ('scm', 0.7),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (('crm', 0.8), ('dem', 0.85))),
    ],
)
def test_climb_resumes_bit_identically(ground: str, at: float, tmp_path: Path) -> None:
    values = {'slope_deg': '0,10', 'duration_s': 0.15, 'checkpoint': str(tmp_path / 'climb')}

    def stop(done: int, total: int) -> None:
        if done > at * total and not (tmp_path / 'pressed').exists():
            (tmp_path / 'pressed').touch()
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    whole = climbed(ground, **values)
    first, stopped = wheel_rig.run(settings(ground, **values), stop)
    assert figures(first) == figures(whole[0]) and signal.getsignal(signal.SIGINT) is before
    assert stopped['incomplete'] is True and set(stopped) == {*KEYS, 'checkpoint'}
    assert 0 < stopped['steps'] < whole[1]['steps']
    with pytest.raises(ValidationError, match=r'duration_s = 0.2: differs from the checkpoint .*; allowed: 0.15'):
        settings(ground, **{**values, 'resume': stopped['checkpoint'], 'duration_s': 0.2})
    # The checkpoint contains the settings.
    again = wheel_rig.Settings.model_validate({'resume': stopped['checkpoint'], 'threads': 2})
    rows = wheel_rig.run(again, lambda *tick: None)
    assert [figures(row) for row in rows] == [figures(row) for row in whole]


@pytest.mark.slow
def test_climb_stopped_during_filling_restarts_the_filling(tmp_path: Path) -> None:
    values = {'duration_s': 0.15, 'checkpoint': str(tmp_path / 'climb')}
    whole = climbed('dem', **values)
    grain_climb._beds.clear()  # forces the bin to be filled

    def stop(done: int, total: int) -> None:
        if 0.05 * total < done and not (tmp_path / 'pressed').exists():
            (tmp_path / 'pressed').touch()
            signal.raise_signal(signal.SIGINT)

    (stopped,) = wheel_rig.run(settings('dem', **values), stop)
    assert stopped['incomplete'] is True and stopped['steps'] is None and stopped['slip'] is None
    rows = climbed('dem', **values, resume=stopped['checkpoint'])
    assert [figures(row) for row in rows] == [figures(row) for row in whole]
