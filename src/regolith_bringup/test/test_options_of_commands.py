# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every option of commands for a running world reaches what does the work, and the line printed has the numbers of the response."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from noted_calls import DOMAIN, Noted

pytestmark = pytest.mark.ros

HASH = '0123456789abcdef' * 4


# -- a running world ------------------------------------------------------------------------------------------------


def status(**changed: Any) -> Any:
    """Return a status whose every number is another."""
    from regolith_msgs.msg import WorldStatus

    made = WorldStatus(
        state=WorldStatus.PLAYING, t_ns=12_345_600_000, end_ns=60_500_000_000, cycle=321, real_time_factor=1.756
    )
    for key, value in changed.items():
        setattr(made, key, value)
    return made


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Stand for the client of the running world."""
    kept = SimpleNamespace(
        names=['dawn', 'noon'],
        t_ns=[1_500_000_000, 22_250_000_000],
        state_hashes=[HASH, HASH[::-1]],
        paths=['/a/dawn', ''],
        first_ns=500_000_000,
        last_ns=30_125_000_000,
    )
    made = Noted(
        known=status(),
        pause=lambda standing: status(state=2 if standing else 1),
        list_snapshots=kept,
        step=SimpleNamespace(t_ns=2_345_600_000, state_hash=HASH),
        rewind=SimpleNamespace(t_ns=1_234_400_000, cycle=77, state_hash=HASH[1:], branch=3),
        save_snapshot=lambda name: SimpleNamespace(
            name=name, t_ns=3_210_000_000, size_bytes=4_560_000, path='' if name == 'x' else '/k'
        ),
    )
    monkeypatch.setattr('regolith_bringup.run.running_simulation.RunningSimulation', made)
    return made


@pytest.mark.parametrize(
    ('words', 'call', 'given', 'printed'),
    [
        ('pause', 'pause', (True,), 'at 12.346 of 60.5 s, cycle 321'),
        ('resume', 'pause', (False,), 'at 12.346 of 60.5 s, cycle 321, real-time factor 1.76'),
        ('step', 'step', (1,), 'at 2.346 s, state hash 0123456789abcdef\n'),
        ('step 5', 'step', (5,), 'at 2.346 s, state hash 0123456789abcdef\n'),
        ('rtf', '', (), 'at 12.346 of 60.5 s, cycle 321, real-time factor 1.76'),
        ('rtf 2.5', 'set_real_time_factor', (2.5,), 'real-time factor: at most 2.5\n'),
        ('rtf max', 'set_real_time_factor', (0.0,), 'real-time factor: no limit\n'),
        ('rtf 0.001', 'set_real_time_factor', (0.001,), 'real-time factor: at most 0.001\n'),
        (
            'rewind 1.25',
            'rewind',
            (1_250_000_000, False),
            'at 1.234 s, cycle 77, state hash 123456789abcdef0; recording continues in bag_3\n',
        ),
        ('rewind noon --live', 'rewind', ('noon', True), 'at 1.234 s, cycle 77'),
        ('rewind 0', 'rewind', (0, False), 'at 1.234 s'),
        ('reset', 'reset', (), 'reset to t = 0\n'),
        ('snapshot save dusk', 'save_snapshot', ('dusk',), 'dusk: at 3.210 s, 4.6 MB, /k\n'),
        ('snapshot save x', 'save_snapshot', ('x',), 'x: at 3.210 s, 4.6 MB, in memory\n'),
    ],
)
def test_commands_to_a_running_world(
    say: Any, world: Noted, words: str, call: str, given: tuple[Any, ...], printed: str
) -> None:
    code, out, err = say(*words.split(), *DOMAIN, '--namespace', 'east')
    assert (code, err) == (0, '') and printed in out and out.count('\n') == 1
    assert world.calls[0] == ('', ('17', 'east'), {}) and world.calls[-1][0] == 'left'
    assert not call or world.of(call) == given


def test_without_options_the_world_is_that_of_the_environment(say: Any, world: Noted) -> None:
    for words in ('pause', 'resume', 'step', 'rtf', 'rewind 1', 'reset', 'snapshot save a', 'snapshot list'):
        del world.calls[:]
        assert say(*words.split())[0] == 0 and world.calls[0] == ('', (None, ''), {})


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        ('rtf 0', 'rtf: 0: is not a real-time factor; allowed: max, or a number from 0.001 to 1000000'),
        ('rtf 1000001', 'is not a real-time factor'),
        ('rtf nan', 'is not a real-time factor'),
        ('rtf 0.0009', 'is not a real-time factor'),
        (
            'rewind evening',
            'rewind: evening: is neither a time [s] nor the name of a snapshot; allowed: seconds, dawn, noon',
        ),
        ('rewind 1e10', 'is not a time; allowed: seconds from 0 to '),
        ('snapshot save 12', 'snapshot save: 12: would be read as a time; allowed: a name that is not a number'),
        ('snapshot save -- -1', 'would be read as a time'),
        ('snapshot save nan', 'would be read as a time'),
    ],
)
def test_what_no_request_is_sent_for(say: Any, world: Noted, words: str, said: str) -> None:
    code, out, err = say(*words.split())
    assert (code, out) == (2, '') and said in err
    assert {name for name, _, _ in world.calls} <= {'', 'list_snapshots', 'left'}


def test_snapshots_are_listed_with_their_times(say: Any, world: Noted) -> None:
    assert say('snapshot', 'list', *DOMAIN)[1].splitlines() == [
        'dawn                      1.500 s  0123456789abcdef',
        'noon                     22.250 s  fedcba9876543210',
        'rewindable range: 0.500 to 30.125 s',
    ]
    assert json.loads(say('snapshot', 'list', '--json')[1]) == {
        'snapshots': [
            {'name': 'dawn', 't_s': 1.5, 'state_hash': HASH, 'path': '/a/dawn'},
            {'name': 'noon', 't_s': 22.25, 'state_hash': HASH[::-1], 'path': ''},
        ],
        'first_s': 0.5,
        'last_s': 30.125,
    }


def test_a_status_is_one_line() -> None:
    from regolith_msgs.msg import WorldStatus

    from regolith_bringup.run.running_simulation import status_line

    assert status_line(status()) == 'running at 12.346 of 60.5 s, cycle 321, real-time factor 1.76'
    assert status_line(status(state=WorldStatus.PAUSED, end_ns=0)) == 'paused at 12.346 s, cycle 321'


# -- what stands for ros2 -------------------------------------------------------------------------------------------


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Stand for the client of the graph: two topics, a service, an action, messages that come one by one."""
    from std_msgs.msg import UInt8

    def echo(name: str, kind: str, command: str, take: Any) -> None:
        for number in range(3):
            if not take(UInt8(data=number)):
                return

    def send_goal(name: str, kind: str, goal: str, told: Any) -> Any:
        told(UInt8(data=7))
        return {'/refused': (False, 0, 'the output of /x/y'), '/failed': (True, 6, UInt8(data=9))}.get(
            name, (True, 4, UInt8(data=8))
        )

    made = Noted(
        topics=[('/a', ['p/msg/A', 'p/msg/B']), ('/b', ['p/msg/C'])],
        services=[('/s', ['p/srv/S'])],
        actions=[('/g', ['p/action/G'])],
        type_of='p/msg/A',
        echo=echo,
        publish=3,
        call=UInt8(data=5),
        send_goal=send_goal,
        parameters=['one', 'two'],
        parameter=2.5,
        nodes=['/x/y', '/z'],
    )
    monkeypatch.setattr('regolith_bringup.run.ros_client.RosClient', made)
    return made


@pytest.mark.parametrize(
    ('words', 'call', 'given', 'printed'),
    [
        ('topic list', 'topics', (), '/a\n/b\n'),
        ('topic list -t', 'topics', (), '/a [p/msg/A, p/msg/B]\n/b [p/msg/C]\n'),
        ('topic list --show-types', 'topics', (), '/a [p/msg/A, p/msg/B]\n/b [p/msg/C]\n'),
        ('topic type /a', 'type_of', ('/a', 'topic type'), 'p/msg/A\n'),
        ('topic echo /a', 'echo', ('/a', '', 'topic echo'), 'data: 0\n---\ndata: 1\n---\ndata: 2\n---\n'),
        ('topic echo /a p/msg/B --once', 'echo', ('/a', 'p/msg/B', 'topic echo'), 'data: 0\n---\n'),
        ('topic pub /a p/msg/A', 'publish', ('/a', 'p/msg/A', '', 1.0, 0), ''),
        ('topic pub /a p/msg/A {x: -1} --once -r 4', 'publish', ('/a', 'p/msg/A', '{x: -1}', 4.0, 1), ''),
        ('topic pub /a p/msg/A {} --rate 0.5 --times 7', 'publish', ('/a', 'p/msg/A', '{}', 0.5, 7), ''),
        ('topic pub /a p/msg/A {} -1 -t 7', 'publish', ('/a', 'p/msg/A', '{}', 1.0, 1), ''),
        ('service list', 'services', (), '/s\n'),
        ('service list -t', 'services', (), '/s [p/srv/S]\n'),
        ('service call /s p/srv/S', 'call', ('/s', 'p/srv/S', ''), 'data: 5\n'),
        ('service call /s p/srv/S {a: 1}', 'call', ('/s', 'p/srv/S', '{a: 1}'), 'data: 5\n'),
        ('action list', 'actions', (), '/g\n'),
        ('action list -t', 'actions', (), '/g [p/action/G]\n'),
        ('action send_goal /g p/action/G {n: 1}', 'send_goal', ('/g', 'p/action/G', '{n: 1}'), 'data: 8\n'),
        ('param list /n', 'parameters', ('/n',), 'one\ntwo\n'),
        ('param get /n one', 'parameter', ('/n', 'one'), '2.5\n'),
        ('param set /n one 3', 'set_parameter', ('/n', 'one', '3'), ''),
        ('node list', 'nodes', (), '/x/y\n/z\n'),
    ],
)
def test_commands_that_stand_for_ros2(
    say: Any, graph: Noted, words: str, call: str, given: tuple[Any, ...], printed: str
) -> None:
    parts = re.findall(r'\{[^}]*\}|\S+', words)
    assert say(*parts, *DOMAIN) == (0, printed, '')
    assert graph.calls[0] == ('', ('17',), {}) and graph.of(call)[: len(given)] == given


def test_goals_that_fail_end_with_three(say: Any, graph: Noted) -> None:
    reason = 'Goal was rejected; the reason is in the output of /x/y (of a run: console.log in its folder).\n'
    assert say('action', 'send_goal', '/refused', 'p/action/G', '{}') == (3, '', reason)
    assert say('action', 'send_goal', '/failed', 'p/action/G', '{}') == (
        3,
        'data: 9\n',
        'Goal finished with status 6.\n',
    )
    for flag in ('-f', '--feedback'):
        assert say('action', 'send_goal', '/g', 'p/action/G', '{}', flag) == (0, 'data: 8\n', 'Feedback:\ndata: 7\n\n')


@pytest.mark.parametrize('window', [[], ['--window', '2'], ['-w', '3']])
def test_rates_are_messages_less_one_by_their_time(
    say: Any, graph: Noted, monkeypatch: pytest.MonkeyPatch, window: list[str]
) -> None:
    times = iter([0.0, 0.25, 0.75, 1.25, 1.5, 1.75, 2.0, 2.25])
    monkeypatch.setattr('regolith_bringup.commands.ros2_commands.time', SimpleNamespace(monotonic=lambda: next(times)))
    graph._answers['echo'] = lambda name, kind, command, take: [take(None) for _ in range(7)]
    code, out, _ = say('topic', 'hz', '/a', *window)
    assert code == 0 and out.splitlines() == [f'average rate: {rate}' for rate in expected_rates(window)]


def expected_rates(window: list[str]) -> list[str]:
    """Return the rates by hand: arrivals at 0.25, 0.75, 1.25, 1.5, 1.75, 2.0, 2.25; said at 1.25 and 2.25."""
    arrivals, size = [0.25, 0.75, 1.25, 1.5, 1.75, 2.0, 2.25], int(window[1]) if window else 50
    said = []
    for number in (3, 7):
        last = arrivals[:number][-size:]
        said.append(f'{(len(last) - 1) / (last[-1] - last[0]):.3f}')
    return said
