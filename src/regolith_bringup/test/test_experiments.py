# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith experiment``: JSON on stdout, exit codes, pictures, errors that name key, value and what is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regolith_bringup.cli import main
from regolith_bringup.commands.extensions import experiments


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(['experiment', *words])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


def sets(**values: Any) -> list[str]:
    return [word for key, value in values.items() for word in ('--set', f'{key}={value}')]


def test_the_names_of_the_contract() -> None:
    assert {'plate-sinkage', 'wheel-rig', 'bevameter', 'slope', 'multipass'} <= set(experiments())


def test_wheel_rig_gives_an_object_for_one_slip_and_a_list_for_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    rig = sets(soil='chrono_sandmid', load_n=200, radius_m=0.2, width_m=0.2, omega_radps=1.0, grid_m=0.02, dt_s=1e-3,
               mode='reference')
    keys = {'slip', 'normal_load_n', 'drawbar_pull_n', 'torque_nm', 'sinkage_m'}
    code, out, _ = call(capsys, 'wheel-rig', *rig, *sets(slip=0.3), '--json')
    one = json.loads(out)
    assert code == 0 and keys <= set(one)
    code, out, _ = call(capsys, 'wheel-rig', *rig, *sets(slip='0.1,0.3'), '--json')
    assert code == 0 and json.loads(out)[1] == one and json.loads(out)[0]['drawbar_pull_n'] < one['drawbar_pull_n']


def test_plate_sinkage_and_slope(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, 'plate-sinkage', *sets(soil='chrono_lunar', load_n=500, grid_m=0.03), '--json')
    assert code == 0 and {'load_n', 'sinkage_m'} <= set(json.loads(out))
    code, out, _ = call(capsys, 'slope', *sets(slope_deg=5, duration_s=4, grid_m=0.04), '--json')
    assert code == 0 and {'slope_deg', 'slip', 'speed_mps'} <= set(json.loads(out))


@pytest.mark.seconds
def test_a_picture_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / 'rig.png'
    code, _, _ = call(
        capsys, 'wheel-rig', *sets(soil='chrono_lunar', slip='0.1,0.4', grid_m=0.03), '--plot', str(picture)
    )
    assert code == 0 and picture.read_bytes().startswith(b'\x89PNG') and picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['wheel-rigg'], ['wheel-rig?']),
        (['wheel-rig', *sets(slipp=0.1)], ['slipp', '0.1', 'unknown key', 'did you mean slip?']),
        (['wheel-rig', *sets(soil='mud')], ['mud', 'allowed', 'lunar_nominal']),
        (['wheel-rig', *sets(slip=1.5)], ['slip 1.5', 'below 1.0']),
        (['wheel-rig', *sets(mode='other')], ['mode', 'other', 'reference']),
        (['slope', *sets(model='vipr')], ['vipr', 'viper']),
        (['multipass', *sets(passes=0)], ['passes', '0', 'greater than or equal to 1']),
        (['wheel-rig', '--set', 'slip={'], ['--set', 'slip', 'is not YAML']),
        (['wheel-rig', '--set', 'slip'], ['--set slip', 'name=value']),
        (['wheel-rig', '--plot', 'nowhere/rig.jpg'], ['nowhere/rig.jpg', '.png']),
        (['wheel-rig', *sets(soil='chrono_lunar', load_n=1e6)], ['experiment wheel-rig', 'load']),
    ],
)
def test_bad_input_is_named(capsys: pytest.CaptureFixture[str], words: list[str], said: list[str]) -> None:
    code, out, err = call(capsys, *words, '--json')
    assert code == 2 and out == ''
    for text in said:
        assert text in err
