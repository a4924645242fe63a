# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of a campaign: a row for each run, a column for each varied key and each figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from regolith_files.atomic_write import write_atomically

Row = dict[str, Any]
OF_THE_CLOCK = ('wall_s', 'real_time_factor')
"""Figures that differ from one time to the next; they have a table of their own."""
_LEFT_OUT = ('scenario', 'processes', 'bag', 'failure', 'real_time', *OF_THE_CLOCK)
_AXES = {3: 'xyz', 4: 'xyzw'}


def flat_values(summary: Mapping[str, Any]) -> Row:
    """Return the figures of a summary under dotted names; of lists of events, their number."""
    found = dict(_flat({key: value for key, value in summary.items() if key not in _LEFT_OUT}))
    found['events'] = len(summary.get('events') or ())
    return found


def _flat(value: Mapping[str, Any], above: str = '') -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        name = f'{above}{key}'
        if isinstance(item, Mapping):
            yield from _flat(item, f'{name}.')
        elif isinstance(item, Sequence) and not isinstance(item, str):
            numbers = all(isinstance(each, int | float) for each in item)
            if numbers and len(item) in _AXES:
                yield from ((f'{name}.{axis}', each) for axis, each in zip(_AXES[len(item)], item))
            elif numbers:
                yield from ((f'{name}.{number}', each) for number, each in enumerate(item))
        else:
            yield name, item


def columns(rows: Sequence[Row]) -> list[str]:
    """Return the names of all columns, in the order in which they first come."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_tables(folder: Path, rows: Sequence[Row], name: str = 'table') -> None:
    """Write rows as ``table.csv`` and ``table.parquet``; the same rows give the same bytes."""
    write_atomically(folder / f'{name}.csv', as_csv(rows))
    write_atomically(folder / f'{name}.parquet', as_parquet(rows))


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV: nothing for what a row lacks, JSON for lists."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(rows), lineterminator='\n')
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def as_parquet(rows: Sequence[Row]) -> bytes:
    """Return rows as Parquet; a column whose values have no type in common holds their JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {}
    for name in columns(rows):
        values = [row.get(name) for row in rows]
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            arrays[name] = pa.array([None if value is None else json.dumps(value) for value in values])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays), sink)
    return bytes(sink.getvalue())


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | tuple | dict | bool) else value
