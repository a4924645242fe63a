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
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cached_property, partial
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


class OptionalNumber(NamedTuple):
    """Kind of a field that is a number, or None without bytes; an object never changes from one to the other."""

    code: str
    """Code of :mod:`struct`."""


class StateField(NamedTuple):
    """A declared field of a state."""

    name: str
    """Attribute; with a dot, that of a part."""
    kind: Any
    """What it is, and how it is packed.

    * Code of :mod:`struct`, such as ``'d'`` or ``'q'``: a number. If a later shape has its name as a size, it is no
      attribute, but that size.
    * :class:`OptionalNumber`: a number or None.
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
    last: bool = False
    """Whether the value is set after those of all other fields, which its setter needs."""


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
        self._sizes: dict[str, tuple[str, int]] = {}
        """Field and axis from which a number that is a size is found."""
        for name, _, shape, *_ in declared:
            for k, size in enumerate(() if shape is ... else shape):
                if isinstance(size, str):
                    self._sizes.setdefault(size, (name, k))

    @cached_property
    def pack(self) -> Callable[[Any], bytes]:
        """Function that returns the state of an object as bytes."""
        scope: dict[str, Any] = {
            'raw': _raw,
            'framed': _framed,
            'parts': _parts,
            'encode': encode_record,
            'tag': self.tag,
        }
        kinds = {field.name: field.kind for field in self.fields}
        found: set[str] = set()

        def value(name: str) -> str:
            """Return the expression of a field; one that is also a size is found once, as it may be computed."""
            if name not in {of for of, _ in self._sizes.values()}:
                return f'o.{name}'
            local = f'v_{name.replace(".", "_")}'
            first = name not in found
            found.add(name)
            return f'({local} := o.{name})' if first else local

        def number(name: str) -> str:
            if name not in self._sizes:
                return f'o.{name}'
            of, axis = self._sizes[name]
            return f'len({value(of)})' if kinds[of] is bytes else f'{value(of)}.shape[{axis}]'

        terms, run, values = ['tag'] if self.tag else [], '<', list[str]()
        for k, (name, kind, shape, *_) in enumerate((*self.fields, StateField('', None))):
            if _is_number(kind):
                run, values = run + kind, [*values, number(name)]
                continue
            if values:
                scope[f'n{k}'] = struct.Struct(run).pack
                terms.append(f'n{k}({", ".join(values)})')
                run, values = '<', []
            if isinstance(kind, OptionalNumber):
                scope[f'k{k}'] = struct.Struct(f'<{kind.code}').pack
                terms.append(f'(b"" if o.{name} is None else k{k}(o.{name}))')
            elif kind is Saved or isinstance(kind, Part):
                terms.append(f'*parts(o.{name}, {kind.unit if isinstance(kind, Part) else 0})')
            elif kind is bytes:
                terms.append(f'*framed({value(name)})' if shape is ... else value(name))
            elif _is_array(kind):
                scope[f'k{k}'] = np.dtype(kind)
                terms.append(f'raw({value(name)}, k{k})')
            elif kind is not None:
                terms.append(f'*framed(encode(o.{name}))')
        whole = terms[0] if len(terms) == 1 and terms[0][0] != '*' else f'b"".join([{", ".join(terms)}])'
        function: Callable[[Any], bytes] = eval(f'lambda o: {whole}', scope)
        return function

    def unpack(self, item: Any, blob: bytes) -> None:
        """Restore the state of an object from the bytes of :attr:`pack`.

        All values are read before the first one is set, so bytes that are not such a state change nothing. Only setters
        may still refuse a value.

        Args:
            item: Object whose attributes are set.
            blob: The bytes.

        Raises:
            ValueError: If they are not such a state, of this version, and complete; names the object and the field.
        """
        for setter in self.setters(item, blob):
            setter()

    def setters(self, item: Any, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state as :meth:`unpack` does; until they are called nothing changes."""
        if not blob.startswith(self.tag):
            raise ValueError(
                f'{_name(item)}not the saved state of {self.what} of this version: {len(blob)} bytes that begin with '
                f'{blob[: len(self.tag)]!r}; allowed: {self.tag!r}'
            )
        end, setters = self._read_all(item, blob, len(self.tag))
        if end != len(blob):
            raise ValueError(f'{_name(item)}saved state of {self.what} has {len(blob)} bytes; allowed: {end}')
        return setters

    def values(self, blob: bytes) -> types.SimpleNamespace:
        """Return the values of the fields by their last names; arrays need declared shapes.

        Raises:
            ValueError: As :meth:`unpack`.
        """
        found = types.SimpleNamespace()
        self.unpack(found, blob)
        return found

    def _read_all(self, item: Any, blob: bytes, at: int) -> tuple[int, list[Callable[[], None]]]:
        """Return the end offset of the fields in bytes at an offset, and the functions that set their values."""
        sizes: dict[str, int] = {}
        setters: list[Callable[[], None]] = []
        late: list[Callable[[], None]] = []
        for k, field in enumerate(self.fields):
            try:
                at, more = self._read(k, item, blob, at, sizes)
            except (KeyError, TypeError, ValueError) as error:
                raise self._error(k, item, blob, error) from None
            (late if field.last else setters).extend(more)
        return at, setters + late

    def _error(self, k: int, item: Any, blob: bytes, error: Exception) -> ValueError:
        name = self.fields[k].name
        return ValueError(f'{_name(item)}saved state of {self.what} ({len(blob)} bytes), field {name!r}: {error}')

    def _read(
        self, k: int, item: Any, blob: bytes, at: int, sizes: dict[str, int]
    ) -> tuple[int, list[Callable[[], None]]]:
        """Return the end offset of a field, and the functions that set its value."""
        name, kind, shape, same, *_ = self.fields[k]
        path, last, number = self._places[k]
        owner = path(item) if path is not None and not isinstance(item, types.SimpleNamespace) else item
        value: Any
        if kind is Saved or (isinstance(kind, Part) and kind.of is None):
            return _read_parts(getattr(owner, last), kind, blob, at)
        if _is_number(kind) or isinstance(kind, OptionalNumber):
            code = kind.code if isinstance(kind, OptionalNumber) else kind
            if code is not kind and getattr(owner, last) is None:
                return at, []
            value, at = _cut(blob, at, 0, struct.calcsize(f'<{code}'))
            (value,) = struct.unpack(f'<{code}', value)
            if name in self._sizes:
                sizes[name] = value
                return at, []
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
            return at, []
        return at, [partial(self._set, k, item, blob, value)]

    def _set(self, k: int, item: Any, blob: bytes, value: Any) -> None:
        """Set the value of a field; its owner may have been replaced by the setter of an earlier one."""
        path, last, _ = self._places[k]
        owner = path(item) if path is not None and not isinstance(item, types.SimpleNamespace) else item
        try:
            if self.fields[k].shared:
                getattr(owner, last)[...] = value
            else:
                setattr(owner, last, value)
        except (KeyError, TypeError, ValueError) as error:
            raise self._error(k, item, blob, error) from None

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
        for setter in self.setters(blob):
            setter()

    def setters(self, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state from :meth:`save`; until they are called nothing changes.

        A subclass adds functions that compute what follows from the state.

        Raises:
            ValueError: If the bytes are not such a state; names the field.
        """
        return self.STATE.setters(self, blob)


def _read_parts(present: Any, kind: Any, blob: bytes, at: int) -> tuple[int, list[Callable[[], None]]]:
    """Return the end offset of a part, a list of parts or None in bytes, and the functions that restore them."""
    setters: list[Callable[[], None]] = []
    for part in present if isinstance(present, list) else () if present is None else (present,):
        if kind is Saved:
            at, more = part.STATE._read_all(part, blob, at)
            setters += more
        else:
            value, at = _cut(blob, at, kind.unit)
            # A part with a ``load`` of its own reads the bytes when it is called.
            setters += part.setters(value) if type(part).load is Saved.load else [partial(part.load, value)]
    return at, setters


_length = struct.Struct('<q').pack
"""Function that returns a length as bytes."""


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


def _framed(data: bytes, unit: int = 1) -> tuple[bytes, ...]:
    """Return the length of bytes in units, and the bytes; unit 0: without it."""
    return (_length(len(data) // unit), data) if unit else (data,)


def _parts(part: Any, unit: int) -> Sequence[bytes]:
    """Return the bytes of a part, a list of parts or None."""
    if not isinstance(part, list):
        return () if part is None else _framed(part.save(), unit)
    found: list[bytes] = []
    for each in part:
        found += _framed(each.save(), unit)
    return found


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
