# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a lidar sweep to the points of a point cloud message."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.beams import BeamConfig
from regolith_sensors.lidar.beams import REFERENCE_RANGE
from regolith_sensors.lidar.sweep import Scan


def _layout(itemsize: int, **fields: tuple[str, int]) -> np.dtype[np.void]:
    """Return a point layout from the format and offset [bytes] of each field."""
    formats, offsets = zip(*fields.values(), strict=True)
    return np.dtype({'names': list(fields), 'formats': formats, 'offsets': offsets, 'itemsize': itemsize})


_XYZ = {'x': ('<f4', 0), 'y': ('<f4', 4), 'z': ('<f4', 8)}
POINT = _layout(
    28, **_XYZ, intensity=('<f4', 12), ring=('<u2', 16), return_type=('<u1', 18), time=('<f4', 20), range=('<f4', 24)
)
"""Point of ``fields: velodyne``.

Fields: position in the sensor frame at the time of its beam [m], intensity, ring, type of return
(:data:`regolith_sensors.lidar.sweep.RETURN_TYPES`), time since the start of the sweep [s], range [m].
"""
OUSTER = _layout(
    48,
    **_XYZ,
    intensity=('<f4', 16),
    t=('<u4', 20),
    reflectivity=('<u2', 24),
    ring=('<u2', 26),
    ambient=('<u2', 28),
    range=('<u4', 32),
)
"""Point of ``fields: ouster``, in the layout of the maker's ROS driver (its point type ``original``).

Fields: position and intensity as above, time since the start of the sweep [ns], reflectivity corrected for range (100:
a white target), ring from the top, ambient light (not simulated: 0), range [mm].
"""
XYZI = _layout(16, **_XYZ, intensity=('<f4', 12))
"""Point of ``fields: xyzi``."""
LAYOUTS = {'velodyne': POINT, 'ouster': OUSTER, 'xyzi': XYZI}
_TIMES = ('time', 't')


def layout(config: BeamConfig) -> np.dtype[np.void]:
    """Return the point layout of a lidar: that of its ``fields``, without a time where all points have the same.

    Programs that correct for motion during a sweep divide by its duration, which is 0 for a flash lidar.
    """
    whole = LAYOUTS[config.fields]
    assert whole.names is not None and whole.fields is not None
    if not config.flash:
        return whole
    kept = {name: (whole.fields[name][0].str, whole.fields[name][1]) for name in whole.names if name not in _TIMES}
    return _layout(whole.itemsize, **kept)


def sensor_cloud(scan: Scan, config: BeamConfig, range_falloff: bool = True) -> NDArray[np.void]:
    """Return a sweep as points in the layout that the sensor publishes; see :func:`point_cloud`.

    Args:
        scan: The sweep.
        config: Beams of the sensor.
        range_falloff: Whether intensities decrease as 1 / R^2.
    """
    points, kind = point_cloud(scan, config.organized), layout(config)
    if config.fields == 'velodyne' and kind is POINT:
        return points
    out = np.zeros(points.shape, dtype=kind)
    assert kind.names is not None
    assert points.dtype.names is not None
    for name in kind.names:
        if name in points.dtype.names and not (config.fields == 'ouster' and name in ('ring', 'range')):
            out[name] = points[name]
    if config.fields == 'ouster':
        there = np.isfinite(points['range'])
        reach = np.where(there, points['range'], 0.0).astype(np.float64)
        if 't' in kind.names:
            # In double precision, because 0.1 s in single precision is wrong by nanoseconds.
            beams_hz = config.columns * config.rate_hz
            out['t'] = np.rint(np.rint(points['time'].astype(np.float64) * beams_hz) * (1e9 / beams_hz))
        out['ring'] = len(config.elevations) - 1 - points['ring'].astype(np.int64)
        out['range'] = np.rint(1e3 * reach)
        corrected = (reach / REFERENCE_RANGE) ** 2 if range_falloff else 1.0
        out['reflectivity'] = np.clip(np.rint(100.0 * points['intensity'] * corrected), 0.0, 255.0)
        if config.organized:
            # Rows in the order of the rings, from the top; those of a second return remain below.
            rings = len(config.elevations)
            out = np.concatenate([part[::-1] for part in np.split(out, len(out) // rings)])
    return out


def point_cloud(scan: Scan, organized: bool = False) -> NDArray[np.void]:
    """Return a sweep as points of the layout POINT.

    Args:
        scan: The sweep.
        organized: False: the returns only, in the order of time, shape (1, n). True: every beam, rings by columns,
            shape (returns * rings, columns), with the rows of a second return below those of the first. Without a
            return, x, y, z are NaN and the range is +inf (no return) or -inf (too near) (REP 117).
    """
    returns, columns, rings = scan.range.shape
    there = np.isfinite(scan.range.transpose(1, 2, 0))

    def arranged(values: NDArray[Any]) -> NDArray[Any]:
        if organized:
            return values.transpose(0, 2, 1).reshape(returns * rings, columns)
        return values.transpose(1, 2, 0)[there][None, :]

    # Field by field into zeros, because copies of whole records leave undefined bytes between the fields.
    points = np.zeros(arranged(scan.range).shape, dtype=POINT)
    for axis, name in enumerate('xyz'):
        points[name] = arranged(scan.points[..., axis])
    for name in ('intensity', 'ring', 'return_type', 'time', 'range'):
        points[name] = arranged(getattr(scan, name))
    return points
