# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codec of saved state: records as JSON, and declared fields as bytes.

A record is JSON with bit-identical numbers: Python prints a float with enough digits to restore the same bits. Arrays
carry shape and type, so empty arrays keep both, and integers remain integers.

A :class:`StateLayout` declares the fields of a class's state once. It packs them in their order, numbers and arrays
little-endian, and restores them. The state hash of a vehicle covers these bytes, so a changed declaration changes it.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

T = TypeVar('T')


def plain(value: Any) -> Any:
    """Return ``value`` (records, arrays, tuples, bytes) as JSON values.

    Args:
        value: The value.

    Raises:
        TypeError: If any part of it would not be restored exactly.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in 'biuf':
            raise TypeError(f'an array of {value.dtype} cannot be saved; allowed: booleans, integers and floats')
        return {'shape': list(value.shape), 'type': value.dtype.str, 'values': value.ravel().tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, IntEnum):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        if odd := [k for k in value if not isinstance(k, str)]:
            raise TypeError(f'key {odd[0]!r} of a mapping is not text; allowed: text')
        return {k: plain(v) for k, v in value.items()}
    return value


def build(kind: Any, value: Any) -> Any:
    """Return the object of type ``kind`` from the JSON value of :func:`plain`."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return None if value is None else build(next(k for k in typing.get_args(kind) if k is not type(None)), value)
    if origin is np.ndarray or kind is np.ndarray:
        return np.array(value['values'], dtype=value['type']).reshape(value['shape'])
    if origin is tuple:
        arguments = typing.get_args(kind)
        if arguments[-1] is Ellipsis:
            return tuple(build(arguments[0], v) for v in value)
        return tuple(build(k, v) for k, v in zip(arguments, value))
    if origin is list:
        return [build(typing.get_args(kind)[0], v) for v in value]
    if origin is dict:
        return {k: build(typing.get_args(kind)[1], v) for k, v in value.items()}
    if kind is bytes:
        return base64.b64decode(value)
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{f.name: build(hints[f.name], value[f.name]) for f in fields(kind)})  # type: ignore[operator]
    if isinstance(kind, type) and hasattr(kind, '_fields'):
        return kind(*(build(of, v) for of, v in zip(typing.get_type_hints(kind).values(), value, strict=True)))
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return kind(value)
    return value


def encode_record(value: Any) -> bytes:
    """Return a record as canonical bytes."""
    return json.dumps(plain(value), separators=(',', ':'), sort_keys=True).encode()


def decode_record(kind: type[T], blob: bytes) -> T:
    """Return the record of type ``kind`` from the bytes of :func:`encode_record`.

    Args:
        kind: Type of the record.
        blob: The bytes.

    Raises:
        ValueError: If the bytes hold no such record.
    """
    try:
        return typing.cast(T, build(kind, json.loads(blob)))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f'not a saved {kind.__name__} ({len(blob)} bytes): {error!r}') from None


class Part(NamedTuple):
    """Kind of a field that packs itself: a part with methods ``save`` and ``load``, a list of such parts, or None."""

    unit: int = 0
    """Unit of the number that precedes the bytes and states their length [bytes]; 0: all bytes up to the end."""
    of: Callable[[bytes], Any] | None = None
    """Function that returns the value of the bytes; None: the present value is changed."""


class StateField(NamedTuple):
    """A declared field of a state."""

    name: str
    """Attribute; with a dot, that of a part."""
    kind: Any
    """What it is, and how it is packed.

    * Code of :mod:`struct`, such as ``'d'`` or ``'q'``: a number. If a later shape has its name as a size, it is no
      attribute, but that size.
    * Type of NumPy, such as ``'<f8'``: an array.
    * ``bytes``: bytes, preceded by their number unless ``shape`` names it.
    * :class:`Saved`: a part, whose fields follow; None: no part and no bytes.
    * :class:`Part`: a part that packs itself.
    * Another type: a record as in :func:`encode_record`.
    """
    shape: Any = ...
    """Sizes of an array, as numbers or names; a name without a field follows from the number of bytes up to the end.
    ``...``: the shape of the present array."""
    same: bool = False
    """Whether the saved value must be that of the object that is restored."""
    shared: bool = False
    """Whether the values are written to the present array, because others refer to it."""


def state_fields(kind: Any, *names: str, shared: bool = False) -> tuple[StateField, ...]:
    """Return fields of one kind, see :class:`StateField`."""
    return tuple(StateField(name, kind, shared=shared) for name in names)


class StateLayout:
    """Declared fields of a class's state.

    Args:
        what: Name of such a state in messages.
        *declared: Fields in the order in which they are packed.
        tag: First bytes, which name class and version.
    """

    def __init__(self, what: str, *declared: StateField, tag: bytes = b'') -> None:
        self.what, self.fields, self.tag = what, declared, tag
        self._places = [_place(field) for field in declared]
        self._sizes: dict[str, str] = {}  # what a number that is a size is found from
        for name, kind, shape, *_ in declared:
            for k, size in enumerate(() if shape is ... else shape):
                if isinstance(size, str):
                    self._sizes.setdefault(size, f'len(o.{name})' if kind is bytes else f'o.{name}.shape[{k}]')

    @cached_property
    def pack(self) -> Callable[[Any], bytes]:
        """Function that returns the state of an object as bytes."""
        scope: dict[str, Any] = {
            'raw': _raw,
            'framed': _framed,
            'part': _part,
            'encode': encode_record,
            'tag': self.tag,
        }
        terms, run, values = ['tag'] if self.tag else [], '<', list[str]()
        for k, (name, kind, shape, *_) in enumerate((*self.fields, StateField('', None))):
            if _is_number(kind):
                run, values = run + kind, [*values, self._sizes.get(name, f'o.{name}')]
                continue
            if values:
                scope[f'n{k}'] = struct.Struct(run).pack
                terms.append(f'n{k}({", ".join(values)})')
                run, values = '<', []
            if kind is Saved or isinstance(kind, Part):
                terms.append(f'part(o.{name}, {kind.unit if isinstance(kind, Part) else 0})')
            elif kind is bytes:
                terms.append(f'framed(o.{name})' if shape is ... else f'o.{name}')
            elif _is_array(kind):
                scope[f'k{k}'] = np.dtype(kind)
                terms.append(f'raw(o.{name}, k{k})')
            elif kind is not None:
                terms.append(f'framed(encode(o.{name}))')
        whole = terms[0] if len(terms) == 1 else f'b"".join(({", ".join(terms)}))'
        function: Callable[[Any], bytes] = eval(f'lambda o: {whole}', scope)
        return function

    def unpack(self, item: Any, blob: bytes) -> None:
        """Restore the state of an object from the bytes of :attr:`pack`.

        Args:
            item: Object whose attributes are set.
            blob: The bytes.

        Raises:
            ValueError: If they are not such a state, of this version, and complete; names the object and the field.
        """
        if not blob.startswith(self.tag):
            raise ValueError(
                f'{_name(item)}not the saved state of {self.what} of this version: {len(blob)} bytes that begin with '
                f'{blob[: len(self.tag)]!r}; allowed: {self.tag!r}'
            )
        end = self.read(item, blob, len(self.tag))
        if end != len(blob):
            raise ValueError(f'{_name(item)}saved state of {self.what} has {len(blob)} bytes; allowed: {end}')

    def values(self, blob: bytes) -> types.SimpleNamespace:
        """Return the values of the fields by their last names; arrays need declared shapes.

        Raises:
            ValueError: As :meth:`unpack`.
        """
        found = types.SimpleNamespace()
        self.unpack(found, blob)
        return found

    def read(self, item: Any, blob: bytes, at: int) -> int:
        """Restore the fields from bytes at an offset; return the end offset."""
        sizes: dict[str, int] = {}
        for k, each in enumerate(self.fields):
            try:
                at = self._read(k, item, blob, at, sizes)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(
                    f'{_name(item)}saved state of {self.what} ({len(blob)} bytes), field {each.name!r}: {error}'
                ) from None
        return at

    def _read(self, k: int, item: Any, blob: bytes, at: int, sizes: dict[str, int]) -> int:
        """Restore a field; return the end offset."""
        name, kind, shape, same, shared = self.fields[k]
        path, last, number = self._places[k]
        owner = path(item) if path is not None and not isinstance(item, types.SimpleNamespace) else item
        value: Any
        if kind is Saved or (isinstance(kind, Part) and kind.of is None):
            present = getattr(owner, last)
            for part in present if isinstance(present, list) else () if present is None else (present,):
                if isinstance(kind, Part):
                    value, at = _cut(blob, at, kind.unit)
                    part.load(value)
                else:
                    at = part.STATE.read(part, blob, at)
            return at
        if _is_number(kind):
            value, at = _cut(blob, at, 0, struct.calcsize(f'<{kind}'))
            (value,) = struct.unpack(f'<{kind}', value)
            if name in self._sizes:
                sizes[name] = value
                return at
        elif number is not None:
            whole = getattr(owner, last).shape if shape is ... else self._shape(k, len(blob) - at, sizes)
            value, at = _cut(blob, at, 0, number.itemsize * math.prod(whole))
            value = np.frombuffer(value, number).reshape(whole).copy()
        elif shape is not ...:
            length = shape[0] if isinstance(shape[0], int) else sizes.get(shape[0], -1)
            value, at = _cut(blob, at, 0, length)
        else:
            value, at = _cut(blob, at, kind.unit if isinstance(kind, Part) else 1)
            if isinstance(kind, Part) and kind.of is not None:
                value = kind.of(value)
            elif kind is not bytes:
                value = build(kind, json.loads(value))
        if same:
            if not np.array_equal(value, getattr(owner, last)):
                raise ValueError(f'{value}; allowed: {getattr(owner, last)}')
        elif shared:
            getattr(owner, last)[...] = value
        else:
            setattr(owner, last, value)
        return at

    def _shape(self, k: int, left: int, sizes: dict[str, int]) -> tuple[int, ...]:
        """Return the shape of a field's array with ``left`` bytes from its start to the end."""
        for size in self.fields[k].shape:
            if isinstance(size, str) and size not in sizes:
                # The field and all later ones have so many rows.
                rows = ((np.dtype(each.kind).itemsize, each.shape[1:]) for each in self.fields[k:])
                sizes[size], odd = divmod(left, sum(width * math.prod(rest) for width, rest in rows))
                if odd:
                    raise ValueError(f'{left} bytes are not whole rows')
        return tuple(sizes[size] if isinstance(size, str) else size for size in self.fields[k].shape)


class Saved:
    """Base class of objects with a declared state."""

    STATE: ClassVar[StateLayout] = StateLayout('nothing')
    """Declared state; nothing else may change during a run, except what follows from it."""
    __slots__ = ()

    def save(self) -> bytes:
        """Return the declared state as bytes; equal states give equal bytes."""
        return self.STATE.pack(self)

    def load(self, blob: bytes) -> None:
        """Restore the state from :meth:`save`.

        Raises:
            ValueError: If the bytes are not such a state; names the field.
        """
        self.STATE.unpack(self, blob)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, str) and len(kind) == 1


def _is_array(kind: Any) -> bool:
    return isinstance(kind, np.dtype) or (isinstance(kind, str) and len(kind) > 1)


def _place(field: StateField) -> tuple[Callable[[Any], Any] | None, str, np.dtype[Any] | None]:
    """Return the function that finds the part with a field, the attribute, and the type of its numbers in an array."""
    path, _, last = field.name.rpartition('.')
    return attrgetter(path) if path else None, last, np.dtype(field.kind) if _is_array(field.kind) else None


def _name(item: Any) -> str:
    name = getattr(item, 'name', '')
    return f'{name}: ' if isinstance(name, str) and name else ''


def _raw(values: Any, number: np.dtype[Any]) -> bytes:
    """Return an array as bytes of a type of number."""
    return (values if values.dtype == number else np.asarray(values, number)).tobytes()


def _framed(data: bytes, unit: int = 1) -> bytes:
    """Return bytes after their length in units; 0: without it."""
    return struct.pack('<q', len(data) // unit) + data if unit else data


def _part(part: Any, unit: int) -> bytes:
    """Return a part, a list of parts or None as bytes."""
    if isinstance(part, list):
        return b''.join(_framed(each.save(), unit) for each in part)
    return b'' if part is None else _framed(part.save(), unit)


def _cut(blob: bytes, at: int, unit: int, length: int = -1) -> tuple[bytes, int]:
    """Return bytes from an offset, and their end offset.

    Args:
        blob: Bytes.
        at: Offset.
        unit: Unit of the number that precedes them; 0: none.
        length: Their number without such a number; -1: up to the end.

    Raises:
        ValueError: If there are not so many.
    """
    if unit:
        head, at = _cut(blob, at, 0, 8)
        length = int.from_bytes(head, 'little', signed=True) * unit
    elif length < 0:
        length = len(blob) - at
    if not 0 <= length <= len(blob) - at:
        raise ValueError(f'{length} bytes; allowed: the {len(blob) - at} that are left, so it is truncated')
    return blob[at : at + length], at + length
