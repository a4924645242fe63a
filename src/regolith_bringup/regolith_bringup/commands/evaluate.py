# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith evaluate …``: scores of estimates against ground truth."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regolith_files import CommandContext, InputError, Problem, allowed_names

if TYPE_CHECKING:
    from regolith_sensors.trajectories import EvaluationSettings, Trajectory

_COMMAND = 'evaluate trajectory'

evaluate = typer.Typer(help='Score estimates against ground truth.', no_args_is_help=True)


@evaluate.callback()
def group() -> None:
    """Score estimates against ground truth."""


@evaluate.command('trajectory')
def trajectory(
    context: typer.Context,
    truth: Annotated[
        Path, typer.Argument(metavar='RUN|BAG|TRUTH', help='Run folder, bag folder, or file of the true trajectory.')
    ],
    estimate: Annotated[
        Path | None,
        typer.Argument(metavar='[ESTIMATE]', help='File of the estimate: TUM, EuRoC or KITTI. Default: a topic.'),
    ] = None,
    vehicle: Annotated[str, typer.Option(metavar='NAME', help='Vehicle. Default: the only one of the run.')] = '',
    topic: Annotated[
        str, typer.Option(metavar='TOPIC', help='Topic of the estimate: Odometry or PoseStamped. Default: /NAME/odom.')
    ] = '',
    frame: Annotated[
        str, typer.Option(metavar='SENSOR', help='Sensor whose frame was estimated. Default: base_link.')
    ] = '',
    align: Annotated[
        str,
        typer.Option(
            metavar='KIND',
            help='none, origin, se3, sim3 or yaw. Default: none; origin for topics that are not in world.',
        ),
    ] = '',
    association: Annotated[
        str, typer.Option(metavar='KIND', help='interpolate (truth at stamps of the estimate), tum or evo.')
    ] = 'interpolate',
    max_difference: Annotated[
        float | None, typer.Option(metavar='S', help='Maximum difference of stamps for tum and evo [s].', min=0.0)
    ] = None,
    delta: Annotated[float, typer.Option(metavar='N', help='Length of the segments of the relative error.')] = 1.0,
    unit: Annotated[str, typer.Option(metavar='UNIT', help='Unit of --delta: frames or m.')] = 'frames',
    all_pairs: Annotated[
        bool, typer.Option('--all-pairs', help='Start a segment of the relative error at every pose.')
    ] = False,
    lengths: Annotated[
        list[float] | None,
        typer.Option('--length', metavar='M', help='Length of segments of the drift [m]; may be repeated.'),
    ] = None,
    file_format: Annotated[
        str, typer.Option('--format', metavar='NAME', help='Format of files: tum, euroc or kitti. Default: found.')
    ] = '',
    times: Annotated[
        Path | None, typer.Option(metavar='FILE', help='Times of KITTI files. Default: times.txt beside each.')
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar='DIR', help='Write ground truth of base_link and optical frames in all formats.'),
    ] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print the result as one JSON value on stdout.')] = False,
) -> None:
    """Print absolute errors, relative errors and drift per meter of an estimated trajectory."""
    from regolith_sensors.trajectories import EvaluationSettings, TrajectoryError
    from regolith_sensors.trajectories import evaluate as evaluated

    difference = None if max_difference is None else round(max_difference * 1e9)
    settings = EvaluationSettings(align or 'none', association, difference, delta, unit, all_pairs)
    if lengths:
        settings = replace(settings, lengths_m=tuple(lengths))
    _check(settings)
    files = (truth, estimate, file_format, times)
    if _is_file(truth):
        given = {'--vehicle': vehicle, '--topic': topic, '--frame': frame, '--export': export}
        true, guessed, about = _of_files(*files, given)
    else:
        true, guessed, about = _of_run(*files, vehicle, topic, frame, export)
        if not align and about.get('parent_frame', 'world') != 'world':
            settings = replace(settings, alignment='origin')
    try:
        found = {**about, **evaluated(true, guessed, settings)}
    except TrajectoryError as error:
        problem, _, allowed_text = str(error).partition('; allowed: ')
        raise InputError(Problem(_COMMAND, '', problem, allowed_text)) from None
    tools: CommandContext = context.obj
    if as_json:
        tools.print_json(found)
    else:
        print('\n'.join(_lines(found)))


def _check(settings: EvaluationSettings) -> None:
    """Raise an error for an invalid option."""
    from regolith_sensors.trajectories import ALIGNMENTS, ASSOCIATIONS, UNITS

    for option, value, allowed in (
        ('--align', settings.alignment, ALIGNMENTS),
        ('--association', settings.association, ASSOCIATIONS),
        ('--unit', settings.unit, UNITS),
    ):
        if value not in allowed:
            raise InputError(Problem(_COMMAND, option, 'is unknown', allowed_names(allowed, value), value))
    whole = settings.unit == 'frames'
    if not 0.0 < settings.delta < math.inf or (whole and settings.delta % 1.0):
        what = 'a whole number of frames from 1' if whole else 'above 0 m'
        raise InputError(Problem(_COMMAND, '--delta', 'is no length', what, f'{settings.delta:g}'))
    for length in settings.lengths_m:
        if not 0.0 < length < math.inf:
            raise InputError(Problem(_COMMAND, '--length', 'is no length', 'above 0 m', f'{length:g}'))
    if settings.difference_ns is not None and settings.association == 'interpolate':
        raise InputError(Problem(_COMMAND, '--max-difference', 'has no effect', 'with --association tum or evo'))


def _of_files(
    truth: Path, estimate: Path | None, file_format: str, times: Path | None, options: dict[str, Any]
) -> tuple[Trajectory, Trajectory, dict[str, Any]]:
    """Return truth and estimate of two files, and what they are. Options of runs are refused."""
    from regolith_sensors.trajectories import read_trajectory

    for option, given in options.items():
        if given:
            raise InputError(Problem(_COMMAND, option, 'needs a run', 'a run folder or bag folder', str(given)))
    if estimate is None:
        allowed = 'a run, or two files: TRUTH ESTIMATE'
        raise InputError(Problem(_COMMAND, '', 'has no estimate', allowed, str(truth)))
    true, guessed = (read_trajectory(path, file_format, times) for path in (truth, estimate))
    return true, guessed, {'truth': str(truth), 'estimate': str(estimate)}


def _of_run(
    run: Path,
    estimate: Path | None,
    file_format: str,
    times: Path | None,
    vehicle: str,
    topic: str,
    frame: str,
    export: Path | None,
) -> tuple[Trajectory, Trajectory, dict[str, Any]]:
    """Return ground truth of a run, the estimate of a topic or file, and what they are."""
    from regolith_bringup.commands.recorded_trajectories import RecordedTrajectories
    from regolith_sensors.trajectories import read_trajectory

    if estimate is not None and topic:
        problem = 'is given beside a file of the estimate'
        raise InputError(Problem(_COMMAND, '--topic', problem, 'a topic or a file', topic))
    recorded = RecordedTrajectories.opened(_COMMAND, run, vehicle)
    about = {'truth': str(run), 'vehicle': recorded.vehicle, 'frame': frame or 'base_link'}
    if export is not None:
        recorded.export(export)
    if estimate is not None:
        guessed = read_trajectory(estimate, file_format, times)
        about['estimate'] = str(estimate)
    else:
        about['topic'] = topic or f'/{recorded.vehicle}/odom'
        guessed, about['parent_frame'] = recorded.estimate(about['topic'])
    if frame:
        guessed = recorded.in_base(guessed, frame)
    return recorded.truth(), guessed, about


def _is_file(path: Path) -> bool:
    """Return whether a path is a file of a trajectory, or a folder of the EuRoC format."""
    return path.is_file() or (path / 'mav0').is_dir()


def _lines(found: dict[str, Any]) -> list[str]:
    """Return a result as text."""
    matched, aligned = found['association'], found['alignment']
    lines = [
        f'pairs: {matched["pairs"]} ({matched["kind"]}), dropped {matched["dropped"]}; alignment: {aligned["kind"]}; '
        f'true path: {found["path_length_m"]:.3f} m',
        _row('ATE', found['ate_m'], 'm'),
    ]
    if relative := found['rpe']:
        label = f'RPE per {relative["delta"]:g} {relative["unit"]}'
        lines += [_row(label, relative['translation_m'], 'm'), _row(label, relative['rotation_deg'], 'deg')]
    if drifts := found['drift']:
        parts = {**{f'{m} m': each for m, each in drifts['lengths_m'].items()}, 'all': drifts}
        lines += [
            f'drift, {name}: {each["translation_percent"]:.3f} %, {each["rotation_deg_per_m"]:.4f} deg/m '
            f'({each["segments"]} segments)'
            for name, each in parts.items()
        ]
    end = found['end_point']
    share = '' if end['percent'] is None else f', {end["percent"]:.3f} % of the path'
    return [*lines, f'end point, from the first pose: {end["error_m"]:.4f} m{share}', *found['notes']]


def _row(label: str, errors: dict[str, Any], unit: str) -> str:
    values = ', '.join(f'{name} {errors[name]:.4f}' for name in ('rmse', 'mean', 'median', 'std', 'max'))
    return f'{label} [{unit}]: {values}, n {errors["n"]}'
