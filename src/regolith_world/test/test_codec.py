# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the codec: every bit, shape and type is restored, or encoding is refused."""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from regolith_world.cycle import OptionalNumber, Part, Saved, StateField, StateLayout, codec
from regolith_world.cycle.records import BodyState, CycleKey, Impulse, Shape, ShapeKind, SpawnedObject, Verdict
from regolith_world.numerics.rotation import from_yaw
from regolith_world.objects.rigid_state import make_rigid_state

SEVERAL = settings(derandomize=True, max_examples=40, deadline=None)


@dataclass
class Everything:
    """A record with a field of each kind that the codec supports."""

    array: np.ndarray
    number: int
    real: float
    text: str
    blob: bytes
    key: CycleKey
    verdict: Verdict
    pairs: tuple[tuple[str, int], ...]
    three: tuple[str, int, float]
    listed: list[float]
    by_name: dict[str, Impulse]
    perhaps: CycleKey | None


WHOLE = st.integers(-(2**63), 2**63 - 1)
REAL = st.floats(allow_nan=False)
# NaN has payloads, which JSON cannot represent.
NUMBERS = {'<f8': REAL, '<f4': st.floats(width=32, allow_nan=False)}
KEY = st.builds(CycleKey, WHOLE, WHOLE, WHOLE)
ANY_ARRAY = st.sampled_from(('<f8', '<f4', '<i8', '<i4', '<u8', '|u1', '|b1')).flatmap(
    lambda kind: arrays_of.arrays(
        kind, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3), elements=NUMBERS.get(kind)
    )
)
VECTOR = arrays_of.arrays('<f8', 3, elements=REAL)
EVERYTHING = st.builds(
    Everything,
    ANY_ARRAY,
    st.integers(),
    REAL,
    st.text(),
    st.binary(),
    KEY,
    st.sampled_from(Verdict),
    st.lists(st.tuples(st.text(), WHOLE)).map(tuple),
    st.tuples(st.text(), WHOLE, REAL),
    st.lists(REAL),
    st.dictionaries(st.text(), st.builds(Impulse, st.text(), st.text(), VECTOR, VECTOR), max_size=3),
    st.none() | KEY,
)


def same(a, b) -> bool:
    """Compare bit for bit: types, shapes, signs of zero."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if hasattr(a, '__dataclass_fields__'):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a.hex() == b.hex() if isinstance(a, float) else a == b


@SEVERAL
@given(EVERYTHING)
def test_codec_round_trip_of_any_value_is_exact(value):
    blob = codec.encode_record(value)
    back = codec.decode_record(Everything, blob)
    assert same(value, back)
    assert codec.encode_record(back) == blob


def test_codec_round_trip_of_records_is_bit_identical():
    turned = from_yaw(1 / 3)
    state = make_rigid_state('a', [np.nextafter(0.1, 1.0), 0, 0], 1.0, np.eye(3), orientation=turned)
    assert same(codec.decode_record(BodyState, codec.encode_record(state)), state)
    blow = Impulse('a', 'b', np.array([1e-300, -0.0, np.inf]), np.ones(3))
    assert same(codec.decode_record(Impulse, codec.encode_record(blow)), blow)
    birth = SpawnedObject('a/0', (Shape(ShapeKind.BOX, np.ones(3)),), state, 0.5, 0.25)
    assert same(codec.decode_record(SpawnedObject, codec.encode_record(birth)), birth)


def test_empty_arrays_keep_their_shape_and_integers_their_value():
    whole = np.array([2**60 + 1]), np.array([2**64 - 1], np.uint64)
    for array in (np.zeros((0, 3)), np.zeros((2, 0)), np.array(5.0), *whole):
        assert same(codec.build(np.ndarray, codec.plain(array)), array)


@pytest.mark.parametrize('value', [{1: 'a'}, {('a', 'b'): 1}, np.array(['text']), np.array([1j]), {1, 2}, object()])
def test_codec_refuses_values_that_change_in_a_round_trip(value):
    with pytest.raises(TypeError):
        codec.encode_record(value)


@pytest.mark.parametrize('blob', [b'', b'{', b'null', b'[1]', b'{"a":"x"}', b'\xff\xfe'])
def test_decode_of_other_bytes_is_refused_with_the_record_name(blob):
    with pytest.raises(ValueError, match='not a saved Impulse'):
        codec.decode_record(Impulse, blob)


class Hand(Saved):
    """Object with a field of every kind."""

    STATE = StateLayout(
        'a hand',
        StateField('length', 'q'),
        StateField('spacing', 'd', same=True),
        StateField('pose.position', '<f8', (3,)),
        StateField('pose.weight', '<f4', shared=True),
        StateField('name', str),
        StateField('note', bytes),
        StateField('grip', OptionalNumber('d')),
        StateField('rest', Saved),
        StateField('fingers', Part(1)),
        StateField('words', bytes, ('length',)),
        StateField('rows', '<i4', ('rows', 2)),
        tag=b'HAND0001',
    )

    def __init__(self, k: int = 0) -> None:
        self.spacing, self.name, self.note, self.grip = 0.5, 'left', bytes(k), 0.25 * k
        self.pose = SimpleNamespace(position=np.arange(3.0) + k, weight=np.full((2, 1), k, np.float32))
        self.rest, self.words, self.rows = None, b'abc'[:k], np.full((k, 2), k, np.int32)
        self.fingers: list[Saved] = [Saved(), Saved()]


def test_declared_fields_are_packed_in_order_and_restored() -> None:
    made, again = Hand(3), Hand()
    shared = again.pose.weight
    again.load(made.save())
    assert again.save() == made.save() and again.pose.weight is shared and again.words == b'abc'
    assert made.save().startswith(b'HAND0001' + struct.pack('<qd3d', 3, 0.5, 3.0, 4.0, 5.0))
    assert again.rows.tolist() == [[3, 3]] * 3


@pytest.mark.parametrize(
    ('blob', 'problem'),
    [
        (
            b'HAND0002' + Hand(3).save()[8:],
            "left: not the saved state of a hand of this version: .*; allowed: b'HAND0001'",
        ),
        (Hand(3).save()[:30], "left: saved state of a hand .*30 bytes.*, field 'pose.position': .* truncated"),
        (Hand(3).save()[:-1], "field 'rows': .* not whole rows"),
        (Hand(3).save()[:16] + struct.pack('<d', 0.6) + Hand(3).save()[24:], "field 'spacing': 0.6; allowed: 0.5"),
    ],
)
def test_a_state_of_another_version_or_object_is_refused_with_the_field(blob: bytes, problem: str) -> None:
    made = Hand(1)
    before = made.save()
    with pytest.raises(ValueError, match=problem):
        made.load(blob)
    assert made.save() == before


def test_a_bad_field_of_a_part_leaves_the_whole_object_unchanged() -> None:
    """The part is the last but two of the fields; those before it are not set either."""
    made, other = Hand(3), Hand(1)
    made.fingers, other.fingers = [Hand(2)], [Hand(1)]
    before, bad = made.save(), other.save().replace(b'HAND0001', b'HAND0002')
    with pytest.raises(ValueError, match="field 'fingers': left: not the saved state of a hand of this version"):
        made.load(b'HAND0001' + bad[8:])
    assert made.save() == before


def test_optional_number_has_no_bytes_where_it_is_none() -> None:
    made, without = Hand(2), Hand(1)
    made.grip = without.grip = None
    assert len(Hand(2).save()) - len(made.save()) == 8
    without.load(made.save())
    assert without.grip is None and without.save() == made.save()


class Shelf(Saved):
    """Object whose first field is set last, and found once."""

    STATE = StateLayout(
        'a shelf', StateField('length', 'q'), StateField('content', bytes, ('length',), last=True), StateField('n', 'q')
    )

    def __init__(self) -> None:
        self.n, self.calls = 3, 0

    @property
    def content(self) -> bytes:
        self.calls += 1
        return bytes(self.n)

    @content.setter
    def content(self, blob: bytes) -> None:
        if len(blob) != self.n:
            raise ValueError(f'{len(blob)} bytes; allowed: {self.n}')


def test_computed_field_is_found_once_and_set_after_those_it_needs() -> None:
    made, again = Shelf(), Shelf()
    made.n = 5
    blob = made.save()
    again.load(blob)
    assert made.calls == 1 and again.n == 5 and blob == struct.pack('<q5xq', 5, 5)
    with pytest.raises(ValueError, match=r"a shelf .*, field 'content': 5 bytes; allowed: 4"):
        again.load(struct.pack('<q5xq', 5, 4))
