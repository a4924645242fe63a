# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the responses of checkpoint and rewind services."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not in this environment')

from regolith_msgs.srv import Rewind, SaveCheckpoint, SaveSnapshot

from regolith_world.ros.checkpoint_services import NO_HASH, CheckpointServices

pytestmark = pytest.mark.ros


def services(state_hash: str, refused: str = '') -> Any:
    """Return the services of a world at t = 0 with or without a state hash."""
    world = SimpleNamespace(t_ns=0, cycle=0, state_hash=state_hash)
    saved = SimpleNamespace(folder=None, t_ns=0, state_hash=state_hash, name='t0', size=3)

    async def standing(action: Any) -> Any:
        if refused:
            raise ValueError(refused)
        return action()

    timeline = SimpleNamespace(branch=1, save=lambda *args, **kwargs: saved)
    runner = SimpleNamespace(standing=standing, timeline=timeline, rewind=lambda to, live: None, run_dir=None)
    made = CheckpointServices.__new__(CheckpointServices)
    made._runner, made._world = runner, world
    return made


def test_default_rewind_returns_to_the_beginning_with_the_reason_for_no_state_hash() -> None:
    response = asyncio.run(services('')._rewind(Rewind.Request(), Rewind.Response()))
    assert response.success and (response.t_ns, response.branch) == (0, 1)
    assert (response.state_hash, response.message) == ('', NO_HASH)


@pytest.mark.parametrize(
    ('call', 'kind', 'message'),
    [('_rewind', Rewind, ''), ('_snapshot', SaveSnapshot, ''), ('_checkpoint', SaveCheckpoint, 'kept in memory')],
)
def test_response_has_a_state_hash_or_a_reason(call: str, kind: Any, message: str) -> None:
    known = asyncio.run(getattr(services('ab'), call)(kind.Request(), kind.Response()))
    assert known.state_hash == 'ab' and known.message.startswith(message) and NO_HASH not in known.message
    unknown = asyncio.run(getattr(services(''), call)(kind.Request(), kind.Response()))
    assert unknown.state_hash == '' and unknown.message.startswith(message) and unknown.message.endswith(NO_HASH)


def test_refused_rewind_has_only_the_reason() -> None:
    response = asyncio.run(services('', 'is later than now')._rewind(Rewind.Request(), Rewind.Response()))
    assert not response.success and response.message == 'is later than now'
