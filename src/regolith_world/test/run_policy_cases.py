# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the run policy: test_run_policy.py checks them, and tools/make_failures_page.py writes them into docs."""

from __future__ import annotations

from dataclasses import dataclass
from signal import SIGINT, SIGKILL
from typing import Any

from regolith_world.run_policy import (
    BAD_INPUT,
    EXIT_TIMEOUT_S,
    INTERRUPTED,
    NODE_FAILED,
    RESTARTS,
    Action,
    AllEnded,
    End,
    Event,
    Exit,
    GiveUp,
    Interrupted,
    NodeEnded,
    Report,
    Restart,
    SignalWorld,
    Stage,
    Tick,
    Warn,
    WorldLost,
)

STOP = {'world': 'world', 'recorder': 'recorder'}
WAIT = {**STOP, 'respawn': ('amber', 'recorder')}
JOIN = {'timeout_s': 25.0}
JOIN_WAIT = {'respawn': ('amber',)}
STARTING, RUNNING, FAILED, COMPLETE = Stage
ABORT = 'no response from basalt'


@dataclass(frozen=True)
class Case:
    """Actions of a policy after an event."""

    situation: str
    event: Event
    actions: tuple[Action, ...] = ()
    before: tuple[Event, ...] = ()
    policy: dict[str, Any] | None = None


def node(code: int, stage: Stage = RUNNING, label: str = 'amber') -> NodeEnded:
    """Return the end of a node."""
    return NodeEnded(label, code, stage)


def world(code: int, stage: Stage) -> NodeEnded:
    """Return the end of the world."""
    return NodeEnded('world', code, stage)


GAVE_UP = GiveUp('amber', 1, RESTARTS)
LOST = End(1.0, True, 'ended before the first cycle', 'amber')
SILENT = 'no message from the world for {} s'

DURING = (
    Case('A node exits with code 0.', node(0), policy=WAIT),
    Case('A node fails.', node(-9), (Report('amber', -9),)),
    Case('A node fails (`wait`).', node(-9), (Restart('amber', -9),), policy=WAIT),
    Case('A node fails after three restarts (`wait`).', node(1), (Report('amber', 1), GAVE_UP), (node(1),) * 3, WAIT),
    Case(
        'A node exits with code 3, because it has reported why it cannot continue (`wait`).',
        node(NODE_FAILED),
        (Report('amber', NODE_FAILED), GiveUp('amber', NODE_FAILED, 0)),
        policy=WAIT,
    ),
    Case('A node fails after Ctrl-C (`wait`).', node(1), (Report('amber', 1),), (Interrupted(),), WAIT),
    Case('A node fails after the world has exited (`wait`).', node(1), (), (world(0, COMPLETE),), WAIT),
    Case('A node fails before the first cycle.', node(2, STARTING), (Report('amber', 2), LOST)),
    Case('The same after Ctrl-C.', node(2, STARTING), (Report('amber', 2),), (Interrupted(),)),
    Case('The world exits with code 0.', world(0, COMPLETE), (End(EXIT_TIMEOUT_S),)),
    Case('The world exits after Ctrl-C.', world(0, COMPLETE), (End(1.5),), (Interrupted(),)),
    Case('The world refuses its input.', world(BAD_INPUT, STARTING), (End(EXIT_TIMEOUT_S, True),)),
    Case('The world exits with a failure in its results.', world(NODE_FAILED, FAILED), (End(EXIT_TIMEOUT_S, True),)),
    Case('The world is killed.', world(-9, RUNNING), (Report('world', -9), End(EXIT_TIMEOUT_S, True))),
    Case(
        'The world crashes after it has written results.',
        world(-11, COMPLETE),
        (Report('world', -11), End(EXIT_TIMEOUT_S)),
    ),
    Case('The process of the world does not run.', WorldLost('is stopped'), (Warn('is stopped'), SignalWorld(SIGKILL))),
    Case('The world has written results less than 10 s ago.', Tick(12.9, COMPLETE), (), (Tick(3.0, COMPLETE),)),
    Case(
        'It has written them 10 s ago, and still runs.',
        Tick(13.0, COMPLETE),
        (End(EXIT_TIMEOUT_S),),
        (Tick(3.0, FAILED),),
    ),
    Case('Ctrl-C.', Interrupted(), (SignalWorld(SIGINT),)),
    Case('A second Ctrl-C.', Interrupted(), (SignalWorld(SIGKILL),), (Interrupted(),)),
    Case('Ctrl-C less than 2 s ago.', Tick(3.0), (), (Interrupted(1.0),)),
    Case('Ctrl-C more than 2 s ago.', Tick(3.1), (SignalWorld(SIGKILL),), (Interrupted(1.0),)),
    Case('Ctrl-C after the world has exited.', Interrupted(), (), (world(0, COMPLETE),)),
)
"""While a run continues. Situations with ``wait`` have ``world.on_failure: wait``, the others ``stop`` or ``drop``."""

AT_END = (
    Case('The results are complete.', AllEnded(COMPLETE), (Exit(0),), (world(0, COMPLETE), node(0))),
    Case(
        'The results state a failure, or a participant that was dropped.',
        AllEnded(FAILED),
        (Exit(NODE_FAILED, (('world', 3),)),),
        (world(NODE_FAILED, FAILED),),
    ),
    Case('There are no results.', AllEnded(RUNNING), (Exit(NODE_FAILED, (('world', -9),)),), (world(-9, RUNNING),)),
    Case(
        'The world has refused its input.',
        AllEnded(STARTING),
        (Exit(BAD_INPUT, (('world', 2),)),),
        (world(BAD_INPUT, STARTING),),
    ),
    Case(
        'A node has failed before the first cycle.',
        AllEnded(STARTING, ('basalt',)),
        (Exit(NODE_FAILED, (('amber', 1), ('world', 2))),),
        (node(1, STARTING), world(BAD_INPUT, STARTING)),
    ),
    Case(
        'A node has failed too often (`wait`).',
        AllEnded(COMPLETE),
        (Exit(NODE_FAILED, (), (GAVE_UP,)),),
        ((*(node(1),) * 4, world(0, COMPLETE))),
        WAIT,
    ),
    Case(
        'Results are complete, and a node has failed during the run.',
        AllEnded(COMPLETE),
        (Exit(NODE_FAILED, (('amber', 1),)),),
        (node(1), world(0, COMPLETE)),
    ),
    Case(
        'Results are complete, and a node failed when it exited.',
        AllEnded(COMPLETE),
        (Report('amber', 4), Exit(NODE_FAILED, (('amber', 4),))),
        (world(0, COMPLETE), node(4)),
    ),
    Case('The same (`wait`).', AllEnded(COMPLETE), (Exit(0),), (world(0, COMPLETE), node(4)), WAIT),
    Case(
        'Results are complete, and the recorder failed when it exited (`wait`).',
        AllEnded(COMPLETE),
        (Report('recorder', 4), Exit(NODE_FAILED, (('recorder', 4),))),
        (world(0, COMPLETE), node(4, label='recorder')),
        WAIT,
    ),
    Case(
        'Results are complete, and a node or the world did not exit in time.',
        AllEnded(COMPLETE, ('amber', 'world')),
        (Report('amber', None), Report('world', None), Exit(0)),
        (Tick(0.0, COMPLETE), Tick(10.0, COMPLETE), node(-9), world(-6, COMPLETE)),
    ),
    Case(
        'Results are complete, and the recorder did not exit in time.',
        AllEnded(COMPLETE, ('recorder',)),
        (Report('recorder', None), Report('recorder', -6), Exit(NODE_FAILED, (('recorder', -6),))),
        (world(0, COMPLETE), node(-6, label='recorder')),
    ),
    Case(
        'Results are complete, and the world crashed when it exited.',
        AllEnded(COMPLETE),
        (Exit(0, (('world', -11),)),),
        (world(-11, COMPLETE),),
    ),
    Case(
        'Results are complete, and the world exited with another code than 0.',
        AllEnded(COMPLETE),
        (Exit(NODE_FAILED, (('world', 4),)),),
        (world(4, COMPLETE),),
    ),
    Case(
        'Ctrl-C, and the results are complete.',
        AllEnded(COMPLETE, ('basalt',)),
        (Report('basalt', None), Exit(0)),
        (node(1), Interrupted(), world(0, COMPLETE)),
    ),
    Case(
        'Ctrl-C, and the results state a failure.',
        AllEnded(FAILED),
        (Exit(NODE_FAILED, (('amber', 1), ('world', 3))),),
        (node(1), Interrupted(), node(1, label='basalt'), world(3, FAILED)),
    ),
    Case(
        'Ctrl-C, and there are no results.',
        AllEnded(STARTING, ('basalt',)),
        (Exit(INTERRUPTED, (('world', -9),)),),
        (Interrupted(), world(-9, STARTING)),
    ),
)
"""After all nodes have ended."""

REMOTE = (
    Case('A node fails.', node(-9), (Report('amber', -9),), (), JOIN),
    Case('A node fails (`wait`).', node(-9), (Restart('amber', -9),), (), JOIN_WAIT),
    Case('The world is not seen.', Tick(13.0, connected=False), (), (Tick(3.0),), JOIN),
    Case(
        'The world has not been seen for more than 10 s.',
        Tick(14.0, connected=False),
        (Warn(SILENT.format(11)),),
        (Tick(3.0, connected=False),),
        JOIN_WAIT,
    ),
    Case(
        'The same within 10 s of this message.',
        Tick(24.0, connected=False),
        (),
        (Tick(3.0), Tick(14.0, connected=False)),
        JOIN_WAIT,
    ),
    Case(
        'It has not been seen for more than `world.participant_timeout_s` + 5 s.',
        Tick(29.0, connected=False),
        (End(EXIT_TIMEOUT_S, True, SILENT.format(26)),),
        (Tick(3.0),),
        JOIN,
    ),
    Case('Another run has started.', WorldLost('replaced'), (End(EXIT_TIMEOUT_S, True, 'replaced'),), (), JOIN),
    Case('Ctrl-C.', Interrupted(), (End(EXIT_TIMEOUT_S, True, 'interrupted'),), (), JOIN),
    Case('The world has stopped.', Tick(3.0, COMPLETE), (End(EXIT_TIMEOUT_S),), (), JOIN),
    Case('At the end: all nodes have exited.', AllEnded(COMPLETE), (Exit(0),), (node(0),), JOIN),
    Case('At the end: the run has failed.', AllEnded(FAILED), (Exit(NODE_FAILED),), (node(0),), JOIN),
    Case('At the end: a node has failed.', AllEnded(COMPLETE), (Exit(NODE_FAILED, (('amber', 1),)),), (node(1),), JOIN),
    Case(
        'At the end: another run has started.', AllEnded(RUNNING), (Exit(NODE_FAILED),), (WorldLost('replaced'),), JOIN
    ),
    Case(
        'At the end: Ctrl-C.',
        AllEnded(RUNNING, ('amber',)),
        (Report('amber', None), Exit(INTERRUPTED)),
        (Interrupted(), node(-15)),
        JOIN,
    ),
)
"""On another machine than the world."""
