# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The index of a bag's chunks, kept on disk until the bag is closed.

The library of MCAP keeps it in memory: of each chunk with sixty topics some 5 kB, two chunks a second, 30 MB an hour.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcap.data_stream import RecordBuilder
from mcap.records import ChunkIndex


class ChunkIndices:
    """Stands in for the library's list of records: it appends to it, and at the end writes each that it iterates over.

    Args:
        folder: on whose disk they are kept, in a file without a name
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as the bag is written
        self._builder = RecordBuilder()

    def append(self, index: ChunkIndex) -> None:
        """Keep one more record."""
        index.write(self._builder)
        self._file.write(self._builder.end())

    def __iter__(self) -> Iterator[ChunkIndices]:
        """Yield what writes all of them."""
        yield self

    def write(self, stream: Any) -> None:
        """Write all records."""
        self._file.seek(0)
        while part := self._file.read(1 << 16):
            stream.write(part)

    def close(self) -> None:
        """Delete them."""
        self._file.close()


def keep_on_disk(writer: Any, folder: Path) -> ChunkIndices:
    """Let a ``mcap.writer.Writer`` that has not begun keep its index of chunks in a file, to be closed at its end."""
    indices = ChunkIndices(folder)
    # There is no public way in.
    assert writer._Writer__chunk_indices == []
    writer._Writer__chunk_indices = indices
    return indices
