# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the input log: inputs by cycle, and detection of a resimulation that differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regolith_world.checkpoint.input_log import InputHistory, InputLog, ReplayDiverged


@given(st.integers(0, 50), st.lists(st.sampled_from([b'', b'a', b'bc']), max_size=40), st.integers(0, 100))
def test_inputs_are_those_appended_up_to_the_cut(first: int, values: list[bytes], cut: int) -> None:
    """Also through bytes. Appending a known cycle again has no effect, and there are no inputs beyond the end."""
    inputs = InputHistory(first)
    for k, value in enumerate(values):
        inputs.append(first + k, value)
        inputs.append(first, b'another value')
    expected = {first + k: value for k, value in enumerate(values)}
    assert dict(inputs) == expected and dict(InputHistory.decode(inputs.encode())) == expected
    inputs.cut(cut)
    assert dict(inputs) == {cycle: value for cycle, value in expected.items() if cycle < cut}
    assert inputs.get(first + len(values)) is None and inputs.get(first - 1) is None
    inputs.append(max(cut, first), b'new')
    assert inputs[max(cut, first)] == b'new' if cut < first + len(values) else True


def test_equal_inputs_are_stored_once() -> None:
    """A thousand equal inputs need the space of one."""
    inputs = InputHistory(0)
    inputs.append(0, b'same')
    alone = len(inputs.encode())
    for cycle in range(1, 1000):
        inputs.append(cycle, b'same')
    assert len(inputs.encode()) <= alone + 3


def log() -> InputLog[str]:
    """Return a log of ten states, 0.1 s apart, from cycle 5 on, with world edits of the eighth and tenth."""
    made: InputLog[str] = InputLog(5, 500, 'a5')
    for cycle in range(6, 15):
        made.commit(100 * cycle, f'a{cycle}', {'amber': b'%d' % (cycle - 1)}, cycle)
    made.acts += [(8, 'boulder'), (10, 'ball')]
    return made


def test_states_are_found_by_time() -> None:
    """The last state at or before it."""
    assert [log().at_or_before(t) for t in (499, 500, 599, 600, 1400, 9999)] == [None, 5, 5, 6, 14, 14]
    assert log().last == 14 and log().time_ns(14) == 1400


def test_resimulation_is_compared_with_the_log() -> None:
    """A known commit must be equal in time and hash, of which the first 64 bits count."""
    known = log()
    known.commit(700, 'a7', {}, 7)
    with pytest.raises(ReplayDiverged, match=r'cycle 6 led to b7 at 0.0000 s, before the rewind to 00000000000000a7'):
        known.commit(700, 'b7', {}, 7)
    with pytest.raises(ReplayDiverged, match='does not repeat itself'):
        known.commit(701, 'a7', {}, 7)
    assert known.has(7, 700, 'a7') and not known.has(7, 700, 'b7') and not known.has(15, 1500, 'a15')


def test_cut_deletes_everything_after_a_state() -> None:
    """States, inputs and world edits. Edits of the state itself are kept if their number is given."""
    cut = log()
    cut.cut(10)
    assert (cut.last, cut.acts, dict(cut.inputs['amber'])) == (
        10,
        [(8, 'boulder')],
        {k: b'%d' % k for k in range(5, 10)},
    )
    other = log()
    other.cut(10, acts=2)
    assert other.acts == [(8, 'boulder'), (10, 'ball')]
    cut.commit(1111, 'c11', {'amber': b'live'}, 11)
    assert cut.inputs['amber'][10] == b'live' and cut.at_or_before(1111) == 11
