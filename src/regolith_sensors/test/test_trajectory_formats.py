# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of trajectories in the formats of TUM, EuRoC and KITTI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from regolith_files import InputError
from regolith_sensors.trajectories import (
    EurocStates,
    Trajectory,
    read_euroc,
    read_euroc_images,
    read_euroc_imu,
    read_kitti,
    read_trajectory,
    read_tum,
    read_tum_images,
    trajectory,
    tum_depth,
    write_euroc,
    write_euroc_camera,
    write_euroc_images,
    write_euroc_imu,
    write_kitti,
    write_kitti_calibration,
    write_tum,
    write_tum_images,
)
from regolith_world.numerics import rotation


def poses() -> Trajectory:
    """Return three poses with stamps of whole nanoseconds after 1.4e18 ns, which float64 seconds cannot hold."""
    turns = [rotation.from_rpy_deg(rpy) for rpy in ((0.0, 0.0, 0.0), (10.0, 20.0, 30.0), (-170.0, 5.0, 160.0))]
    stamps = [1_403_636_579_763_555_584, 1_403_636_579_813_555_457, 1_403_636_580_000_000_001]
    return trajectory(stamps, np.array([[0.1, 0.2, 0.3], [1.0 / 3.0, -2.0e-7, 4.0], [5.0, 6.0, -7.0]]), np.array(turns))


def same(one: Trajectory, other: Trajectory) -> None:
    """Check that two trajectories are equal; quaternions to their rounding when normalized again."""
    assert one.stamps_ns.tolist() == other.stamps_ns.tolist()
    assert one.positions.tolist() == other.positions.tolist()
    assert one.quaternions == pytest.approx(other.quaternions, abs=3e-16)


# -- 4.1 TUM --------------------------------------------------------------------------------------------------------


def test_4_1_tum_round_trip_and_exact_text(tmp_path: Path) -> None:
    write_tum(tmp_path / 'a' / 'tum.txt', poses())
    same(read_tum(tmp_path / 'a' / 'tum.txt'), poses())
    lines = (tmp_path / 'a' / 'tum.txt').read_text().splitlines()
    assert lines[:2] == ['# timestamp tx ty tz qx qy qz qw', '1403636579.763555584 0.1 0.2 0.3 0.0 0.0 0.0 1.0']
    assert not any(line.endswith(' ') or '  ' in line for line in lines)


def test_4_1_tum_reads_comments_exponents_and_negative_times(tmp_path: Path) -> None:
    (tmp_path / 'a').write_text(
        '# c\n\n-5e-1 1e0 2 3 0 0 0 1\n0.0000000004 0 0 0 0 0 0.7071 0.7071\n 1\t0 0 0 0 0 0 -1 \n'
    )
    found = read_tum(tmp_path / 'a')
    assert found.stamps_ns.tolist() == [-500_000_000, 0, 1_000_000_000] and found.positions[0].tolist() == [1, 2, 3]
    write_tum(tmp_path / 'b', found)
    assert (tmp_path / 'b').read_text().splitlines()[1].startswith('-0.500000000 1.0 ')


def test_4_1_tum_lists_of_images_and_depth(tmp_path: Path) -> None:
    write_tum_images(tmp_path / 'depth.txt', [(5, 'depth/a.png'), (1_000_000_007, 'depth/b.png')])
    assert (tmp_path / 'depth.txt').read_text().splitlines()[1:] == [
        '0.000000005 depth/a.png',
        '1.000000007 depth/b.png',
    ]
    assert read_tum_images(tmp_path / 'depth.txt') == [(5, 'depth/a.png'), (1_000_000_007, 'depth/b.png')]
    image = tum_depth([[1.0, 0.0, np.nan], [np.inf, 13.107, 13.2]])
    assert image.dtype == np.uint16 and image.tolist() == [[5000, 0, 0], [0, 65535, 0]]


# -- 4.1 EuRoC ------------------------------------------------------------------------------------------------------


def test_4_1_euroc_round_trip_17_columns_and_w_first(tmp_path: Path) -> None:
    """Whole nanoseconds are exact; the quaternion is w x y z in the file."""
    parts = [np.arange(9.0).reshape(3, 3) / 7.0 + k for k in range(3)]
    path = tmp_path / 'mav0' / 'state_groundtruth_estimate0' / 'data.csv'
    write_euroc(path, EurocStates(poses(), *parts))
    found = read_euroc(path)
    same(found.poses, poses())
    assert [part.tolist() for part in found[1:]] == [part.tolist() for part in parts]
    lines = path.read_text().splitlines()
    assert lines[0].startswith('#timestamp, p_RS_R_x [m], ') and len(lines[0].split(',')) == 17
    assert lines[1].split(',')[:8] == ['1403636579763555584', '0.1', '0.2', '0.3', '1.0', '0.0', '0.0', '0.0']
    same(read_trajectory(tmp_path), poses())


def test_4_1_euroc_estimates_may_have_eight_columns(tmp_path: Path) -> None:
    (tmp_path / 'a.csv').write_text('#t\n7, 1, 2, 3, 0, 1, 0, 0\n')
    found = read_euroc(tmp_path / 'a.csv')
    assert found.poses.quaternions.tolist() == [[1, 0, 0, 0]] and found.velocities.tolist() == [[0, 0, 0]]


def test_4_1_euroc_imu_images_and_camera(tmp_path: Path) -> None:
    stamps, rates, forces = (
        np.array([5, 2**60 + 1]),
        np.array([[1.0, 2, 3], [4, 5, 6]]),
        np.array([[0.1] * 3, [1.62] * 3]),
    )
    write_euroc_imu(tmp_path / 'imu0' / 'data.csv', stamps, rates, forces)
    found = read_euroc_imu(tmp_path / 'imu0' / 'data.csv')
    assert [part.tolist() for part in found] == [stamps.tolist(), rates.tolist(), forces.tolist()]
    write_euroc_images(tmp_path / 'cam0' / 'data.csv', [5, 2**60 + 1])
    assert read_euroc_images(tmp_path / 'cam0' / 'data.csv') == [(t, f'{t}.png') for t in (5, 2**60 + 1)]
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.2, 1.0 / 3.0
    write_euroc_camera(
        tmp_path / 's.yaml',
        body_from_sensor=pose,
        rate_hz=20,
        resolution=(752, 480),
        intrinsics=(458.0, 457.0, 367.0, 248.0),
    )
    assert yaml.safe_load((tmp_path / 's.yaml').read_text()) == {
        'sensor_type': 'camera',
        'T_BS': {'cols': 4, 'rows': 4, 'data': pose.ravel().tolist()},
        'rate_hz': 20.0,
        'resolution': [752, 480],
        'camera_model': 'pinhole',
        'intrinsics': [458.0, 457.0, 367.0, 248.0],
        'distortion_model': 'radial-tangential',
        'distortion_coefficients': [0.0, 0.0, 0.0, 0.0],
    }


# -- 4.1 KITTI ------------------------------------------------------------------------------------------------------


def test_4_1_kitti_is_relative_to_the_first_pose(tmp_path: Path) -> None:
    first = rotation.from_rpy_deg((15.0, 25.0, -60.0))
    there = poses().of_frame((0.0, 0.0, 0.0), first)
    write_kitti(tmp_path / '00.txt', tmp_path / 'times.txt', there)
    found = read_kitti(tmp_path / '00.txt', tmp_path / 'times.txt')
    assert found.stamps_ns.tolist() == there.stamps_ns.tolist()
    start = there.rotations[0]
    assert found.positions == pytest.approx((there.positions - there.positions[0]) @ start, abs=1e-14)
    assert found.rotations == pytest.approx(start.T @ there.rotations, abs=1e-14)
    rows = [[float(word) for word in line.split(' ')] for line in (tmp_path / '00.txt').read_text().splitlines()]
    assert rows[0] == pytest.approx([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], abs=1e-15)
    assert np.reshape(rows[2], (3, 4))[:, 3].tolist() == found.positions[2].tolist()
    same(read_trajectory(tmp_path / '00.txt'), found)


def test_4_1_kitti_camera_that_drives_ahead_moves_along_z(tmp_path: Path) -> None:
    """A base that drives along its x axis: the camera's z grows, x and y stay."""
    base = trajectory([0, 1], [[0, 0, 0], [2.0, 0, 0]], [[0, 0, 0, 1.0]] * 2)
    write_kitti(tmp_path / 'p', tmp_path / 't', base.of_frame((0.5, 0.1, 1.0), (-0.5, 0.5, -0.5, 0.5)))
    assert read_kitti(tmp_path / 'p', tmp_path / 't').positions == pytest.approx(np.array([[0, 0, 0], [0, 0, 2.0]]))


def test_4_1_kitti_calibration_has_minus_f_b(tmp_path: Path) -> None:
    write_kitti_calibration(tmp_path / 'calib.txt', 700.0, (600.0, 180.0), 0.5)
    rows = [line.split() for line in (tmp_path / 'calib.txt').read_text().splitlines()]
    assert [row[0] for row in rows] == ['P0:', 'P1:', 'P2:', 'P3:']
    one = np.array(rows[1][1:], float).reshape(3, 4)
    assert one.tolist() == [[700, 0, 600, -350], [0, 700, 180, 0], [0, 0, 1, 0]]
    assert float(rows[0][4]) == 0.0


# -- errors ---------------------------------------------------------------------------------------------------------

UNIT = '0 0 0 1'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (f'0 1 2 3 {UNIT}\n1 1 nan 3 {UNIT}\n', r"a.txt:2: '?nan'?: is not a finite number \(column 3\); allowed"),
        (f'0 1 x 3 {UNIT}\n', r"a.txt:1: '?x'?: is not a finite number \(column 3\)"),
        (f'now 1 2 3 {UNIT}\n', r"a.txt:1: '?now'?: is not a time in seconds \(column 1\)"),
        (f'1e99 1 2 3 {UNIT}\n', r"a.txt:1: '?1e99'?: is not a time in seconds"),
        (f'# c\n5 1 2 3 {UNIT}\n5.0 1 2 3 {UNIT}\n', r'a.txt: line 3: 5\.0+ s repeats the stamp of the pose before'),
        (f'5 1 2 3 {UNIT}\n4 1 2 3 {UNIT}\n', r'a.txt: line 2: 4\.0+ s is before the stamp'),
        ('5 1 2 3 0 0 0 0.9\n', r'a.txt: line 1: quaternion \[.*\] has norm 0\.9; allowed: norm 1'),
        ('5 1 2 3 0 0 0\n', 'a.txt:1: has 7 columns; allowed: 8 columns: t tx ty'),
        ('# nothing\n', 'a.txt: has no poses; allowed'),
    ],
)
def test_4_1_damaged_tum_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / 'a.txt').write_text(text)
    with pytest.raises(InputError, match=message):
        read_tum(tmp_path / 'a.txt')


def test_4_1_damaged_euroc_and_kitti_files_are_refused(tmp_path: Path) -> None:
    path, times = tmp_path / 'a', tmp_path / 'times.txt'
    row = '1 0 0 0 0 1 0 0 0 0 1 0\n'
    for text, clock, message in (
        ('0.5,1,2,3,1,0,0,0\n', '', r'a:1: .*0\.5.*: is not a whole number of nanoseconds'),
        ('1,1,2,3,1,0,0,0,9\n', '', 'a:1: has 9 columns; allowed: 17'),
        (row * 2, '0\n', 'times.txt: has 1 times for the 2 poses of .*a; allowed'),
        (row + row.replace('1', '-1'), '0\n1\n', 'a:2: has no rotation matrix'),
        (row + row.replace('1', '2'), '0\n1\n', 'a:2: has no rotation matrix'),
        (row * 2, '1\n1\n', 'times.txt: line 2: .* repeats the stamp'),
        ('1 2 3\n', '', r'a:1: has 3 columns; allowed: 8 \(TUM\), 12 \(KITTI\)'),
    ):
        path.write_text(text)
        times.write_text(clock)
        with pytest.raises(InputError, match=message):
            read_trajectory(path)
    times.unlink()
    path.write_text(row)
    with pytest.raises(InputError, match=r'has no times \(KITTI\); allowed: --times FILE'):
        read_trajectory(path)
    with pytest.raises(InputError, match='absent: does not exist'):
        read_trajectory(tmp_path / 'absent')
    with pytest.raises(InputError, match='--format: bag: is unknown; allowed: tum, euroc, kitti'):
        read_trajectory(path, 'bag')
