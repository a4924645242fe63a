# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Association, alignment and errors of trajectories.

The values of evo are those of evo 1.38.1 for :func:`case`. It is no dependency. Its ``sync.associate_trajectories``,
``align``, ``align_origin``, ``metrics.APE`` and ``metrics.RPE`` ran in a separate environment on the arrays of this case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from regolith_sensors.trajectories import (
    ALIGNMENTS,
    EvaluationSettings,
    Pairs,
    Trajectory,
    TrajectoryError,
    absolute_errors,
    all_segments,
    drift,
    evaluate,
    evo_pairs,
    frame_segments,
    interpolated,
    inverse_pose,
    path_segments,
    relative_errors,
    statistics,
    trajectory,
    tum_pairs,
)
from regolith_world.numerics import rotation

Floats = np.ndarray


def turns(rpy_deg: Floats) -> Floats:
    """Return quaternions of roll, pitch and yaw [deg], shape (n, 3)."""
    return np.array([rotation.from_rpy_deg(each) for each in rpy_deg])


def case() -> tuple[Trajectory, Trajectory]:
    """Return a drive of 40 s in two bends, and its estimate with a lag, a scale, a heading drift and ripple."""
    t = np.arange(0, 400) * 0.1
    x, y, z = 0.45 * t, 4.0 * np.sin(0.15 * t), 0.3 * np.cos(0.2 * t)
    rpy = np.stack(
        [3.0 * np.sin(0.7 * t), 2.0 * np.cos(0.5 * t), np.degrees(np.arctan2(0.6 * np.cos(0.15 * t), 0.45))], 1
    )
    truth = trajectory(np.round(t * 1e9), np.stack([x, y, z], 1), turns(rpy))
    s = 0.503 + np.arange(0, 270) * 0.14
    x, y, z = 0.45 * s, 4.0 * np.sin(0.15 * s), 0.3 * np.cos(0.2 * s)
    bend = np.radians(0.15 * s)
    ripple = 0.02 * np.stack([np.sin(9.0 * s), np.cos(7.0 * s), np.sin(5.0 * s + 1.0)], 1)
    places = 1.03 * np.stack([np.cos(bend) * x - np.sin(bend) * y, np.sin(bend) * x + np.cos(bend) * y, z], 1) + ripple
    heading = np.degrees(np.arctan2(0.6 * np.cos(0.15 * s), 0.45)) + 0.15 * s
    rpy = np.stack([3.1 * np.sin(0.7 * s) + 0.2, 2.0 * np.cos(0.5 * s), heading + 0.3 * np.sin(3.0 * s)], 1)
    return truth, trajectory(np.round(s * 1e9), places + np.array([0.4, -0.7, 0.1]), turns(rpy))


def moved(poses: Trajectory, scale: float = 1.0) -> Trajectory:
    """Return poses in a frame that is turned and shifted."""
    turn, shift = rotation.from_rpy_deg((20.0, -35.0, 130.0)), np.array([5.0, -8.0, 3.0])
    places = scale * poses.positions @ rotation.matrix(turn).T + shift
    return Trajectory(
        poses.stamps_ns, places, rotation.products(np.broadcast_to(turn, (len(poses), 4)), poses.quaternions)
    )


def straight(
    step_m: float = 0.01, length_m: float = 45.0, *, scale: float = 1.0, yaw_deg_per_m: float = 0.0
) -> Trajectory:
    """Return poses along x at rest in attitude, or with a yaw rate that does not bend the path."""
    x = np.arange(round(length_m / step_m) + 1) * step_m
    places = np.stack([scale * x, np.zeros(len(x)), np.zeros(len(x))], 1)
    return trajectory(np.arange(len(x)) * 10**8, places, turns(np.outer(x, [0.0, 0.0, yaw_deg_per_m])))


def at(*stamps_s: float) -> Trajectory:
    """Return poses at some times, 1 m/s along x and 90 deg/s about z."""
    t = np.array(stamps_s)
    return trajectory(np.round(t * 1e9), np.outer(t, [1.0, 0.0, 0.0]), turns(np.outer(t, [0.0, 0.0, 90.0])))


# -- 4.2 association ------------------------------------------------------------------------------------------------


def test_4_2_truth_is_interpolated_linearly_and_by_slerp_and_never_extrapolated() -> None:
    """Half way: the middle and half the turn; stamps before and after ground truth are dropped and counted."""
    found = interpolated(at(1.0, 2.0, 3.0), at(0.5, 1.0, 1.25, 3.0, 3.000000001))
    assert found.estimate.stamps_ns.tolist() == [1_000_000_000, 1_250_000_000, 3_000_000_000] and found.dropped == 2
    assert found.truth.positions[:, 0] == pytest.approx([1.0, 1.25, 3.0], abs=1e-15)
    assert [rotation.yaw(q) for q in found.truth.quaternions] == pytest.approx(np.radians([90.0, 112.5, -90.0]))
    assert found.truth.positions[2].tolist() == [3.0, 0.0, 0.0], 'the exact pose at an exact stamp'


def test_4_2_one_true_pose_is_met_at_its_stamp_only() -> None:
    assert len(interpolated(at(2.0), at(1.0, 2.0, 3.0))) == 1


def test_4_2_association_as_the_tum_tool_is_one_to_one_by_rising_difference() -> None:
    """1.004 takes 1.000, which leaves 0.994 alone; 0.02 s apart is no pair. 1.004 yields to 0.999 and takes 1.015."""
    found = tum_pairs(at(1.0, 1.015, 2.0, 3.0), at(0.994, 1.004, 1.98, 3.0199))
    assert found.truth.positions[:, 0].tolist() == [1.0, 3.0] and found.dropped == 2
    assert found.estimate.positions[:, 0].tolist() == [1.004, 3.0199]
    found = tum_pairs(at(1.0, 1.015), at(0.999, 1.004))
    assert found.truth.positions[:, 0].tolist() == [1.0, 1.015]


def test_4_2_association_as_evo_takes_the_nearest_for_each_pose_of_the_shorter() -> None:
    """Not one to one: two poses of the estimate share a true one. At most 0.01 s, inclusive."""
    found = evo_pairs(at(1.0, 2.0, 3.0, 4.0, 5.0), at(0.99, 1.01, 2.011, 3.004))
    assert found.truth.positions[:, 0].tolist() == [1.0, 1.0, 3.0] and found.dropped == 1
    found = evo_pairs(at(1.0, 2.0), at(0.992, 1.004, 1.5))
    assert found.estimate.positions[:, 0].tolist() == [1.004] and found.dropped == 2


@pytest.mark.parametrize('function', [interpolated, tum_pairs, evo_pairs])
def test_4_2_no_common_stamps_is_an_error_with_both_ranges(function: Callable[..., Pairs]) -> None:
    with pytest.raises(TrajectoryError, match=r'truth from 1\.0+ to 2\.0+ s, estimate from 7\.0+ to 8\.0+ s; allowed'):
        function(at(1.0, 2.0), at(7.0, 8.0))


# -- 4.3 alignment and errors ---------------------------------------------------------------------------------------

EVO_ATE = {
    'none': (0.8809122966090046, 0.8415135266070615, 0.7603359539155725, 0.26050232024743575, 1.4355339880451379),
    'origin': (0.7969179843913626, 0.6267895822007176, 0.4627493843331729, 0.4921514944517001, 1.700342164809779),
    'se3': (0.1547437065191418, 0.13247037907275355, 0.11088950160983409, 0.07998258170128836, 0.3743743921509738),
    'sim3': (0.1406717155374059, 0.12493161067393295, 0.1096422839338588, 0.06465774668710385, 0.35505327712129786),
}
"""ATE [m] by alignment: rmse, mean, median, std, max."""
EVO_RPE = {
    ('none', 'frames 1'): (
        (0.03975775777593894, 0.03737421218837284, 0.03571491759967957, 0.01355904003492563, 0.0699113608329071, 53),
        (
            0.0066583082650502725,
            0.006075400952936313,
            0.006333262115602385,
            0.0027244397981047975,
            0.009938839876481436,
            53,
        ),
    ),
    ('none', 'frames 10'): (
        (0.21000024933697012, 0.1969807722289107, 0.1574806633692177, 0.07279203317459695, 0.34045303961234, 5),
        (
            0.018372750682068905,
            0.017315967403596665,
            0.018679075282126846,
            0.006141273524525771,
            0.026436827683584286,
            5,
        ),
    ),
    ('none', 'frames 10 all'): (
        (0.213228512666549, 0.19483266339071026, 0.166818370390061, 0.08664082115302711, 0.3984781596903647, 44),
        (
            0.019663169804988417,
            0.018596756806863127,
            0.019561158240132402,
            0.0063875568918169414,
            0.026976763260009654,
            44,
        ),
    ),
    ('none', 'm 1'): (
        (0.07421558125894241, 0.06448502621344822, 0.05983258405670622, 0.03673736375753684, 0.1640095753564321, 19),
        (
            0.006145726057242498,
            0.00589423964334735,
            0.0057664176008403465,
            0.0017400826984548528,
            0.011868766476525851,
            19,
        ),
    ),
    ('none', 'm 1 all'): (
        (0.06248420204338129, 0.05329268835703549, 0.04368400042122507, 0.03262154001082705, 0.13727934226330823, 38),
        (
            0.00672933733071606,
            0.006024292132447213,
            0.0057602562449269226,
            0.0029986472305863782,
            0.012092051768535794,
            38,
        ),
    ),
    ('sim3', 'frames 1'): (
        (0.0384606872126555, 0.03606735193253762, 0.03706133414796469, 0.013355545119694555, 0.0673078615304268, 53),
        (
            0.006658308265050275,
            0.006075400952936317,
            0.0063332621156023386,
            0.002724439798104795,
            0.00993883987648142,
            53,
        ),
    ),
    ('sim3', 'frames 10'): (
        (0.19766718877953024, 0.1845270871641557, 0.15580767241192203, 0.07086657620285132, 0.3189283077388658, 5),
        (0.018372750682068905, 0.01731596740359667, 0.01867907528212682, 0.006141273524525766, 0.026436827683584276, 5),
    ),
    ('sim3', 'frames 10 all'): (
        (0.20446279722891372, 0.18740121045241506, 0.15742170710821884, 0.08176687453756283, 0.36680843266974456, 44),
        (
            0.019663169804988417,
            0.018596756806863127,
            0.019561158240132374,
            0.006387556891816943,
            0.02697676326000965,
            44,
        ),
    ),
    ('sim3', 'm 1'): (
        (0.06652291871824977, 0.057117808375770296, 0.060328629966472744, 0.03410065514244045, 0.12950374378503118, 18),
        (
            0.006917841031179886,
            0.006363504542002228,
            0.005781100386293873,
            0.002713362208882739,
            0.014778185192220083,
            18,
        ),
    ),
    ('sim3', 'm 1 all'): (
        (0.05956838840993675, 0.05040976104858799, 0.04782560733114172, 0.03173718463854898, 0.12893323201474516, 37),
        (
            0.0067916990491427584,
            0.006085675689375816,
            0.0057664176008403395,
            0.003015249140264671,
            0.012092051768535877,
            37,
        ),
    ),
}
"""RPE by alignment, segments and relation: rmse, mean, median, std, max, n."""


def aligned(kind: str, pairs: Pairs) -> Pairs:
    return replace(pairs, estimate=ALIGNMENTS[kind](pairs).applied_to(pairs.estimate))


def test_4_3_errors_equal_those_of_evo() -> None:
    """54 pairs, four alignments, five kinds of segments; to 1e-9, the required agreement."""
    pairs = evo_pairs(*case())
    assert len(pairs) == 54
    for kind, stored in EVO_ATE.items():
        found = statistics(absolute_errors(aligned(kind, pairs)))
        assert (found.rmse, found.mean, found.median, found.std, found.max) == pytest.approx(stored, abs=1e-9), kind
    for (kind, name), (shift, angle) in EVO_RPE.items():
        ready = aligned(kind, pairs)
        segments = {
            'frames 1': lambda ready=ready: frame_segments(ready),
            'frames 10': lambda ready=ready: frame_segments(ready, 10),
            'frames 10 all': lambda ready=ready: frame_segments(ready, 10, every=True),
            'm 1': lambda ready=ready: path_segments(ready, 1.0),
            'm 1 all': lambda ready=ready: all_segments(ready, 1.0),
        }[name]()
        for errors, stored in zip(relative_errors(ready, segments), (shift, angle), strict=True):
            got = statistics(errors)
            values = (got.rmse, got.mean, got.median, got.std, got.max, got.n)
            assert values == pytest.approx(stored, abs=1e-9), (kind, name)


@pytest.mark.parametrize('kind', sorted(ALIGNMENTS))
def test_4_3_equal_trajectories_have_no_error(kind: str) -> None:
    truth, _ = case()
    found = evaluate(truth, truth, EvaluationSettings(kind, lengths_m=(5.0,)))
    # Rounding of coordinates up to 18 m in sums of 400.
    assert found['ate_m']['max'] < 1e-12 and found['end_point']['error_m'] < 1e-12
    assert found['rpe']['translation_m']['max'] < 1e-12 and found['rpe']['rotation_deg']['max'] < 1e-12
    assert found['drift']['translation_percent'] < 1e-11 and found['drift']['rotation_deg_per_m'] < 1e-12
    assert found['association'] == {'kind': 'interpolate', 'pairs': 400, 'dropped': 0, 'largest_gap_s': 0.1}


@pytest.mark.parametrize(('kind', 'scale'), [('se3', 1.0), ('origin', 1.0), ('sim3', 1.0), ('sim3', 0.2)])
def test_4_3_a_moved_truth_has_no_error_once_aligned(kind: str, scale: float) -> None:
    truth, _ = case()
    found = evaluate(truth, moved(truth, scale), EvaluationSettings(kind))
    assert found['ate_m']['max'] < 1e-12 and found['alignment']['scale'] == pytest.approx(1.0 / scale, rel=1e-12)
    assert evaluate(truth, moved(truth, scale), EvaluationSettings())['ate_m']['rmse'] > 1.0


def test_4_3_relative_errors_do_not_change_with_the_alignment_in_se3() -> None:
    pairs = evo_pairs(*case())
    one, other = (relative_errors(aligned(kind, pairs), frame_segments(pairs)) for kind in ('none', 'se3'))
    assert np.array(one) == pytest.approx(np.array(other), abs=1e-13)


def test_4_3_yaw_alignment_finds_a_turn_about_the_vertical_only() -> None:
    """A turn of 130 degrees about z is found. A tilt of 5 degrees stays, as SE(3) would not leave it."""
    truth, _ = case()
    turn = np.broadcast_to(rotation.from_yaw(math.radians(130.0)), (len(truth), 4))
    places = truth.positions @ rotation.matrix(turn[0]).T + np.array([3.0, 4.0, 5.0])
    other = Trajectory(truth.stamps_ns, places, rotation.products(turn, truth.quaternions))
    pairs = interpolated(truth, other)
    found = ALIGNMENTS['yaw'](pairs)
    assert rotation.yaw(found.quaternion) == pytest.approx(math.radians(-130.0), abs=1e-13)
    assert absolute_errors(aligned('yaw', pairs)).max() < 1e-12
    tilt = rotation.from_rpy_deg((0.0, 5.0, 0.0))
    tilted = replace(pairs, estimate=replace(other, positions=places @ rotation.matrix(tilt).T))
    assert statistics(absolute_errors(aligned('yaw', tilted))).rmse > 0.1
    assert ALIGNMENTS['yaw'](tilted).quaternion[:2].tolist() == [0.0, 0.0]
    assert statistics(absolute_errors(aligned('se3', tilted))).rmse < 1e-12


def test_4_3_alignment_never_mirrors() -> None:
    """The best orthogonal matrix between a path and its mirror image is a mirror; the result is a rotation."""
    truth, _ = case()
    mirrored = replace(truth, positions=truth.positions * np.array([1.0, 1.0, -1.0]))
    pairs = interpolated(truth, mirrored)
    turn = rotation.matrix(ALIGNMENTS['se3'](pairs).quaternion)
    assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-12)
    assert absolute_errors(aligned('se3', pairs)).max() > 0.01


@pytest.mark.parametrize('kind', ['se3', 'sim3'])
def test_4_3_alignment_of_a_straight_line_or_a_point_is_refused(kind: str) -> None:
    line = straight(0.1, 10.0)
    for pairs in (interpolated(line, line), interpolated(moved(line), moved(line)), interpolated(at(1.0), at(1.0))):
        with pytest.raises(TrajectoryError, match=r'not defined: the \d+ positions are in a straight line or a point'):
            ALIGNMENTS[kind](pairs)
    # A millimeter aside in ten meters is a shape.
    bent = replace(line, positions=line.positions + np.outer(np.arange(101) == 50, [0.0, 1e-3, 0.0]))
    assert absolute_errors(aligned(kind, interpolated(bent, bent))).max() < 1e-12


def test_4_3_yaw_of_a_vertical_path_is_refused_and_of_a_straight_one_found() -> None:
    line = straight(0.1, 10.0)
    assert absolute_errors(aligned('yaw', interpolated(line, line))).max() < 1e-12
    up = replace(line, positions=line.positions[:, [1, 2, 0]])
    with pytest.raises(TrajectoryError, match='do not move horizontally'):
        ALIGNMENTS['yaw'](interpolated(up, up))


def test_4_3_one_pose_has_an_absolute_error_and_says_what_is_undefined() -> None:
    found = evaluate(at(2.0), replace(at(2.0), positions=np.array([[2.0, 3.0, 4.0]])), EvaluationSettings())
    assert found['ate_m'] == {'rmse': 5.0, 'mean': 5.0, 'median': 5.0, 'std': 0.0, 'max': 5.0, 'n': 1}
    assert found['rpe'] is None and found['drift'] is None and found['end_point'] == {'error_m': 0.0, 'percent': None}
    assert [note.split(';')[0] for note in found['notes']] == [
        'rpe: no segment of 1 frames in 1 poses',
        'drift: no segment of 5 m in a true path of 0 m',
    ]


def test_4_3_drift_of_a_scaled_straight_path_and_of_a_yaw_rate() -> None:
    """A scale of 1.01: 1.00 % and 0.01 m per meter. 0.1 deg/m of yaw: 0.1 deg/m.

    A segment exceeds its length by up to one step of 1 cm, so the values are larger by up to 0.01 / L.
    """
    truth = straight()
    found = drift(interpolated(truth, straight(scale=1.01)))
    assert sorted(found) == [0.0, 5.0, 10.0, 20.0, 40.0]
    for length, each in found.items():
        above = 0.01 / (length or 5.0)
        assert 1.0 - 1e-9 <= each.translation_percent <= 1.0 * (1.0 + above) + 1e-9
        assert each.rotation_deg_per_m == pytest.approx(0.0, abs=1e-12)
    # Starts 0, 10, ... of 4501 frames whose end lies on the path: the first frame beyond 40 m.
    assert found[40.0].segments == 50 and found[0.0].segments == sum(found[k].segments for k in (5.0, 10.0, 20.0, 40.0))
    ready = interpolated(truth, straight(scale=1.01))
    shifts, angles = relative_errors(ready, path_segments(ready, 1.0))
    assert shifts == pytest.approx(0.01, abs=1.1e-4) and len(shifts) == 45 and angles.max() == 0.0
    turning = drift(interpolated(truth, straight(yaw_deg_per_m=0.1)))
    for length, each in turning.items():
        assert 0.1 - 1e-9 <= each.rotation_deg_per_m <= 0.1 * (1.0 + 0.01 / (length or 5.0)) + 1e-9


def test_4_3_segments_that_do_not_fit_are_refused() -> None:
    pairs = interpolated(straight(0.1, 3.0), straight(0.1, 3.0))
    for call in (
        lambda: frame_segments(pairs, 31),
        lambda: path_segments(pairs, 3.2),
        lambda: all_segments(pairs, 3.4),
        lambda: drift(pairs),
    ):
        with pytest.raises(TrajectoryError, match=r'no segment of .* in .*; allowed: shorter'):
            call()
    for call in (lambda: frame_segments(pairs, 0), lambda: path_segments(pairs, 0.0), lambda: drift(pairs, [math.nan])):
        with pytest.raises(TrajectoryError, match=r'segments of .*; allowed'):
            call()


def test_4_3_end_point_error_is_over_the_true_path_from_the_first_pose() -> None:
    truth = straight(0.1, 10.0)
    found = evaluate(truth, moved(straight(0.1, 10.0, scale=0.97)), EvaluationSettings('origin'))
    assert found['end_point'] == pytest.approx({'error_m': 0.3, 'percent': 3.0}, abs=1e-12)


# -- poses ----------------------------------------------------------------------------------------------------------


def test_4_1_a_lever_arm_makes_errors_until_the_estimate_is_moved() -> None:
    """An exact estimate of a camera 2 m ahead errs by up to 4 m on a turn, and not at all once moved to the base."""
    t = np.linspace(0.0, 10.0, 101)
    base = trajectory(np.round(t * 1e9), np.outer(t, [0.1, 0.0, 0.0]), turns(np.outer(t, [0.0, 0.0, 36.0])))
    place, turn = np.array([2.0, 0.0, 1.0]), np.array([-0.5, 0.5, -0.5, 0.5])
    camera = base.of_frame(place, turn)
    assert camera.positions[50] == pytest.approx([0.5 - 2.0, 0.0, 1.0])
    assert camera.rotations[0] @ [0.0, 0.0, 1.0] == pytest.approx([1.0, 0.0, 0.0]), 'the camera looks ahead'
    shifted = replace(camera, positions=camera.positions - camera.positions[0])
    assert absolute_errors(interpolated(base, shifted)).max() == pytest.approx(4.0, abs=0.01)
    assert absolute_errors(interpolated(base, camera.of_frame(*inverse_pose(place, turn)))).max() < 1e-12


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'positions': [[0, 0, 0], [1, math.nan, 0], [2, 0, 0]]}, 'pose 1: is not finite'),
        ({'quaternions': [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, math.inf]]}, 'pose 2: is not finite'),
        ({'quaternions': [[0, 0, 0, 1], [0, 0, 0, 1.002], [0, 0, 0, 1]]}, r'pose 1: quaternion .* has norm 1\.002'),
        ({'quaternions': np.zeros((3, 4))}, 'pose 0: quaternion .* has norm 0'),
        ({'stamps_ns': [0, 5, 5]}, r'pose 2: 0\.000000005 s repeats the stamp'),
        ({'stamps_ns': [0, 5, 4]}, 'pose 2: .* is before the stamp'),
        ({'stamps_ns': [0, 5]}, '2 stamps, 3 positions and 3 quaternions'),
        ({'stamps_ns': [], 'positions': [], 'quaternions': []}, 'has no poses'),
    ],
)
def test_4_1_invalid_poses_are_refused(change: dict[str, object], message: str) -> None:
    values = {'stamps_ns': [0, 5, 9], 'positions': np.zeros((3, 3)), 'quaternions': np.tile([0, 0, 0, 1.0], (3, 1))}
    with pytest.raises(TrajectoryError, match=f'{message}.*; allowed: '):
        trajectory(**{**values, **change})


def test_4_1_quaternions_of_four_digits_are_normalized() -> None:
    found = trajectory([0], [[0, 0, 0]], [[0.0005, 0.0, 0.7074, 0.7074]])
    assert np.linalg.norm(found.quaternions) == pytest.approx(1.0, abs=1e-15)
