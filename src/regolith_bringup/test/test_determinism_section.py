# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Promises of ``world.determinism`` that cannot be kept are refused, with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from regolith_bringup.run import environment_pinning, launch_adapter
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_world import determinism
from regolith_world.determinism import LEVELS, TUNABLES, with_pins

CANNOT = {
    'world.on_failure=drop': 'world.on_failure drops participants',
    'vehicles.amber.driver={type: external}': 'vehicles.amber.driver is external',
    'world.input_barrier={topic: /amber/cmd_vel}': 'world.input_barrier waits for /amber/cmd_vel',
}


@pytest.mark.parametrize('level', LEVELS)
def test_every_level_is_accepted_without_external_inputs(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinism, 'unpinnable_reason', lambda: '')
    assert load_scenario('two_rovers', [f'world.determinism={level}']).scenario.world.determinism == level


@pytest.mark.seconds
def test_what_stands_close_is_checked_by_processes_that_are_not_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rover below a lander is placed to check for intersections."""
    monkeypatch.setattr(determinism, 'unpinnable_reason', lambda: '')
    monkeypatch.delenv(TUNABLES, raising=False)
    assert load_scenario('lander', ['world.determinism=cross_machine']).scenario.world.determinism == 'cross_machine'


@pytest.mark.parametrize('setting', CANNOT)
def test_what_comes_from_outside_or_from_the_clock_on_the_wall_is_refused(setting: str) -> None:
    for level in LEVELS:
        with pytest.raises(InputError) as refused:
            load_scenario('two_rovers', [f'world.determinism={level}', setting])
        said = str(refused.value)
        assert (
            f"world.determinism = '{level}': cannot be guaranteed: {CANNOT[setting]}" in said and '; allowed: ' in said
        )
    load_scenario('two_rovers', [setting])


def test_other_machines_are_refused_where_nothing_pins_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinism, 'unpinnable_reason', lambda: 'the elementary functions of the C library musl')
    load_scenario('two_rovers', ['world.determinism=cross_process'])
    with pytest.raises(InputError, match='cannot pin the elementary functions of the C library musl; allowed: cross_'):
        load_scenario('two_rovers', ['world.determinism=cross_machine'])


def test_a_process_that_was_not_started_pinned_does_not_run_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinism, 'unpinnable_reason', lambda: '')
    monkeypatch.delenv(TUNABLES, raising=False)
    scenario = load_scenario('two_rovers', ['world.determinism=cross_machine']).scenario
    with pytest.raises(InputError, match=f'started without pinned elementary functions; allowed: .*{TUNABLES}='):
        Simulation(scenario)
    with pytest.raises(InputError, match='started without pinned'):
        launch_adapter.prepared(
            {'scenario': 'two_rovers', 'set': 'world.determinism=cross_machine', 'out': str(tmp_path / 'run')}
        )
    assert not any(tmp_path.iterdir())
    started: list[dict[str, str]] = []
    monkeypatch.setattr(
        environment_pinning.os, 'execve', lambda path, arguments, environment: started.append(environment)
    )
    environment_pinning.restart_pinned(scenario)
    assert started == [with_pins(os.environ)]
    monkeypatch.setattr(environment_pinning.os, 'environ', with_pins(os.environ))
    environment_pinning.restart_pinned(scenario)
    assert len(started) == 1


def test_vehicle_without_a_drive_needs_no_driver_of_the_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    """It receives no commands, so the default driver is no cause of differences."""
    monkeypatch.setattr(determinism, 'unpinnable_reason', lambda: '')
    assert load_scenario('lander_site', ['world.determinism=cross_machine']).scenario.world.determinism
