# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Evaluation of an estimated trajectory against the true one: association, alignment and all errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from regolith_sensors.trajectories.alignment import ALIGNMENTS, origin_alignment
from regolith_sensors.trajectories.association import (
    EVO_DIFFERENCE_NS,
    TUM_DIFFERENCE_NS,
    Pairs,
    evo_pairs,
    interpolated,
    tum_pairs,
)
from regolith_sensors.trajectories.errors import (
    DRIFT_LENGTHS_M,
    absolute_errors,
    all_segments,
    drift,
    frame_segments,
    path_segments,
    relative_errors,
    statistics,
)
from regolith_sensors.trajectories.poses import Trajectory, TrajectoryError

ASSOCIATIONS: dict[str, Callable[[Trajectory, Trajectory, int | None], Pairs]] = {
    'interpolate': lambda truth, estimate, _: interpolated(truth, estimate),
    'tum': lambda truth, estimate, limit: tum_pairs(truth, estimate, limit or TUM_DIFFERENCE_NS),
    'evo': lambda truth, estimate, limit: evo_pairs(truth, estimate, limit or EVO_DIFFERENCE_NS),
}
"""Associations by name: functions of truth, estimate and maximum difference of stamps [ns] (None: that of the tool)."""
UNITS = ('frames', 'm')
"""Units of the length of segments of the relative error."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Settings of :func:`evaluate`."""

    alignment: str = 'none'
    """One of :data:`regolith_sensors.trajectories.alignment.ALIGNMENTS`."""
    association: str = 'interpolate'
    """One of :data:`ASSOCIATIONS`."""
    difference_ns: int | None = None
    """Maximum difference of associated stamps [ns]; None: that of the tool. Interpolation has none."""
    delta: float = 1.0
    """Length of the segments of the relative error."""
    unit: str = 'frames'
    """Unit of ``delta``, one of :data:`UNITS`."""
    every: bool = False
    """Whether a segment of the relative error starts at every pose."""
    lengths_m: Sequence[float] = DRIFT_LENGTHS_M
    """Lengths of segments of the drift [m]."""


def evaluate(truth: Trajectory, estimate: Trajectory, settings: EvaluationSettings) -> dict[str, Any]:
    """Return all errors as one JSON value.

    ``rpe`` and ``drift`` are None if the path is too short for their segments; ``notes`` says so. The end point error
    is that of the last pair after alignment by the first pair, over the true path length.

    Args:
        truth: True poses of a frame.
        estimate: Estimated poses of the same frame.
        settings: Settings.

    Raises:
        TrajectoryError: If there are no pairs, or the alignment is not defined.
    """
    pairs = ASSOCIATIONS[settings.association](truth, estimate, settings.difference_ns)
    alignment = ALIGNMENTS[settings.alignment](pairs)
    aligned = Pairs(pairs.truth, alignment.applied_to(pairs.estimate), pairs.dropped)
    notes: list[str] = []
    return {
        'association': {
            'kind': settings.association,
            'pairs': len(pairs),
            'dropped': pairs.dropped,
            'largest_gap_s': float(np.diff(truth.stamps_ns).max(initial=0)) * 1e-9,
        },
        'alignment': {
            'kind': settings.alignment,
            'scale': alignment.scale,
            'quaternion_xyzw': alignment.quaternion.tolist(),
            'translation_m': alignment.translation.tolist(),
        },
        'path_length_m': float(pairs.truth.distances[-1]),
        'ate_m': asdict(statistics(absolute_errors(aligned))),
        'rpe': _relative(aligned, settings, notes),
        'drift': _drift(aligned, settings, notes),
        'end_point': _end_point(pairs),
        'notes': notes,
    }


def _relative(pairs: Pairs, settings: EvaluationSettings, notes: list[str]) -> dict[str, Any] | None:
    try:
        if settings.unit == 'frames':
            if settings.delta != int(settings.delta):
                raise TrajectoryError(f'segments of {settings.delta:g} frames; allowed: a whole number')
            segments = frame_segments(pairs, int(settings.delta), every=settings.every)
        else:
            segments = (all_segments if settings.every else path_segments)(pairs, settings.delta)
    except TrajectoryError as error:
        notes.append(f'rpe: {error}')
        return None
    shifts, angles = relative_errors(pairs, segments)
    return {
        'delta': settings.delta,
        'unit': settings.unit,
        'all_pairs': settings.every,
        'translation_m': asdict(statistics(shifts)),
        'rotation_deg': asdict(statistics(np.degrees(angles))),
    }


def _drift(pairs: Pairs, settings: EvaluationSettings, notes: list[str]) -> dict[str, Any] | None:
    try:
        found = drift(pairs, settings.lengths_m)
    except TrajectoryError as error:
        notes.append(f'drift: {error}')
        return None
    absent = [f'{length:g}' for length in settings.lengths_m if length not in found]
    if absent:
        notes.append(f'drift: the true path is too short for segments of {", ".join(absent)} m')
    whole = found.pop(0.0)
    return {**asdict(whole), 'lengths_m': {f'{length:g}': asdict(each) for length, each in found.items()}}


def _end_point(pairs: Pairs) -> dict[str, float | None]:
    last = origin_alignment(pairs).applied_to(pairs.estimate).positions[-1]
    error, length = float(np.linalg.norm(pairs.truth.positions[-1] - last)), float(pairs.truth.distances[-1])
    return {'error_m': error, 'percent': 100.0 * error / length if length else None}
