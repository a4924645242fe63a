# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of participant endpoints: no state is saved before it is the one that the world expects."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from regolith_msgs.srv import Join, RestoreState, SaveState

from regolith_world.ros.participant_endpoint import JoinError, ParticipantEndpoint

RUN = 7


def made() -> tuple[ParticipantEndpoint, dict[str, Any]]:
    """Return an endpoint, and its services by name."""
    services: dict[str, Any] = {}
    node = SimpleNamespace(
        create_service=lambda kind, name, response, callback_group: services.__setitem__(name, response)
    )
    participant: Any = SimpleNamespace(
        name='a',
        epoch=1,
        last_result=None,
        save=lambda: b'as at the beginning',
        set_epoch=lambda epoch: None,
        restore=lambda state, epoch: None,
        soil_hash=lambda: 'soil',
        replay_inputs={},
    )
    return ParticipantEndpoint(node, participant, lambda name, state, epoch: None, RUN, 1), services


def saved(services: dict[str, Any]) -> SaveState.Response:
    return services['~/save_state'](SaveState.Request(run_id=RUN), SaveState.Response())


def test_participant_before_joining_is_not_saved() -> None:
    _, services = made()
    response = saved(services)
    assert (response.success, response.message, bytes(response.state)) == (
        False,
        'this participant has not joined yet',
        b'',
    )


def test_participant_after_admission_or_restore_is_saved() -> None:
    endpoint, services = made()
    endpoint.take(Join.Response(epoch=1))
    assert (saved(services).success, bytes(saved(services).state)) == (True, b'as at the beginning')
    endpoint, services = made()
    response = services['~/restore_state'](RestoreState.Request(run_id=RUN, epoch=2), RestoreState.Response())
    assert response.success and saved(services).success


def test_participant_after_replay_is_saved() -> None:
    endpoint, services = made()
    endpoint.participant.last_result = SimpleNamespace(state_hash='a', soil_hash='b')
    with pytest.raises(JoinError, match='after the replay the state hash is a, expected b'):
        endpoint.check(Join.Response(expected_hash='b'))
    assert not saved(services).success
    endpoint.check(Join.Response(expected_hash='a'))
    assert saved(services).success


def test_repeated_restore_request_gets_the_first_response() -> None:
    """A request repeated after a lost response does not undo what followed. One of the next epoch is executed."""
    endpoint, services = made()
    taken: list[bytes] = []

    def restore(state: bytes, soil: bytes, epoch: int) -> str:
        taken.append(state)
        endpoint.participant.epoch = epoch
        return f'soil of {epoch}'

    endpoint.restore = restore

    def ask(epoch: int, state: bytes) -> RestoreState.Response:
        return services['~/restore_state'](
            RestoreState.Request(run_id=RUN, epoch=epoch, state=state), RestoreState.Response()
        )

    assert [ask(2, b'a').soil_hash, ask(2, b'a').soil_hash] == ['soil of 2', 'soil of 2'] and taken == [b'a']
    assert ask(3, b'b').soil_hash == 'soil of 3' and taken == [b'a', b'b']
