# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Chunk index of a bag, kept on disk until the bag is closed.

The MCAP library keeps it in memory. With sixty topics it takes 5 kB per chunk, at two chunks per second 30 MB per hour.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcap.data_stream import RecordBuilder
from mcap.records import ChunkIndex


class ChunkIndices:
    """Replacement of the record list of the MCAP library, with append, and iteration at the end to write the records.

    Args:
        folder: Folder on the disk used for an unnamed file.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as the bag is written
        self._builder = RecordBuilder()

    def append(self, index: ChunkIndex) -> None:
        """Append a record."""
        index.write(self._builder)
        self._file.write(self._builder.end())

    def __iter__(self) -> Iterator[ChunkIndices]:
        """Yield an object that writes all records."""
        yield self

    def write(self, stream: Any) -> None:
        """Write all records."""
        self._file.seek(0)
        while part := self._file.read(1 << 16):
            stream.write(part)

    def close(self) -> None:
        """Delete the records."""
        self._file.close()


def keep_on_disk(writer: Any, folder: Path) -> ChunkIndices:
    """Make a new ``mcap.writer.Writer`` keep its chunk index in a file, which must be closed at the end."""
    indices = ChunkIndices(folder)
    # The library has no public interface for this.
    assert writer._Writer__chunk_indices == []
    writer._Writer__chunk_indices = indices
    return indices
