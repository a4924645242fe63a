# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``regolith evaluate trajectory`` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import synthetic_run

from regolith_bringup.bag.recorder import BagWriter, qos_profile
from regolith_bringup.cli import main
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_sensors.trajectories import read_kitti, read_trajectory, trajectory, write_tum


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(['evaluate', 'trajectory', *(str(a) for a in arguments)])
    return int(left.value.code or 0)


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of 10 s: amber drives 3 m along x from (1, 2, 0), its odometry runs 2 % long in its own frame."""
    folder = tmp_path_factory.mktemp('run')
    sensors = 'vehicles.amber.sensors={eye: {model: navcam, mount: {xyz: [0.8, 0.2, 1.0], rpy_deg: [0, 20, 0]}}}'
    write_resolved(load_scenario('two_rovers', ['terrain.source=flat', sensors]).scenario, folder / 'scenario.yaml')
    types, bag = synthetic_run.Types(), BagWriter(folder / 'bag')
    for k in range(101):
        t_ns, x = k * 100_000_000, 0.03 * k
        when = types.make('builtin_interfaces/msg/Time', sec=t_ns // 10**9, nanosec=t_ns % 10**9)
        for vehicle, topic, frame, place in (
            ('amber', 'ground_truth/odom', 'world', (1.0, 2.0 + x, 0.0)),
            ('amber', 'odom', 'amber/odom', (1.02 * x, 0.0, 0.0)),
            ('basalt', 'ground_truth/odom', 'world', (x, 0.0, 0.0)),
        ):
            turned = topic == 'ground_truth/odom' and vehicle == 'amber'
            half = np.sqrt(0.5)
            message = types.make(
                'nav_msgs/msg/Odometry',
                header=types.make('std_msgs/msg/Header', stamp=when, frame_id=frame),
                pose=types.make(
                    'geometry_msgs/msg/PoseWithCovariance',
                    pose=types.make(
                        'geometry_msgs/msg/Pose',
                        position=types.make('geometry_msgs/msg/Point', **dict(zip('xyz', place, strict=True))),
                        orientation=types.make(
                            'geometry_msgs/msg/Quaternion', z=half if turned else 0.0, w=half if turned else 1.0
                        ),
                    ),
                ),
                twist=types.make(
                    'geometry_msgs/msg/TwistWithCovariance',
                    twist=types.make('geometry_msgs/msg/Twist', linear=types.make('geometry_msgs/msg/Vector3', x=0.3)),
                ),
            )
            channel = bag.add_topic(f'/{vehicle}/{topic}', message.__msgtype__, [qos_profile()])
            bag.write(channel, types.cdr(message), t_ns, t_ns)
    bag.close()
    return folder


@pytest.mark.parametrize('part', ['', 'bag'])
def test_odometry_of_a_run_is_aligned_at_its_start(run: Path, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    """2 % long: 0.06 m after 3 m; a segment of 1 m ends at up to 1.03 m."""
    assert call(run / part, '--vehicle', 'amber', '--length', 1, '--length', 9, '--json') == 0
    found = json.loads(capsys.readouterr().out)
    assert (found['topic'], found['parent_frame'], found['frame']) == ('/amber/odom', 'amber/odom', 'base_link')
    assert found['alignment']['kind'] == 'origin' and found['alignment']['translation_m'] == pytest.approx([1, 2, 0])
    assert found['ate_m']['max'] == pytest.approx(0.06) and found['ate_m']['n'] == 101
    assert found['end_point'] == pytest.approx({'error_m': 0.06, 'percent': 2.0})
    assert 2.0 <= found['drift']['translation_percent'] <= 2.0 * 1.03 + 1e-9
    assert list(found['drift']['lengths_m']) == ['1'] and found['notes'] == [
        'drift: the true path is too short for segments of 9 m'
    ]
    assert found['rpe']['translation_m']['mean'] == pytest.approx(0.02 * 0.03)


def test_text_and_options(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(run, '--vehicle', 'amber', '--align', 'none', '--delta', 1, '--unit', 'm', '--length', 2) == 0
    out = capsys.readouterr().out
    assert 'pairs: 101 (interpolate), dropped 0; alignment: none; true path: 3.000 m' in out
    assert 'RPE per 1 m [m]: rmse 0.0' in out and 'drift, 2 m: 2.0' in out
    assert 'end point, from the first pose: 0.0600 m, 2.000 % of the path' in out


def test_exported_truth_is_read_back_and_scored(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The camera's truth has the error 0 with ``--frame``, and that of its lever arm and attitude without."""
    assert call(run, '--vehicle', 'amber', '--export', tmp_path) == 0
    base, camera = read_trajectory(tmp_path / 'base_link'), read_trajectory(tmp_path / 'eye' / 'tum.txt')
    assert base.positions[-1] == pytest.approx([1.0, 5.0, 0.0]) and len(camera) == 101
    assert camera.positions[0] == pytest.approx([0.8, 2.8, 1.0]), 'the mount, turned by 90 degrees'
    # It looks along the drive, 20 degrees down.
    assert camera.rotations[0] @ [0.0, 0.0, 1.0] == pytest.approx([0.0, 0.9396926, -0.3420201], abs=1e-7)
    kitti = read_kitti(tmp_path / 'eye' / 'poses' / '00.txt', tmp_path / 'eye' / 'times.txt')
    assert kitti.positions[-1] == pytest.approx([0.0, -3.0 * 0.3420201, 3.0 * 0.9396926], abs=1e-6)
    states = (tmp_path / 'base_link/mav0/state_groundtruth_estimate0/data.csv').read_text().splitlines()[1].split(',')
    assert [float(v) for v in states[8:11]] == pytest.approx([0.0, 0.3, 0.0]), 'the velocity in the world'
    capsys.readouterr()
    for options, error in (
        (['--frame', 'eye'], 0.0),
        ([], float(np.linalg.norm(camera.positions[0] - base.positions[0]))),
    ):
        assert call(run, tmp_path / 'eye' / 'tum.txt', '--vehicle', 'amber', '--json', *options) == 0
        found = json.loads(capsys.readouterr().out)
        assert found['alignment']['kind'] == 'none'
        assert found['ate_m']['max'] == pytest.approx(error, abs=1e-12)
    assert error == pytest.approx(np.sqrt(1.68)), 'the lever arm'


def test_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    t = np.arange(100)
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (100, 1))
    places = np.stack([0.1 * t, np.sin(0.1 * t), 0.0 * t], 1)
    write_tum(tmp_path / 'a', trajectory(t * 10**8, places, turns))
    write_tum(tmp_path / 'b', trajectory(t * 10**8 + 5_000_000, 2.0 * places + 1.0, turns))
    assert call(tmp_path / 'a', tmp_path / 'b', '--align', 'sim3', '--association', 'evo', '--json') == 0
    found = json.loads(capsys.readouterr().out)
    assert found['ate_m']['max'] < 1e-12 and found['alignment']['scale'] == pytest.approx(0.5)
    assert found['association'] == {'kind': 'evo', 'pairs': 100, 'dropped': 0, 'largest_gap_s': 0.1}


def test_bad_input_names_the_option_and_what_is_allowed(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = tmp_path / 'line'
    write_tum(line, trajectory([0, 10**9], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0, 1]] * 2))
    late = tmp_path / 'late'
    write_tum(late, trajectory([10**12], [[0, 0, 0]], [[0, 0, 0, 1]]))
    amber = (run, '--vehicle', 'amber')
    for arguments, message in (
        ((run,), '--vehicle: is not given; allowed: amber, basalt'),
        (
            (run, '--vehicle', 'ambr'),
            '--vehicle = ambr: is not a vehicle with ground truth in this bag; allowed: amber',
        ),
        ((run, '--vehicle', 'basalt'), '--topic = /basalt/odom: is not in this bag; allowed: '),
        ((*amber, '--frame', 'ey'), '--frame = ey: is not a sensor of amber; allowed: eye'),
        ((*amber, '--align', 'se2'), '--align = se2: is unknown; allowed: none, origin, se3, sim3, yaw'),
        ((*amber, '--align', 'se3'), 'alignment is not defined: the 101 positions are in a straight line'),
        ((*amber, '--unit', 'km'), '--unit = km: is unknown; allowed: frames, m'),
        ((*amber, '--association', 'x'), '--association = x: is unknown; allowed: interpolate, tum, evo'),
        ((*amber, '--delta', 1.5), '--delta = 1.5: is no length; allowed: a whole number of frames from 1'),
        ((*amber, '--length', 0), '--length = 0: is no length; allowed: above 0 m'),
        ((*amber, '--max-difference', 1), '--max-difference: has no effect; allowed: with --association tum or evo'),
        ((*amber, late), 'no pair of poses: truth from 0.000000000 to 10.000000000 s, estimate from 1000.0'),
        ((line,), f'{line}: has no estimate; allowed: a run, or two files: TRUTH ESTIMATE'),
        ((line, line, '--vehicle', 'amber'), '--vehicle = amber: needs a run; allowed: a run folder or bag folder'),
        ((run, line, '--topic', '/amber/odom'), '--topic = /amber/odom: is given beside a file of the estimate'),
        ((tmp_path,), ''),
    ):
        assert call(*arguments) == 2, arguments
        assert message in capsys.readouterr().err.replace('\n', ' '), arguments
