# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the allocation of vehicles to processes, and of invalid values."""

from __future__ import annotations

import pytest

from regolith_bringup.run.node_plan import node_specs
from regolith_bringup.run.process_allocation import allocate_processes, parse_processes
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError

FIVE = ('amber', 'basalt', 'chert', 'dacite', 'eclogite')


@pytest.mark.parametrize('text', ['one', 'many', 'auto'])
def test_names_stand_for_themselves(text: str) -> None:
    assert parse_processes(text) == text


def test_numbers_are_taken() -> None:
    assert [parse_processes(text) for text in ('1', '4', '1000')] == [1, 4, 1000]


@pytest.mark.parametrize('text', ['', '0', '-1', '1.5', '1001', 'two', 'Auto', '²', ' 2'])
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_processes(text)
    (line,) = str(error.value).splitlines()
    assert line.startswith('--processes') and 'a number from 1 to 1000, one, many, auto' in line


def test_vehicles_are_distributed_over_the_requested_processes() -> None:
    assert allocate_processes(2, FIVE, cores=2).groups == (('amber', 'chert', 'eclogite'), ('basalt', 'dacite'))
    assert allocate_processes(1, FIVE, cores=2).groups == (FIVE,)
    assert allocate_processes(9, FIVE, cores=2) == allocate_processes(5, FIVE, cores=2), 'no process stays empty'
    assert allocate_processes(4, (), cores=2).groups == ()


def test_auto_takes_a_process_for_each_core_and_one_for_all_where_either_are_few() -> None:
    assert allocate_processes('auto', FIVE, cores=2).processes == 'one'
    assert allocate_processes('auto', FIVE, cores=3).groups == allocate_processes(3, FIVE, cores=3).groups
    assert allocate_processes('auto', FIVE, cores=4).processes == '4'
    assert allocate_processes('auto', FIVE, cores=64).processes == '5'
    assert allocate_processes('auto', FIVE, cores=1).processes == 'one'
    assert allocate_processes('auto', FIVE[:3], cores=16).processes == 'one'


def test_cores_beyond_the_processes_go_to_threads() -> None:
    assert allocate_processes(2, FIVE, cores=7).threads == 3
    assert allocate_processes(4, FIVE, cores=2).threads == 1


def test_a_plan_has_a_process_for_each_group() -> None:
    scenario = load_scenario('two_rovers').scenario
    specs = {s.label: s for s in node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1', 1)}
    assert list(specs) == ['regolith/recorder', 'regolith/world', 'regolith/terrain', 'regolith/fleet_0']
    fleet = specs['regolith/fleet_0']
    assert (fleet.executable, fleet.parameters['vehicles']) == ('vehicle_node', ['amber', 'basalt'])
    assert specs['regolith/world'].parameters['processes'] == '1'
