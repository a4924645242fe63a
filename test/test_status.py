# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Status that the world publishes, to late subscribers as well, and what can be changed while it runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from harness import LiveRun, Observer, vehicle, write_scenario
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import ListParameters, SetParameters
from regolith_msgs.msg import RadioLinks, WorldStatus

pytestmark = pytest.mark.ros


@pytest.mark.slow
def test_late_subscribers_get_the_status_and_a_paused_world_publishes_it(tmp_path: Path) -> None:
    """One latched status, the newest; status, links and diagnostics once a second, paused or not."""
    vehicles = {'amber': vehicle(0.0, 0.0), 'basalt': vehicle(4.0, 0.0)}
    file = write_scenario(tmp_path, vehicles, duration_s=60.0, real_time_factor=1.0, comms={})
    with LiveRun(tmp_path, file, '--no-record', processes='one') as live:
        heard = live.subscribe(WorldStatus, '/regolith/status')
        live.wait_for(lambda: any(s.cycle > 10 for s in heard), what='the run to get going')
        live.pause()
        live.spin(1.2)
        with Observer(live.domain) as late:
            status = late.subscribe(WorldStatus, '/regolith/status', latched=True)
            links = late.subscribe(RadioLinks, '/regolith/comms/links', latched=True)
            diagnostics = late.subscribe(DiagnosticArray, '/diagnostics')
            late.wait_for(lambda: status and links, what='what is latched')
            # Nothing of the past: one message each, until the next second's.
            assert {s.state for s in status} == {WorldStatus.PAUSED}
            begun = time.monotonic()
            before = len(status), len(links), len(diagnostics)
            late.wait_for(
                lambda: all(len(n) - k >= 3 for n, k in zip((status, links, diagnostics), before, strict=True)),
                30.0,
                'three of each in a row',
            )
            seconds = time.monotonic() - begun
            for received, known in zip((status, links, diagnostics), before, strict=True):
                assert len(received) - known <= seconds + 2
            assert len({s.t_ns for s in status}) == 1
            said = {s.name: s for s in diagnostics[-1].status}
            assert said['regolith: world'].message == 'paused'
            assert {'regolith: amber', 'regolith: basalt', 'regolith: terrain', 'regolith: comms'} <= set(said)
            _change_speed_and_list_parameters(live, late)


def _change_speed_and_list_parameters(live: LiveRun, late: Observer) -> None:
    """The limit of the real-time factor can be changed during a run; nodes that share a process have their parameters."""
    live.pause(False)
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=4.0)
    faster = Parameter(name='real_time_factor', value=value)
    (result,) = late.call(SetParameters, '/regolith/world/set_parameters', parameters=[faster]).results
    assert result.successful, result.reason
    status = late.subscribe(WorldStatus, '/regolith/status')
    late.wait_for(lambda: any(s.real_time_factor > 1.5 for s in status), what='the run to speed up')
    value.double_value = -1.0
    (result,) = late.call(SetParameters, '/regolith/world/set_parameters', parameters=[faster]).results
    assert not result.successful
    for node, name in (('/amber/agent', 'state_rate_hz'), ('/regolith/terrain', 'use_sim_time')):
        names = late.call(ListParameters, f'{node}/list_parameters').result.names
        assert name in names, (node, names)
