# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The policy of a run, by its table of cases."""

from __future__ import annotations

import pytest
from run_policy_cases import AT_END, DURING, REMOTE, STOP, Case

from regolith_world.run_policy import RunPolicy


@pytest.mark.parametrize('case', [pytest.param(c, id=c.situation) for c in (*DURING, *AT_END, *REMOTE)])
def test_event_has_these_actions(case: Case) -> None:
    policy = RunPolicy(**(case.policy or STOP))
    for event in case.before:
        policy.on(event)
    assert policy.on(case.event) == case.actions
