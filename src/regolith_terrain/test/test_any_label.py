# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of PDS3 labels with random content."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regolith_terrain.elevation.pds3 import open_pds3, parse_label

SEVERAL = settings(
    derandomize=True, max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LABEL = {
    'RECORD_BYTES': '8',
    '^IMAGE': '"A.IMG"',
    'TARGET_NAME': 'MOON',
    'OBJECT': 'IMAGE',
    'LINES': '3',
    'LINE_SAMPLES': '4',
    'SAMPLE_TYPE': 'LSB_INTEGER',
    'SAMPLE_BITS': '16',
    'UNIT': 'METER',
    'SCALING_FACTOR': '0.5',
    'OFFSET': '10.0',
    'MISSING_CONSTANT': '-32768',
    'END_OBJECT': 'IMAGE',
    'OBJECT ': 'IMAGE_MAP_PROJECTION',
    'MAP_PROJECTION_TYPE': '"POLAR STEREOGRAPHIC"',
    'A_AXIS_RADIUS': '1737.4 <KM>',
    'CENTER_LATITUDE': '-90.0 <DEG>',
    'CENTER_LONGITUDE': '0.0 <DEG>',
    'MAP_SCALE': '5.0 <M/PIXEL>',
    'LINE_PROJECTION_OFFSET': '6000.0',
    'SAMPLE_PROJECTION_OFFSET': '-4000.0',
    'END_OBJECT ': 'IMAGE_MAP_PROJECTION',
}
ODD = st.sampled_from(
    [
        '',
        '0',
        '-1',
        '1e400',
        '-1e400',
        '1e-320',
        '3.5',
        '1e18',
        '99999999999999999999',
        'NULL',
        '"',
        '(1,',
        '(',
        '()',
        '{}',
        '16#FF#',
        '16#FF7FFFFB#',
        '<M>',
        '5 <',
        '""',
        '"EQUIRECTANGULAR"',
        'SIMPLE_CYLINDRICAL',
        '("A.IMG", 2 <BYTES>)',
        '("A.IMG", 9)',
        '("A.IMG", X)',
        '"../A.IMG"',
        '\x00',
        'ü',
        '1 /* x',
    ]
) | st.text(max_size=6)


@SEVERAL
@given(st.dictionaries(st.sampled_from(sorted(LABEL)), ODD | st.none(), max_size=3))
def test_pds3_label_with_random_values_is_read_or_rejected(tmp_path: Path, changes: dict[str, str | None]) -> None:
    items = {**LABEL, **changes}
    lines = [f'{key.strip()} = {value}' for key, value in items.items() if value is not None]
    text = '\n'.join(['PDS_VERSION_ID = PDS3', *lines, 'END', ''])
    (tmp_path / 'A.LBL').write_text(text, encoding='utf-8')
    (tmp_path / 'A.IMG').write_bytes(np.arange(12, dtype='<i2').tobytes())
    try:
        grid = open_pds3(tmp_path / 'A.LBL')
    except ValueError as error:
        assert str(tmp_path / 'A') in str(error), error
        return
    assert grid.rows > 0 and grid.cols > 0
    assert grid.read(0, 1, 0, 1).shape == (1, 1)
    if not changes:
        assert grid.read(0, 3, 0, 4).ravel().tolist() == (np.arange(12) * 0.5 + 10.0).tolist()


@SEVERAL
@given(st.text(alphabet='AB=1.(){}"<>/*\n END_OJECT', max_size=80) | st.text(max_size=60))
def test_parse_label_any_text_gives_items(text: str) -> None:
    label = parse_label(text)
    assert isinstance(label, dict) and all(isinstance(key, str) for key in label)
