# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codecs between records and the bytes of their messages, generated from the message definitions.

:func:`register_record` states the record type of a message type. :class:`MessageCodec` then generates two functions,
which write a record to CDR and read it. A field of the message is the attribute of the same name. So a new field needs
one line in the ``.msg`` file and one in the record. The bytes are those of the middleware's serializer, bit for bit
(`test/test_message_codec.py`), so subscribers see no difference.

rclpy converts a message object attribute by attribute, twice: about 3000 attributes for a cycle with 64 bodies. Here a
body is one block of 26 numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser import definition as d

from regolith_world.ros.cdr import Reader, Writer, is_plain

_SCALARS = {
    'boolean': '?',
    'octet': 'B',
    'uint8': 'B',
    'int8': 'b',
    'uint16': 'H',
    'int16': 'h',
    'uint32': 'I',
    'int32': 'i',
    'uint64': 'Q',
    'int64': 'q',
    'float': 'f',
    'double': 'd',
}
"""Codes of :mod:`struct` by the names of basic types in message definitions."""

Attribute = str | Callable[[Any], Any]
"""Source of a message field: an attribute of the record, or a function of the record."""


@dataclass(frozen=True)
class _RecordType:
    """Record type of a message type, see :func:`register_record`."""

    type: Any
    attributes: Mapping[str, Attribute]
    make: Callable[..., Any] | None
    cached: bool


_RECORD_TYPES: dict[Any, _RecordType] = {}


def register_record(
    message_type: Any,
    record_type: Any,
    attributes: Mapping[str, Attribute] | None = None,
    make: Callable[..., Any] | None = None,
    *,
    cached: bool = False,
) -> None:
    """State the record type of a message type.

    A nested message without an attribute is written from the record itself: ``pose`` of a BodyState from ``position``
    and ``orientation``. A message of float64 numbers only, such as Point, is an array of the record. A sequence of n
    of them is an array of shape (n, 3). An array that is not of shape (n,) has its shape in the metadata of its
    dataclass field: ``field(metadata={'shape': (-1, 3)})``. Enumerations, and types with ``code`` and ``of_code``, are
    converted by the type hints of the record. A number without an attribute, such as the run id of a key, is an
    argument of :meth:`MessageCodec.pack` and is dropped on reading.

    Args:
        message_type: Type of the messages, or of the requests of a service.
        record_type: Type of the records.
        attributes: Sources of the fields that are not attributes of the same name.
        make: Function that makes a record from the values of all fields in their order; None: the record type with
            keywords.
        cached: Whether to keep the newest record of each name and the bytes of its numbers. A record that is read again
            with the same bytes is then the same object. Records must not change. The message is a name followed by
            float64 numbers.
    """
    _RECORD_TYPES[message_type] = _RecordType(record_type, dict(attributes or {}), make, cached)
    codec.cache_clear()


class MessageCodec:
    """Codec of one message type; :func:`codec` returns it.

    Args:
        message_type: Type of the messages, with a registered record type.

    Raises:
        TypeError: If a field is no attribute of the record, or its type is not supported.
    """

    def __init__(self, message_type: Any) -> None:
        self.message_type = message_type
        source = _Source(message_type)
        self.extra = tuple(source.extra)
        """Names of the numbers of the message that the record does not contain."""
        self.write: Callable[..., None] = source.function('write')
        """``write(out, record, **extra)`` appends a record to a :class:`regolith_world.ros.cdr.Writer`."""
        self.read: Callable[[Reader], Any] = source.function('read')
        """``read(data)`` reads a record from a :class:`regolith_world.ros.cdr.Reader`."""

    def pack(self, record: Any, **extra: int) -> bytes:
        """Return the bytes of the message of a record.

        Args:
            record: The record.
            **extra: Numbers that the record does not contain, such as ``run_id``; default 0.
        """
        out = Writer()
        self.write(out, record, **extra)
        return bytes(out.data)

    def unpack(self, message: bytes) -> Any:
        """Return the record from the bytes of a message."""
        if not is_plain(message):  # another byte order or format: the middleware converts it
            message = serialize_message(deserialize_message(message, self.message_type))
        return self.read(Reader(message))

    def to_message(self, record: Any, **extra: int) -> Any:
        """Return the message object of a record; see :meth:`pack`."""
        return deserialize_message(self.pack(record, **extra), self.message_type)

    def from_message(self, message: Any) -> Any:
        """Return the record of a message object."""
        return self.unpack(serialize_message(message))


@cache
def codec(message_type: Any) -> MessageCodec:
    """Return the codec of a message type with a registered record type."""
    return MessageCodec(message_type)


# -- generation -------------------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """Consecutive fields that are written together."""

    kind: str
    """scalar, reals, text, texts, raw, numbers, points, record or records."""
    source: str
    """Expression of the value in the record ``v``."""
    name: str
    """Attribute of the record, '' for an extra number."""
    code: str = ''
    """Code of the scalar or of the numbers."""
    count: int = 1
    """Number of float64 values."""
    hint: Any = None
    shape: tuple[int, ...] | None = None
    codec: str = ''
    """Name of the codec in the generated code."""


class _Source:
    """Source text of the two functions of a message type."""

    def __init__(self, message_type: Any) -> None:
        self._message_type = message_type
        self._registered = _RECORD_TYPES[message_type]
        self._names: dict[str, Any] = {'np': np, 'REAL': np.dtype('<f8'), 'record': self._registered.type}
        self.extra: list[str] = []
        """Names of the numbers that the record does not contain."""
        self._known = _attributes_of(self._registered.type)
        self._parts = [*self._flat(message_type)]
        self._write: list[str] = []
        self._read: list[str] = []
        self._values: list[tuple[str, str]] = []
        """Attribute and variable of each value that was read."""
        self._newest: dict[str, tuple[bytes, Any]] = {}
        """Newest record of each name that was read, with the bytes of its numbers."""
        self._generate()

    def function(self, name: str) -> Callable[..., Any]:
        """Return a generated function."""
        extra = ''.join(f', {each}=0' for each in self.extra)
        head = {'write': f'def write(out, v{extra}):', 'read': 'def read(data):'}[name]
        body = self._write if name == 'write' else [*self._read, *self._returned()]
        text = '\n    '.join([head, *(body or ['pass'])])
        exec(compile(text, f'<{name} {self._message_type.__name__}>', 'exec'), self._names)
        function: Callable[..., Any] = self._names.pop(name)
        return function

    def _bind(self, value: Any) -> str:
        name = f'g{len(self._names)}'
        self._names[name] = value
        return name

    def _flat(self, message_type: Any) -> Iterator[_Part]:
        """Yield the parts of a message in the order of its fields."""
        for name, slot in zip(message_type.get_fields_and_field_types(), message_type.SLOT_TYPES, strict=True):
            given = self._registered.attributes.get(name, name if name in self._known else None)
            hint, shape = self._known.get(given if isinstance(given, str) else '', (None, None))
            source = '' if given is None else f'v.{given}' if isinstance(given, str) else f'{self._bind(given)}(v)'
            part = _Part('', source, name if callable(given) else given or '', hint=hint, shape=shape)
            if isinstance(slot, d.NamespacedType):
                yield from self._nested(part, name, _imported(slot))
            elif isinstance(slot, d.BasicType):
                part.kind, part.code = 'scalar', _SCALARS[slot.typename]
                if given is None:
                    part.source = name
                    self.extra.append(name)
                yield part
            elif given is None:
                raise TypeError(f'{message_type.__name__}.{name} is no attribute of {self._registered.type.__name__}')
            elif isinstance(slot, d.AbstractGenericString):
                part.kind = 'text'
                yield part
            elif isinstance(slot, d.Array) and slot.value_type.typename == 'double':
                part.kind, part.count = 'reals', slot.size
                yield part
            elif isinstance(slot, d.AbstractSequence):
                yield self._sequence(part, slot.value_type)
            else:
                raise TypeError(f'{message_type.__name__}.{name}: the type {slot} is not supported')

    def _nested(self, part: _Part, name: str, nested: Any) -> Iterator[_Part]:
        if not part.source:
            yield from self._flat(nested)
        elif nested in _RECORD_TYPES:
            yield self._of_record(part, 'record', nested)
        elif (count := _reals(nested)) is not None:
            part.kind, part.count = 'reals', count
            yield part
        else:
            raise TypeError(f'{self._message_type.__name__}.{name}: {nested.__name__} has no registered record type')

    def _of_record(self, part: _Part, kind: str, nested: Any) -> _Part:
        part.kind, part.codec = kind, self._bind(codec(nested))
        # Arguments of a nested message are passed through.
        self.extra += [each for each in codec(nested).extra if each not in self.extra]
        return part

    def _sequence(self, part: _Part, of: Any) -> _Part:
        if isinstance(of, d.NamespacedType):
            nested = _imported(of)
            if nested in _RECORD_TYPES:
                return self._of_record(part, 'records', nested)
            if (count := _reals(nested)) is None or part.shape != (-1, count):
                raise TypeError(f'{self._message_type.__name__}: a sequence of {nested.__name__} is not supported')
            part.kind, part.count = 'points', count
            return part
        if isinstance(of, d.AbstractGenericString):
            part.kind = 'texts'
        elif of.typename == 'uint8':
            part.kind = 'raw'
        else:
            part.kind, part.code = 'numbers', self._bind(np.dtype(f'<{_SCALARS[of.typename]}'))
        return part

    def _generate(self) -> None:
        at = 0
        while at < len(self._parts):
            end = at + 1
            kinds = {'scalar', 'reals'}
            first = self._parts[at]
            if first.kind in kinds:
                while end < len(self._parts) and self._joins(at, end):
                    end += 1
            group = self._parts[at:end]
            if any(part.kind == 'reals' for part in group):
                self._block(group)
            elif first.kind == 'scalar':
                self._scalars(group)
            else:
                getattr(self, f'_{first.kind}')(first)
            at = end

    def _joins(self, at: int, end: int) -> bool:
        """Return whether a part is written in one block with those from ``at`` on.

        Numbers of one block need no alignment, except padding that is known. Blocks of arrays have float64 only.
        """
        part, group = self._parts[end], self._parts[at:end]
        if part.kind not in ('scalar', 'reals'):
            return False
        doubles = all(each.kind == 'reals' or each.code == 'd' for each in group)
        if part.kind == 'reals' or any(each.kind == 'reals' for each in group):
            return doubles and (part.kind == 'reals' or part.code == 'd')
        # Scalars before an array belong to its block.
        following = self._parts[end + 1 : end + 2]
        if part.code == 'd' and not doubles and following and following[0].kind == 'reals':
            return False
        return struct.calcsize(part.code) <= struct.calcsize(group[0].code)

    def _scalars(self, group: list[_Part]) -> None:
        layout, size = '<', struct.calcsize(group[0].code)
        for part in group:
            width = struct.calcsize(part.code)
            padding = -struct.calcsize(layout) % width
            layout += f'{padding}x{part.code}' if padding else part.code
        packer = self._bind(struct.Struct(layout))
        values = ', '.join(f'{p.source}.code()' if hasattr(p.hint, 'of_code') else p.source for p in group)
        self._write.append(f'out.pack({packer}, {size}, {values})')
        variables = [self._value(part) if part.name else '_' for part in group]
        self._read.append(f'{", ".join(variables)}, = data.unpack({packer}, {size})')
        for part, variable in zip(group, variables):
            if hasattr(part.hint, 'of_code'):
                self._read.append(f'{variable} = {self._bind(part.hint.of_code)}({variable})')
            elif isinstance(part.hint, type) and issubclass(part.hint, Enum):
                self._read.append(f'{variable} = {self._bind(part.hint)}({variable})')

    def _block(self, group: list[_Part]) -> None:
        """Write numbers of type float64 that follow each other as one array."""
        pieces = [
            f'({p.source},)' if p.kind == 'scalar' else f'{p.source}.ravel()' if p.shape else p.source for p in group
        ]
        whole = f'np.concatenate(({", ".join(pieces)},)).astype(REAL, copy=False).tobytes()'
        if self._registered.cached:
            kept = self._bind({})
            self._write += [
                f'known = {kept}.get(v.name)',
                'if known is None or known[0] is not v:',
                f'    known = {kept}[v.name] = v, {whole}',
                'out.fixed(known[1], 8)',
            ]
        else:
            self._write.append(f'out.fixed({whole}, 8)')
        count = sum(part.count for part in group)
        if self._registered.cached:
            self._read += [
                f'block = data.block({8 * count})',
                f'known = {self._bind(self._newest)}.get({self._values[0][1]})',
                'if known is not None and known[0] == block:',
                '    return known[1]',
                'n = np.frombuffer(block, REAL).astype(float)',
            ]
        else:
            self._read.append(f'n = data.fixed({count}, REAL).astype(float)')
        first = 0
        for part in group:
            piece = f'n[{first}:{first + part.count}]' if part.kind == 'reals' else f'float(n[{first}])'
            piece += f'.reshape({part.shape})' if part.shape else ''
            self._read.append(f'{self._value(part)} = {piece}')
            first += part.count

    def _text(self, part: _Part) -> None:
        self._write.append(f'out.text({part.source})')
        self._read.append(f'{self._value(part)} = data.text()')

    def _texts(self, part: _Part) -> None:
        self._write.append(f'out.texts({part.source})')
        self._read.append(f'{self._value(part)} = data.texts()')

    def _raw(self, part: _Part) -> None:
        of = next((each for each in get_args(part.hint) if hasattr(each, 'of_code')), None)
        if of is None:
            self._write.append(f'out.raw({part.source})')
            self._read.append(f'{self._value(part)} = data.raw()')
        else:
            self._write.append(f'out.raw(bytes([each.code() for each in {part.source}]))')
            self._read.append(f'{self._value(part)} = tuple(map({self._bind(of.of_code)}, data.raw()))')

    def _numbers(self, part: _Part) -> None:
        source = f'{part.source}.ravel()' if part.shape else f'np.asarray({part.source})'
        self._write.append(f'out.numbers({source}, {part.code})')
        after = f'.reshape({part.shape})' if part.shape else ''
        value = f'data.numbers({part.code}){after}'
        if get_origin(part.hint) is tuple:
            value = f'tuple({value}.tolist())'
        self._read.append(f'{self._value(part)} = {value}')

    def _points(self, part: _Part) -> None:
        self._write += [
            f'many = {part.source}',
            'out.count(len(many))',
            'if len(many):',
            '    out.fixed(many.astype(REAL, copy=False).tobytes(), 8)',
        ]
        shape = f'(count, {part.count})'
        self._read += [
            'count = data.count()',
            f'found = data.fixed({part.count} * count, REAL).astype(float) if count else np.zeros(0)',
            f'{self._value(part)} = found.reshape({shape})',
        ]

    def _record_write(self, part: _Part) -> str:
        extra = ''.join(f', {each}={each}' for each in self._names[part.codec].extra)
        return f'{self._bind(self._names[part.codec].write)}(out, {{}}{extra})'

    def _record(self, part: _Part) -> None:
        self._write.append(self._record_write(part).format(part.source))
        self._read.append(f'{self._value(part)} = {self._bind(self._names[part.codec].read)}(data)')

    def _records(self, part: _Part) -> None:
        reader = self._bind(self._names[part.codec].read)
        self._write += [
            f'many = {part.source}',
            'out.count(len(many))',
            'for each in many:',
            f'    {self._record_write(part).format("each")}',
        ]
        self._read.append(f'{self._value(part)} = tuple([{reader}(data) for _ in range(data.count())])')

    def _value(self, part: _Part) -> str:
        variable = f'x{len(self._values)}'
        self._values.append((part.name, variable))
        return variable

    def _returned(self) -> list[str]:
        """Return the lines that make the record and return it."""
        if not self._registered.cached:
            return [f'return {self._made()}']
        name, *numbers = self._parts
        if name.source != 'v.name' or any(part.kind not in ('reals', 'scalar') for part in numbers):
            raise TypeError(f'{self._message_type.__name__}: a cached message is a name followed by float64 numbers')
        kept = f'{self._bind(self._newest)}[{self._values[0][1]}]'
        return [f'made = {self._made()}', f'{kept} = block, made', 'return made']

    def _made(self) -> str:
        if self._registered.make is not None:
            return f'{self._bind(self._registered.make)}({", ".join(variable for _, variable in self._values)})'
        return f'record({", ".join(f"{name}={variable}" for name, variable in self._values)})'


def _imported(slot: Any) -> Any:
    return getattr(import_module('.'.join(slot.namespaces)), slot.name)


def _attributes_of(record_type: Any) -> dict[str, tuple[Any, tuple[int, ...] | None]]:
    """Return type hint and shape of each attribute of a record type."""
    if not (is_dataclass(record_type) or hasattr(record_type, '_fields')):
        return {}
    hints = get_type_hints(record_type)
    if not is_dataclass(record_type):
        return {name: (hints[name], None) for name in record_type._fields}
    return {each.name: (hints[each.name], each.metadata.get('shape')) for each in fields(record_type)}


def _reals(message_type: Any) -> int | None:
    """Return the number of values of a message of float64 numbers only, else None."""
    count = 0
    for slot in message_type.SLOT_TYPES:
        if isinstance(slot, d.NamespacedType) and (inner := _reals(_imported(slot))) is not None:
            count += inner
        elif isinstance(slot, d.BasicType) and slot.typename == 'double':
            count += 1
        else:
            return None
    return count
