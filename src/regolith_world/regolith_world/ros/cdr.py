# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CDR, the serialization format of ROS 2 messages, for numbers and strings: little-endian.

Alignment counts from behind the four bytes of the encapsulation header. The format is that of CORBA 3.3, part 2,
section 9.3, as used by DDSI-RTPS 2.5, section 10.2. `test/test_message_codec.py` compares it with the middleware's
serializer.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEAD = b'\x00\x01\x00\x00'
"""Encapsulation header of plain little-endian CDR."""
_PADDING = tuple(bytes(n) for n in range(9))
_COUNT = struct.Struct('<I')
_FLOAT = struct.Struct('<d')
_LAST: dict[int, tuple[bytes, tuple[str, ...]]] = {}
"""Last sequence of a number of strings and its bytes, because names are the same in almost every message."""


class Writer:
    """Writer of a message."""

    __slots__ = ('data',)

    def __init__(self) -> None:
        self.data = bytearray(HEAD)
        """Bytes written so far."""

    def pack(self, layout: struct.Struct, size: int, *values: Any) -> None:
        """Write values.

        Args:
            layout: Fields that need no further padding between them once the first is aligned.
            size: Size of the largest field [bytes], to which the first is aligned.
            *values: Values of the fields.
        """
        data = self.data
        data += _PADDING[-(len(data) - 4) % size] + layout.pack(*values)

    def count(self, number: int) -> None:
        """Write the length of a sequence, or any uint32."""
        data = self.data
        data += _PADDING[-len(data) % 4] + _COUNT.pack(number)

    def real(self, value: float) -> None:
        """Write a float64."""
        self.pack(_FLOAT, 8, value)

    def text(self, text: str) -> None:
        """Write a string."""
        raw = text.encode()
        data = self.data
        data += _PADDING[-len(data) % 4] + _COUNT.pack(len(raw) + 1) + raw + b'\x00'

    def texts(self, texts: Sequence[str]) -> None:
        """Write a sequence of strings."""
        self.count(len(texts))
        for text in texts:
            self.text(text)

    def fixed(self, raw: bytes, size: int) -> None:
        """Write an array of fixed length.

        Args:
            raw: Bytes of the numbers, little-endian.
            size: Size of a number [bytes].
        """
        data = self.data
        data += _PADDING[-(len(data) - 4) % size] + raw

    def raw(self, values: bytes) -> None:
        """Write a sequence of bytes."""
        self.count(len(values))
        self.data += values

    def numbers(self, values: NDArray[Any], kind: np.dtype[Any]) -> None:
        """Write a sequence of numbers.

        Args:
            values: The numbers.
            kind: Little-endian type.
        """
        self.count(len(values))
        if len(values):
            self.fixed(values.astype(kind, copy=False).tobytes(), kind.itemsize)


class Reader:
    """Reader of a message.

    Args:
        data: A whole message for which :func:`is_plain` is true.
    """

    __slots__ = ('_at', '_data')

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = len(HEAD)

    def unpack(self, layout: struct.Struct, size: int) -> tuple[Any, ...]:
        """Return values that :meth:`Writer.pack` wrote."""
        at = self._at + -(self._at - 4) % size
        self._at = at + layout.size
        return layout.unpack_from(self._data, at)

    def count(self) -> int:
        """Return the length of a sequence, or any uint32."""
        at = self._at + -self._at % 4
        self._at = at + 4
        number: int = _COUNT.unpack_from(self._data, at)[0]
        return number

    def real(self) -> float:
        """Return a float64."""
        value: float = self.unpack(_FLOAT, 8)[0]
        return value

    def text(self) -> str:
        """Return a string."""
        length = self.count()
        at, self._at = self._at, self._at + length
        return self._data[at : at + length - 1].decode()

    def texts(self) -> tuple[str, ...]:
        """Return a sequence of strings."""
        count = self.count()
        raw, texts = _LAST.get(count, (b'', ()))
        if raw and self._data.startswith(raw, self._at):
            self._at += len(raw)
            return texts
        begin, texts = self._at, tuple([self.text() for _ in range(count)])
        if count:
            _LAST[count] = self._data[begin : self._at], texts
        return texts

    def fixed(self, count: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """Return the read-only numbers that :meth:`Writer.fixed` wrote.

        Args:
            count: Number of values.
            kind: Little-endian type.
        """
        at = self._at + -(self._at - 4) % kind.itemsize
        self._at = at + count * kind.itemsize
        return np.frombuffer(self._data, kind, count, at)

    def block(self, size: int) -> bytes:
        """Return the bytes of float64 numbers that :meth:`Writer.fixed` wrote; ``size`` is their number of bytes."""
        at = self._at + -(self._at - 4) % 8
        self._at = at + size
        return self._data[at : at + size]

    def numbers(self, kind: np.dtype[Any]) -> NDArray[Any]:
        """Return a sequence of numbers."""
        count = self.count()
        return self.fixed(count, kind).astype(kind.newbyteorder('=')) if count else np.zeros(0, kind)

    def raw(self) -> bytes:
        """Return a sequence of bytes."""
        length = self.count()
        at, self._at = self._at, self._at + length
        return self._data[at : at + length]


def is_plain(data: bytes) -> bool:
    """Return whether a message has the format of this module. Other middlewares or machines may differ."""
    return data[:2] == HEAD[:2]
