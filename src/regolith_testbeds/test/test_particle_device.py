# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the device of testbeds with particles."""

from __future__ import annotations

from pathlib import Path

import pytest

from regolith_terrain.crm import device_selection
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_testbeds import resumable_runs, slope_settings
from regolith_testbeds.crm import column_collapse, impact, mirror_symmetry, plate_press
from regolith_testbeds.experiments import angle_of_repose, cratering, plate_sinkage, wheel_rig


def test_testbeds_use_the_selected_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Covers every testbed with particles."""
    asked: list[str] = []

    def bed_class(device: str) -> type[ParticleBed]:
        asked.append(device)
        return ParticleBed

    monkeypatch.setattr(device_selection, 'missing_gpu_requirement', lambda: None)
    for module in (column_collapse, impact, mirror_symmetry):
        monkeypatch.setattr(module, 'bed_class', bed_class)
    values = {'terrain_model': 'crm', 'device': 'cuda'}
    slope = wheel_rig.Settings.model_validate({**values, 'slope_deg': 5, 'spacing_m': 0.05})
    slope_settings.GROUNDS['crm'][1](slope, slope.climbing_rig(), 5.0)
    angle_of_repose.GROUNDS['crm'](angle_of_repose.Settings.model_validate({**values, 'element_count': 200}), 0.4)
    for model, bench, some in (
        (cratering, impact.Impact, {'spacing_m': 0.006}),
        (plate_sinkage, plate_press.Press, {'spacing_m': 0.06, **values}),
    ):
        monkeypatch.setattr(bench, 'part', 1.0)
        assert model.run(model.Settings.model_validate({**values, **some}), lambda *tick: None)[0]['device'] == 'cuda'
    assert asked == ['cuda'] * 4


def test_checkpoint_keeps_its_device_unless_another_is_set(tmp_path: Path) -> None:
    given = {'terrain_model': 'crm', 'device': 'cpu', 'checkpoint': str(tmp_path / 'column')}
    file = resumable_runs._write(angle_of_repose.Settings.model_validate(given), [], b'')
    assert angle_of_repose.Settings.model_validate({'resume': str(file)}).device == 'cpu'
    assert angle_of_repose.Settings.model_validate({'resume': str(file), 'device': 'auto'}).device == 'auto'


def test_testbeds_refuse_a_missing_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_selection, 'missing_gpu_requirement', lambda: 'a reason')
    for model, values in (
        (angle_of_repose.Settings, {'terrain_model': 'crm'}),
        (wheel_rig.Settings, {'terrain_model': 'crm', 'slope_deg': 5}),
    ):
        assert model.model_validate({**values, 'device': 'cpu'}).device == 'cpu'
        with pytest.raises(ValueError, match=r"device 'cuda' requires a reason; allowed: 'cpu', 'auto'"):
            model.model_validate({**values, 'device': 'cuda'})
    with pytest.raises(ValueError, match="allowed: with terrain_model 'crm'"):
        wheel_rig.Settings.model_validate({'terrain_model': 'dem', 'slope_deg': 5, 'device': 'cpu'})
