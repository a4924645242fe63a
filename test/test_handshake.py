# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A participant with another terrain may not join; a response that was lost is sent again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from harness import Observer, environment, new_domain, vehicle, write_scenario

from regolith_bringup.run.node_plan import NodeSpec, node_specs
from regolith_bringup.run.node_processes import NodeProcess, end_all
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_world.determinism import with_pins

pytestmark = pytest.mark.ros


def _plan(folder: Path, name: str, *settings: str) -> list[NodeSpec]:
    scenario = load_scenario(
        write_scenario(folder, {'amber': vehicle(0.0, 0.0)}, name), settings, record=False
    ).scenario
    resolved = folder / f'{name}.resolved.yaml'
    write_resolved(scenario, resolved)
    return node_specs(scenario, resolved, folder)


def refused(plan_of_run: list[NodeSpec], agent: NodeSpec, pin: bool = False) -> list[tuple[str, str]]:
    """Return what nodes said by the time an agent left, which the world of a run refused; the run's ground stays.

    Args:
        pin: whether the agent is pinned as other machines need it
    """
    world_and_ground = [s for s in plan_of_run if s.executable != 'vehicle_node']
    said: list[tuple[str, str]] = []
    surroundings = environment(new_domain())
    nodes: list[NodeProcess] = []
    try:
        nodes.extend(
            NodeProcess(
                spec,
                with_pins(surroundings) if pin and spec is agent else surroundings,
                lambda label, line: said.append((label, line)),
            )
            for spec in (*world_and_ground, agent)
        )
        # Starting four interpreters takes a few seconds on a slow machine; the refusal itself none.
        until = time.monotonic() + 30.0
        while nodes[-1].running and time.monotonic() < until:
            time.sleep(0.05)
        nodes[-1].join_output()
        assert nodes[-1].code == 3, said
        assert any(label == 'regolith/world' and 'refused amber' in line for label, line in said)
        assert nodes[0].running and nodes[1].running
    finally:
        end_all(nodes, 0.0)
    return said


def agent_of(plan_of_run: list[NodeSpec]) -> NodeSpec:
    (agent,) = (s for s in plan_of_run if s.executable == 'vehicle_node')
    return agent


@pytest.mark.slow
def test_another_soil_is_refused_naming_parameter_and_values(tmp_path: Path) -> None:
    """One value of eight differs: the agent leaves with code 3 and says which, its own and the world's."""
    other = agent_of(_plan(tmp_path, 'wrong', 'terrain.soil.cohesion_pa=250.0'))
    said = refused(_plan(tmp_path, 'right'), other)
    (line,) = (line for label, line in said if label == 'amber/agent' and 'soil.cohesion_pa' in line)
    assert 'soil.cohesion_pa is 250.0 at amber but 170.0 at terrain' in line
    assert not any('soil.' in line and 'cohesion_pa' not in line for _, line in said)


@pytest.mark.slow
def test_an_agent_that_is_pinned_is_refused_by_a_run_that_is_not(tmp_path: Path) -> None:
    """Or the other way round: of one run, all promise the same bits on other machines, or none does."""
    run = _plan(tmp_path, 'loose')
    said = refused(run, agent_of(run), pin=True)
    assert any(
        'arithmetic is ' in line and ' at amber but as the processor has it at terrain' in line for _, line in said
    )


def test_participant_that_missed_the_response_may_request_it_again(tmp_path: Path) -> None:
    """The same process gets the same response, however late; another of that name is one that was lost and restarted."""
    from regolith_msgs.msg import Cycle
    from regolith_msgs.srv import Join

    from regolith_world.ros import protocol_codec

    scenario = load_scenario(write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0)}), (), record=False).scenario
    (world,) = (s for s in _plan(tmp_path, 'alone') if s.executable == 'world_node')
    simulation = Simulation(scenario)
    requests = [simulation.terrain.join_request(), simulation.agents['amber'].join_request()]
    domain = new_domain()
    surroundings = environment(domain, to_be_killed=True)
    nodes: list[NodeProcess] = []
    said: list[str] = []

    def join(record: object, instance: int) -> Join.Response:
        fields = Join.Request.get_fields_and_field_types()
        message = protocol_codec.JOIN.to_message(record, process_token=instance)
        return test.call(Join, '/regolith/join', **{name: getattr(message, name) for name in fields})

    with Observer(domain) as test:
        try:
            nodes.append(NodeProcess(world, surroundings, lambda label, line: said.append(line)))
            cycles, _ = test.subscribe(Cycle, '/regolith/cycle'), test.subscribe(Cycle, '/regolith/cycle')
            for request in requests:
                assert join(request, 7).result == Join.Response.ACCEPTED
            test.wait_for(lambda: cycles, 20.0, 'the first cycle')
            for request in requests:
                again = join(request, 7)
                assert (again.result, again.epoch, again.message) == (Join.Response.ACCEPTED, 0, ''), said
                assert not again.state and not again.cycles
            refused = join(requests[1], 8)
            assert refused.result == Join.Response.REFUSED and 'no checkpoint' in refused.message
        finally:
            end_all(nodes, 0.0)
