# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Result table of a campaign: one row per run, one column per varied key and result."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from regolith_files import write_atomically

Row = dict[str, Any]
OF_THE_CLOCK = ('wall_s', 'real_time_factor')
"""Results that depend on wall time. They are written to a separate table."""
_LEFT_OUT = ('scenario', 'processes', 'bag', 'failure', 'real_time', *OF_THE_CLOCK)
_AXES = {3: 'xyz', 4: 'xyzw'}


def flat_values(summary: Mapping[str, Any]) -> Row:
    """Return the values of a summary by dotted name, with the number of items for lists of events."""
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
    """Return the names of all columns, in order of first occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_tables(folder: Path, rows: Sequence[Row], name: str = 'table') -> None:
    """Write rows as ``table.csv`` and ``table.parquet``. Equal rows give identical bytes."""
    write_atomically(folder / f'{name}.csv', as_csv(rows))
    write_atomically(folder / f'{name}.parquet', as_parquet(rows))


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV, with empty cells for missing values and JSON for lists."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(rows), lineterminator='\n')
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def as_parquet(rows: Sequence[Row]) -> bytes:
    """Return rows as Parquet. Columns without a common type contain JSON text."""
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
