# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation models in PDS3: ``.IMG`` files with attached or separate label (PDS Standards 3.8).

GDAL also reads these, but ignores units (the LOLA float grids are in kilometers) and radii (LOLA's OFFSET makes them
distances from the center of the Moon), and fills a truncated file with zeros.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rasterio.crs import CRS
from rasterio.errors import CRSError

from regolith_files import InputError, usable_file
from regolith_terrain.elevation.grid import AS_STORED, ElevationGrid, Floats, StoredValues, body_radius, is_lunar

_LABEL_BYTES = 1 << 20
_TYPES = {
    'LSB_INTEGER': '<i',
    'MSB_INTEGER': '>i',
    'INTEGER': '>i',
    'SUN_INTEGER': '>i',
    'MAC_INTEGER': '>i',
    'VAX_INTEGER': '<i',
    'PC_INTEGER': '<i',
    'LSB_UNSIGNED_INTEGER': '<u',
    'MSB_UNSIGNED_INTEGER': '>u',
    'UNSIGNED_INTEGER': '>u',
    'SUN_UNSIGNED_INTEGER': '>u',
    'MAC_UNSIGNED_INTEGER': '>u',
    'PC_UNSIGNED_INTEGER': '<u',
    'PC_REAL': '<f',
    'IEEE_REAL': '>f',
    'REAL': '>f',
    'MAC_REAL': '>f',
    'SUN_REAL': '>f',
    'FLOAT': '>f',
}
_LENGTHS = {'': 1.0, 'M': 1.0, 'METER': 1.0, 'METERS': 1.0, 'KM': 1000.0, 'KILOMETER': 1000.0, 'KILOMETERS': 1000.0}
_MISSING = (
    'MISSING_CONSTANT',
    'MISSING',
    'INVALID_CONSTANT',
    'NULL_CONSTANT',
    'NULL',
    'CORE_NULL',
    'NOT_APPLICABLE_CONSTANT',
)
_ITEM = re.compile(r'^\s*(\^?[A-Za-z][\w:]*)\s*=\s*', re.MULTILINE)


@dataclass(frozen=True)
class Quantity:
    """A number with its unit in upper case, '' without a unit."""

    value: float
    unit: str = ''


Label = dict[str, Any]


def parse_label(text: str) -> Label:
    """Return the items of a label; OBJECTs and GROUPs are nested dictionaries.

    Values are strings, :class:`Quantity`, or lists of those.
    """
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.DOTALL)
    root: Label = {}
    stack = [root]
    at = 0
    while True:
        found = _ITEM.search(text, at)
        end = re.compile(r'^\s*END\s*$', re.MULTILINE).search(text, at)
        if found is None or (end is not None and end.start() < found.start()):
            return root
        key = found.group(1).upper()
        raw, at = _raw_value(text, found.end())
        if key in ('OBJECT', 'GROUP'):
            inner: Label = {}
            stack[-1][raw.strip().upper()] = inner
            stack.append(inner)
        elif key in ('END_OBJECT', 'END_GROUP'):
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1][key] = _value(raw)


def _raw_value(text: str, at: int) -> tuple[str, int]:
    """Return the text of the value that starts at index ``at``, and the index of its end."""
    if text[at : at + 1] == '"':
        end = text.find('"', at + 1)
        end = len(text) if end < 0 else end + 1
    elif text[at : at + 1] in '({':
        end = text.find(')' if text[at] == '(' else '}', at)
        end = len(text) if end < 0 else end + 1
    else:
        end = text.find('\n', at)
        end = len(text) if end < 0 else end
    line = text.find('\n', end)
    line = len(text) if line < 0 else line
    # A unit may follow.
    return text[at:line] if '\n' not in text[end:line] and text[end:line].strip().startswith('<') else text[at:end], end


def _value(raw: str) -> Any:
    """Return a value from its text: a :class:`Quantity`, an int from base 16, a string, or a list of those."""
    raw = raw.strip()
    if raw[:1] in ('(', '{'):
        return [_value(part) for part in raw[1:-1].split(',')]
    number = re.fullmatch(r'"?([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"?\s*(?:<([^>]*)>)?', raw)
    if number:
        return Quantity(float(number.group(1)), (number.group(2) or '').strip().upper())
    based = re.fullmatch(r'16#([0-9A-Fa-f]+)#', raw)
    return int(based.group(1), 16) if based else ' '.join(raw.strip('"').split())


class _Reader:
    """Items of a label, with errors that name them."""

    def __init__(self, path: Path, part: str, items: Any) -> None:
        if not isinstance(items, dict):
            raise ValueError(f'{path}: the label has no OBJECT = {part}; allowed: PDS3 images of heights on a map')
        self.path, self.part, self.items = path, part, items

    def number(self, key: str, default: float | None = None) -> Quantity:
        value = self.items.get(key)
        if isinstance(value, Quantity) and math.isfinite(value.value):
            return value
        if value is None and default is not None:
            return Quantity(default)
        text = 'missing' if value is None else f'{value!r} is not a number'
        raise ValueError(f'{self.path}: {self.part}.{key}: {text}; allowed: a number')

    def positive(self, key: str) -> Quantity:
        found = self.number(key)
        if not found.value > 0.0:
            raise ValueError(f'{self.path}: {self.part}.{key}: {found.value:g}; allowed: > 0')
        return found

    def count(self, key: str) -> int:
        found = self.positive(key)
        if found.value != int(found.value):
            raise ValueError(f'{self.path}: {self.part}.{key}: {found.value:g}; allowed: a whole number')
        return int(found.value)

    def length(self, key: str) -> float:
        found = self.positive(key)
        return found.value * self._factor(key, found.unit or 'KM')

    def unit_of(self, key: str) -> float:
        value = self.items.get(key, '')
        return self._factor(key, value if isinstance(value, str) else '')

    def _factor(self, key: str, unit: str) -> float:
        name = unit.upper().strip()
        if name not in _LENGTHS:
            raise ValueError(f'{self.path}: {self.part}.{key}: unit {unit!r}; allowed: METER or KILOMETER')
        return _LENGTHS[name]


def open_pds3(path: Path, values: StoredValues = AS_STORED) -> ElevationGrid:
    """Return the grid of a label, or of an image with a label.

    Args:
        path: Path of the ``.LBL``, or of the ``.IMG`` (with its label attached, or in an ``.LBL`` of the same name).
        values: Interpretation of the stored values, given by the user.

    Raises:
        ValueError: If the label is invalid. The message names the file, the label's key and the problem.
    """
    label_path = _label_of(path)
    with label_path.open('rb') as file:
        text = file.read(_LABEL_BYTES).decode('latin-1').replace('\r', '')
    label = parse_label(text)
    target = str(label.get('TARGET_NAME', 'MOON')).upper()
    if 'MOON' not in target:
        raise ValueError(f'{label_path}: TARGET_NAME: {target!r}; allowed: MOON')
    image_path, start = _pointer(label_path, label)
    image = _Reader(label_path, 'IMAGE', label.get('IMAGE'))
    crs, place = _map(label_path, label)
    if not is_lunar(crs):
        raise ValueError(
            f'{label_path}: its reference system is that of another body (radius {(body_radius(crs) or 0.0) / 1e3:.1f} '
            f'km) than TARGET_NAME {target!r}; allowed: the Moon (1737.4 km)'
        )
    rows, cols = image.count('LINES'), image.count('LINE_SAMPLES')
    if image.number('BANDS', 1.0).value != 1:
        raise ValueError(f'{label_path}: IMAGE.BANDS: {image.number("BANDS").value:g}; allowed: 1, of heights')
    for key in ('LINE_PREFIX_BYTES', 'LINE_SUFFIX_BYTES'):
        if image.number(key, 0.0).value:
            raise ValueError(f'{label_path}: IMAGE.{key}: {image.number(key).value:g}; allowed: 0')
    dtype = _sample_type(label_path, image)
    need = start + rows * cols * dtype.itemsize
    try:
        usable_file(image_path, 'an image', missing=f'no such file {image_path.name} beside it')
    except InputError as error:
        raise ValueError(f'{label_path}: ^IMAGE: {error.problems[0].problem}') from None
    have = image_path.stat().st_size
    if have < need:
        raise ValueError(f'{image_path}: has {have} bytes where the label states {need}; it is truncated')
    unit = image.unit_of('UNIT')
    scale, offset = image.number('SCALING_FACTOR', 1.0).value * unit, image.number('OFFSET', 0.0).value * unit
    radius = _Reader(label_path, 'IMAGE_MAP_PROJECTION', label['IMAGE_MAP_PROJECTION']).length('A_AXIS_RADIUS')
    # For radii instead of heights, the offset is that of the body.
    height_offset = offset - radius if offset > 0.9 * radius else offset
    missing = [found.value for key in _MISSING if isinstance(found := image.items.get(key), Quantity)]

    def read(r0: int, r1: int, c0: int, c1: int) -> Floats:
        raw = np.memmap(image_path, dtype, 'r', start, (rows, cols))[r0:r1, c0:c1]
        heights = values.heights(raw, scale, height_offset)
        for constant in missing:
            heights[raw == np.asarray(constant, raw.dtype)] = np.nan
        # PDS and ISIS mark special real values by the lowest numbers of the type.
        if dtype.kind == 'f':
            heights[~np.isfinite(heights) | (np.asarray(raw) < -1e30)] = np.nan
        return heights

    return ElevationGrid(path, crs, rows, cols, place, read, values=values)


def _label_of(path: Path) -> Path:
    if path.suffix.lower() == '.lbl':
        return path
    with path.open('rb') as file:
        if file.read(80).lstrip().startswith((b'PDS_VERSION_ID', b'CCSD3ZF')):
            return path
    for beside in (path.with_suffix('.LBL'), path.with_suffix('.lbl')):
        if beside.is_file():
            return beside
    raise ValueError(f'{path}: no PDS3 label in it (PDS_VERSION_ID = PDS3) and no {path.stem}.LBL beside it')


def _pointer(label_path: Path, label: Label) -> tuple[Path, int]:
    """Return the file of the image and the position of its first byte."""
    pointer = label.get('^IMAGE')
    record = label.get('RECORD_BYTES')
    record_bytes = int(record.value) if isinstance(record, Quantity) and 0.0 < record.value < 2**53 else 1
    if pointer is None:
        raise ValueError(f'{label_path}: ^IMAGE: missing; allowed: a file name or the record the image starts at')
    name, place = label_path.name, pointer
    if isinstance(pointer, list):
        name, place = str(pointer[0]), pointer[1] if len(pointer) > 1 else Quantity(1.0)
    elif isinstance(pointer, str):
        name, place = pointer, Quantity(1.0)
    if not (isinstance(place, Quantity) and 1.0 <= place.value < 2**53):
        raise ValueError(f'{label_path}: ^IMAGE: {pointer!r}; allowed: a file name or the record the image starts at')
    start = int(place.value) - 1
    if place.unit != 'BYTES':
        start *= record_bytes
    found = label_path.with_name(name)
    if not os.path.isfile(found):
        # Labels often have names in upper case, which file systems distinguish.
        for other in label_path.parent.iterdir():
            if other.name.lower() == name.lower():
                found = other
    return found, start


def _sample_type(path: Path, image: _Reader) -> np.dtype[Any]:
    name = str(image.items.get('SAMPLE_TYPE', '')).upper()
    bits = image.count('SAMPLE_BITS')
    if name not in _TYPES:
        raise ValueError(f'{path}: IMAGE.SAMPLE_TYPE: {name!r}; allowed: {", ".join(sorted(_TYPES))}')
    if bits not in ((32, 64) if _TYPES[name][1] == 'f' else (8, 16, 32)):
        raise ValueError(f'{path}: IMAGE.SAMPLE_BITS: {bits}; allowed: 8, 16 or 32, for reals 32 or 64')
    return np.dtype(f'{_TYPES[name]}{bits // 8}')


def _map(path: Path, label: Label) -> tuple[CRS, tuple[float, float, float, float, float, float]]:
    """Return the reference system and the placement of the posts.

    PDS Standards 3.8, appendix: the origin of the projection is LINE_PROJECTION_OFFSET lines down and
    SAMPLE_PROJECTION_OFFSET samples right of the middle of the first pixel.
    """
    items = _Reader(path, 'IMAGE_MAP_PROJECTION', label.get('IMAGE_MAP_PROJECTION'))
    kind = str(items.items.get('MAP_PROJECTION_TYPE', '')).upper().replace('_', ' ')
    radius = items.length('A_AXIS_RADIUS')
    lat, lon = items.number('CENTER_LATITUDE').value, items.number('CENTER_LONGITUDE').value
    if kind == 'POLAR STEREOGRAPHIC':
        if abs(lat) != 90.0:
            raise ValueError(f'{path}: IMAGE_MAP_PROJECTION.CENTER_LATITUDE: {lat:g}; allowed: 90 or -90')
        proj = f'+proj=stere +lat_0={lat:g} +lon_0={lon!r}'
    elif kind in ('SIMPLE CYLINDRICAL', 'EQUIRECTANGULAR'):
        parallel = lat if kind == 'EQUIRECTANGULAR' else 0.0
        proj = f'+proj=eqc +lat_ts={parallel!r} +lat_0=0 +lon_0={lon!r}'
    else:
        allowed = 'POLAR STEREOGRAPHIC, SIMPLE CYLINDRICAL, EQUIRECTANGULAR'
        raise ValueError(f'{path}: IMAGE_MAP_PROJECTION.MAP_PROJECTION_TYPE: {kind!r}; allowed: {allowed}')
    scale = _map_scale(items, radius)
    left, top = items.number('SAMPLE_PROJECTION_OFFSET').value, items.number('LINE_PROJECTION_OFFSET').value
    try:
        crs = CRS.from_proj4(f'{proj} +R={radius!r} +units=m +no_defs')
    except CRSError as error:
        raise ValueError(f'{path}: IMAGE_MAP_PROJECTION: {error}; allowed: a map projection of PROJ') from None
    return crs, (-left * scale, scale, 0.0, top * scale, 0.0, -scale)


def _map_scale(items: _Reader, radius: float) -> float:
    """Return the distance of posts on the map [m]."""
    if isinstance(items.items.get('MAP_SCALE'), Quantity):
        found = items.positive('MAP_SCALE')
        name = found.unit.split('/')[0].strip() or 'KM'
        if name not in _LENGTHS:
            raise ValueError(
                f'{items.path}: IMAGE_MAP_PROJECTION.MAP_SCALE: unit {found.unit!r}; allowed: M/PIXEL or KM/PIXEL'
            )
        return found.value * _LENGTHS[name]
    return float(np.deg2rad(1.0) * radius / items.positive('MAP_RESOLUTION').value)
