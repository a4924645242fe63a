# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of trajectories and of their data sets: TUM RGB-D, EuRoC MAV and KITTI odometry.

Stamps are whole nanoseconds, positions meters, quaternions (x, y, z, w) in arrays. Each file has its own order. Numbers
are written so that they are read back exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_files import InputError, Problem, allowed_names, write_atomically
from regolith_sensors.trajectories.poses import Floats, Integers, Trajectory, seconds_text
from regolith_sensors.trajectories.tables import lines_of, number_text, poses_of, rows_of
from regolith_world.numerics import rotation

TUM_DEPTH_SCALE = 5000.0
"""Values of a depth image of the TUM format per meter."""
_TUM = 't tx ty tz qx qy qz qw'
_EUROC_HEADER = (
    '#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], '
    'v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], '
    'b_w_RS_S_z [rad s^-1], b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]'
)
_EUROC = 'ns px py pz qw qx qy qz'
_EUROC_IMU_HEADER = (
    '#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],'
    'a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]'
)
_KITTI = 'r11 r12 r13 tx r21 r22 r23 ty r31 r32 r33 tz'
_ROTATION_TOLERANCE = 1e-3
"""Maximum deviation of R^T R from the identity in a file."""


# -- TUM ------------------------------------------------------------------------------------------------------------


def read_tum(path: Path) -> Trajectory:
    """Return the trajectory of a TUM file: ``t tx ty tz qx qy qz qw`` in seconds and meters.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    rows = rows_of(path, _TUM)
    stamps = [row.stamp_ns(0, 10**9) for row in rows]
    values = np.array([[row.number(k) for k in range(1, 8)] for row in rows])
    return poses_of(rows, stamps, values[:, :3], values[:, 3:])


def write_tum(path: Path, poses: Trajectory) -> None:
    """Write a TUM file, see :func:`read_tum`."""
    table = np.hstack([poses.positions, poses.quaternions]).tolist()
    lines = [
        ' '.join([seconds_text(t), *map(number_text, row)])
        for t, row in zip(poses.stamps_ns.tolist(), table, strict=True)
    ]
    _write(path, ['# timestamp tx ty tz qx qy qz qw', *lines])


def read_tum_images(path: Path) -> list[tuple[int, str]]:
    """Return stamps [ns] and names of the files in ``rgb.txt`` or ``depth.txt``.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    return [(row.stamp_ns(0, 10**9), row.words[1]) for row in rows_of(path, 't file')]


def write_tum_images(path: Path, images: Sequence[tuple[int, str]]) -> None:
    """Write ``rgb.txt`` or ``depth.txt``.

    Args:
        path: File.
        images: Stamps [ns] and names of files relative to the folder of the list.
    """
    _write(path, ['# timestamp filename', *(f'{seconds_text(t)} {name}' for t, name in images)])


def tum_depth(depth: ArrayLike) -> NDArray[np.uint16]:
    """Return the 16 bit image of a depth image; 0 where there is no depth, or more than 13.1 m.

    Args:
        depth: Depth along the optical axis [m]; not finite or not positive: none.
    """
    values = np.asarray(depth, dtype=np.float64)
    known = np.isfinite(values) & (values > 0.0)
    scaled = np.round(np.where(known, values, 0.0) * TUM_DEPTH_SCALE)
    return np.where(scaled <= np.iinfo(np.uint16).max, scaled, 0.0).astype(np.uint16)


# -- EuRoC ----------------------------------------------------------------------------------------------------------


class EurocStates(NamedTuple):
    """States of ``mav0/state_groundtruth_estimate0/data.csv``."""

    poses: Trajectory
    velocities: Floats
    """Velocities in the reference frame [m/s], shape (n, 3)."""
    gyroscope_biases: Floats
    """Biases of the angular rate [rad/s], shape (n, 3)."""
    accelerometer_biases: Floats
    """Biases of the specific force [m/s^2], shape (n, 3)."""


def read_euroc(path: Path) -> EurocStates:
    """Return the states of a EuRoC file of ground truth: 17 columns, the quaternion as w, x, y, z.

    Velocities and biases are zero if the file has the first eight columns only, as files of estimates have.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    rows = rows_of(path, _EUROC, ',', more=True)
    for row in rows:
        if len(row.words) not in (8, 17):
            raise row.error(f'has {len(row.words)} columns', '17 columns, or the first 8: ' + _EUROC)
    stamps = [row.stamp_ns(0, 1) for row in rows]
    values = np.zeros((len(rows), 16))
    for k, row in enumerate(rows):
        values[k, : len(row.words) - 1] = [row.number(column) for column in range(1, len(row.words))]
    poses = poses_of(rows, stamps, values[:, :3], values[:, [4, 5, 6, 3]])
    return EurocStates(poses, values[:, 7:10], values[:, 10:13], values[:, 13:16])


def write_euroc(path: Path, states: EurocStates) -> None:
    """Write a EuRoC file of ground truth, see :func:`read_euroc`."""
    poses, *others = states
    table = np.hstack([poses.positions, poses.quaternions[:, [3, 0, 1, 2]], *others])
    _write(path, [_EUROC_HEADER, *_csv(poses.stamps_ns, table)])


def read_euroc_imu(path: Path) -> tuple[Integers, Floats, Floats]:
    """Return stamps [ns], angular rates [rad/s] and specific forces [m/s^2] of ``imu0/data.csv``.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    rows = rows_of(path, 'ns wx wy wz ax ay az', ',')
    values = np.array([[row.number(k) for k in range(1, 7)] for row in rows])
    return np.array([row.stamp_ns(0, 1) for row in rows]), values[:, :3], values[:, 3:]


def write_euroc_imu(path: Path, stamps_ns: Integers, rates: Floats, forces: Floats) -> None:
    """Write ``imu0/data.csv``, see :func:`read_euroc_imu`; rates and forces have shape (n, 3)."""
    _write(path, [_EUROC_IMU_HEADER, *_csv(stamps_ns, np.hstack([rates, forces]))])


def read_euroc_images(path: Path) -> list[tuple[int, str]]:
    """Return stamps [ns] and names of the files in ``cam0/data.csv``.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    return [(row.stamp_ns(0, 1), row.words[1]) for row in rows_of(path, 'ns file', ',')]


def write_euroc_images(path: Path, stamps_ns: Sequence[int]) -> None:
    """Write ``cam0/data.csv`` of images named ``<ns>.png`` in the folder ``data`` beside it."""
    _write(path, ['#timestamp [ns],filename', *(f'{t},{t}.png' for t in stamps_ns)])


def write_euroc_camera(
    path: Path,
    *,
    body_from_sensor: Floats,
    rate_hz: float,
    resolution: tuple[int, int],
    intrinsics: Sequence[float],
    distortion: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
) -> None:
    """Write ``cam0/sensor.yaml``.

    Args:
        path: File.
        body_from_sensor: Transformation T_BS from the optical frame to the body, shape (4, 4).
        rate_hz: Frames per second [Hz].
        resolution: Width and height [px].
        intrinsics: fu, fv, cu, cv [px].
        distortion: k1, k2, p1, p2.
    """
    rows = ',\n         '.join(', '.join(map(number_text, row)) for row in body_from_sensor)
    text = [
        'sensor_type: camera',
        'T_BS:',
        '  cols: 4',
        '  rows: 4',
        f'  data: [{rows}]',
        f'rate_hz: {number_text(rate_hz)}',
        f'resolution: [{resolution[0]}, {resolution[1]}]',
        'camera_model: pinhole',
        f'intrinsics: [{", ".join(map(number_text, intrinsics))}]',
        'distortion_model: radial-tangential',
        f'distortion_coefficients: [{", ".join(map(number_text, distortion))}]',
    ]
    _write(path, text)


# -- KITTI ----------------------------------------------------------------------------------------------------------


def read_kitti(poses: Path, times: Path) -> Trajectory:
    """Return the trajectory of KITTI files: rows of [R t] (3 x 4) of the left camera in its first pose, and times.

    Args:
        poses: ``poses/NN.txt``.
        times: ``times.txt`` [s], with as many lines.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    rows, clock = rows_of(poses, _KITTI), rows_of(times, 't')
    if len(rows) != len(clock):
        problem = f'has {len(clock)} times for the {len(rows)} poses of {poses}'
        raise InputError(Problem(str(times), '', problem, 'as many times as poses'))
    values = np.array([[row.number(k) for k in range(12)] for row in rows]).reshape(-1, 3, 4)
    turns = values[:, :, :3]
    misses = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(axis=(1, 2))
    wrong = (misses > _ROTATION_TOLERANCE) | (np.linalg.det(turns) < 0.0)
    if wrong.any():
        row = rows[int(np.argmax(wrong))]
        raise row.error('has no rotation matrix in columns 1-3, 5-7, 9-11', 'orthonormal rows, determinant 1')
    quaternions = np.array([rotation.from_matrix(turn) for turn in turns])
    return poses_of(clock, [row.stamp_ns(0, 10**9) for row in clock], values[:, :, 3], quaternions)


def write_kitti(poses: Path, times: Path, camera: Trajectory) -> None:
    """Write KITTI files, see :func:`read_kitti`.

    Args:
        poses: ``poses/NN.txt``.
        times: ``times.txt``.
        camera: Poses of the optical frame of the left camera (x right, y down, z ahead) in any frame.
    """
    first = camera.rotations[0]
    turns = first.T @ camera.rotations
    places = (camera.positions - camera.positions[0]) @ first
    table = np.concatenate([turns, places[:, :, None]], axis=2).reshape(-1, 12).tolist()
    _write(poses, [' '.join(map(number_text, row)) for row in table])
    _write(times, [seconds_text(t) for t in camera.stamps_ns.tolist()])


def write_kitti_calibration(path: Path, focal_px: float, center_px: tuple[float, float], baseline_m: float) -> None:
    """Write ``calib.txt``: projection matrices P0 to P3 of a rectified stereo pair, for gray and color images.

    Args:
        path: File.
        focal_px: Focal length f [px].
        center_px: Principal point [px].
        baseline_m: Distance b of the right camera to the right of the left one [m]; P1 and P3 have -f b in row 1.
    """
    lines = []
    for k in range(4):
        shift = -focal_px * baseline_m if k % 2 else 0.0
        values = [focal_px, 0.0, center_px[0], shift, 0.0, focal_px, center_px[1], 0.0, 0.0, 0.0, 1.0, 0.0]
        lines.append(f'P{k}: {" ".join(map(number_text, values))}')
    _write(path, lines)


# -- any format -----------------------------------------------------------------------------------------------------

FORMATS = ('tum', 'euroc', 'kitti')
"""Names of the formats."""


def read_trajectory(path: Path, file_format: str = '', times: Path | None = None) -> Trajectory:
    """Return the trajectory of a file.

    Args:
        path: TUM file, EuRoC file or EuRoC folder with ``mav0``, or KITTI file.
        file_format: One of :data:`FORMATS`; '': found from the columns of the first row.
        times: ``times.txt`` of a KITTI file; None: ``times.txt`` beside it.

    Raises:
        InputError: Names file, line, value and what is allowed.
    """
    euroc = path / 'mav0' / 'state_groundtruth_estimate0' / 'data.csv'
    if path.is_dir() and euroc.exists():
        path = euroc
    if file_format and file_format not in FORMATS:
        raise InputError(Problem('--format', '', 'is unknown', allowed_names(FORMATS, file_format), file_format))
    kind = file_format or _format_of(path)
    if kind == 'tum':
        return read_tum(path)
    if kind == 'euroc':
        return read_euroc(path).poses
    clock = path.with_name('times.txt') if times is None else times
    if not clock.exists():
        raise InputError(Problem(str(path), '', 'has no times (KITTI)', f'--times FILE, or {clock}'))
    return read_kitti(path, clock)


def _format_of(path: Path) -> str:
    row = next(lines_of(path), None)
    if row is None:
        raise InputError(Problem(str(path), '', 'has no poses', 'a TUM, EuRoC or KITTI file'))
    if ',' in ''.join(row.words):
        return 'euroc'
    kind = {8: 'tum', 12: 'kitti'}.get(len(row.words))
    if kind is None:
        raise row.error(f'has {len(row.words)} columns', '8 (TUM), 12 (KITTI), or columns with commas (EuRoC)')
    return kind


def _csv(stamps_ns: Integers, table: Floats) -> list[str]:
    rows = zip(stamps_ns.tolist(), table.tolist(), strict=True)
    return [','.join([str(t), *map(number_text, row)]) for t, row in rows]


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, '\n'.join(lines) + '\n')
