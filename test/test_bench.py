# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks measure what they state; whether the results are good is not checked here."""

from __future__ import annotations

import json
import subprocess
from functools import partial

import pytest
from harness import command, environment, finished, new_domain

from regolith_bringup.bench import driving, vehicle_cost
from regolith_bringup.bench.cycle_rate import cycle_rate, in_processes

pytestmark = pytest.mark.ros


def _bench(name: str) -> subprocess.CompletedProcess[str]:
    return finished(command('bench', name, '--json'), environment(new_domain()))


@pytest.mark.alone
@pytest.mark.slow
def test_cycle_rate_counts_whole_cycles_in_one_process_and_in_many() -> None:
    """Function calls are faster than topics by a factor of ten or more; two is what no busy machine hides."""
    result = cycle_rate(agents=(2,), cycles=200)
    assert list(result['one_process']) == list(result['many_processes']) == ['2'] and not result['four_processes']
    assert result['one_process']['2'] > 2.0 * result['many_processes']['2'] > 0.0 and result['machine_score'] > 0.0


@pytest.mark.alone
@pytest.mark.slow
def test_many_agents_share_few_processes() -> None:
    """24 agents in three processes, whole cycles: more than one for each would bring this machine to its knees."""
    assert in_processes(24, 3, 100) > 0.0


@pytest.mark.slow
def test_a_rover_costs_more_than_one_of_its_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results of the contract. A rover is four wheels, 1000 times a simulated second."""
    monkeypatch.setattr(driving, 'FLEETS', (1, 2))
    monkeypatch.setattr(driving, 'fleet_speed', partial(driving.fleet_speed, simulated_s=0.2, repeats=1))
    result = driving.scm()
    assert result['us_per_wheel_step'] > 0.0 and result['contact_nodes'] > 10
    assert result['viper_compute_per_sim_s'] > 1e3 * 1e-6 * result['us_per_wheel_step']
    assert result['real_time_factor_by_vehicles'].keys() == {'1', '2'}


@pytest.mark.seconds
def test_vehicle_time_is_reported_part_by_part() -> None:
    """The parts of the loop are its time; messages come on top, and the machine is timed with it."""
    result = vehicle_cost.vehicles(simulated_s=0.1, repeats=1, names=('rassor',), rovers=())
    assert result['machine_score'] > 0.0 and result['vehicles'].keys() == {'rassor'}
    for ground in ('soil', 'rigid'):
        found = result['vehicles']['rassor'][ground]
        split = found['split_ms_per_s']
        assert split.pop('messages') > 0.0 and all(part > 0.0 for part in split.values())
        assert sum(split.values()) == pytest.approx(1e3 / found['real_time_factor'])


@pytest.mark.alone
@pytest.mark.slow
def test_radios_are_measured_while_twenty_robots_receive_each_other() -> None:
    """200 broadcasts a second to 19 receivers each, most of which they reach: the tiles between some cost too much.

    Standard output holds JSON and nothing else; human-readable text goes to stderr.
    """
    done = _bench('comms')
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert 'comms' in done.stderr
    assert result['relay_recompute_ms'] > 0.0 and result['attempt_us'] > 0.0
    assert result['node_core_fraction'] > 0.0 and 2500.0 < result['node_delivered_per_s'] < 4200.0


def test_an_unknown_benchmark_is_bad_input() -> None:
    """Exit code 2, and the names there are."""
    done = _bench('cycle-rates')
    assert done.returncode == 2
    assert 'cycle-rate,' in done.stderr and 'two_rovers' in done.stderr
    assert done.stdout == ''
