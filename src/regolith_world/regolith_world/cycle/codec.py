# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codec of records for checkpoints: JSON with bit-identical numbers.

Python prints a float with enough digits to restore the same bits, so no binary format is needed and a checkpoint can be
read with any text tool. Arrays carry shape and type, so empty arrays keep both, and integers remain integers.
"""

from __future__ import annotations

import base64
import json
import types
import typing
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Any, TypeVar

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
        return kind(*value)
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
