# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scores of a map: rules ``lac2025`` and ``regolith1``.

The first are the rules of the Lunar Autonomy Challenge (NASA, 2024) as its published evaluator applies them, the
second are stricter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import stdev

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.challenge.geometric_map import HEIGHT, ROCK

Floats = NDArray[np.float64]

RULES = ('lac2025', 'regolith1')
"""Names of the rules."""
HEIGHT_TOLERANCE_M = 0.05
"""Largest error of a right height, exclusive [m]."""
ATE_LIMIT_M = 0.5
"""Absolute trajectory error from which localization scores nothing, rules ``regolith1`` [m]."""
GEOMETRIC, ROCKS, PRODUCTIVITY, LOCALIZATION = 300.0, 300.0, 250.0, 150.0
"""Highest score of each part."""


@dataclass(frozen=True)
class Scores:
    """Scores of one mission."""

    geometric: float
    rocks: float
    productivity: float
    localization: float

    @property
    def total(self) -> float:
        """Sum, at most 1000."""
        return round(self.geometric + self.rocks + self.productivity + self.localization, 1)

    def rounded(self) -> dict[str, float]:
        """Return the scores and their sum, rounded to 0.1."""
        return {**{name: round(value, 1) for name, value in asdict(self).items()}, 'total': self.total}


@dataclass(frozen=True)
class Mission:
    """What is scored beside the map."""

    duration_s: float
    """Duration of the mission [s]."""
    limit_s: float
    """Longest duration [s]."""
    fiducials: bool
    """Whether the agent uses the fiducials of the lander."""
    ate_m: float | None = None
    """Absolute trajectory error of the agent's estimate [m], None without one."""


def score(rules: str, found: Floats | None, truth: Floats, mission: Mission) -> Scores:
    """Return the scores of a map.

    ``lac2025``, with n cells: geometric 300 (cells within 5 cm) / n; rocks 300 * 2 TP / (2 TP + FP + FN), nothing
    where the true map has none; productivity 250 min((filled cells / duration) / (n / limit), 1); localization 150
    without fiducials. A value of a rock other than 0 and 1 counts neither as right nor as wrong; a height that is not
    a number counts as filled.

    ``regolith1`` differs: rocks other than 0 and 1 are refused, productivity counts cells with a right height and a
    right rock, localization is 150 max(0, 1 - ATE / 0.5 m), and a map without rocks of ground without rocks is right.

    Args:
        rules: Name of the rules.
        found: Map of the agent, shape (m, m, 4); None without one.
        truth: True map.
        mission: The mission.

    Raises:
        ValueError: If the rules are unknown or refuse the map.

    Tests: test_challenge_scores.py::test_example_of_the_rules.
    """
    if rules not in RULES:
        raise ValueError(f'rules = {rules!r}: are unknown; allowed: {", ".join(RULES)}')
    strict = rules == 'regolith1'
    if strict:
        error = mission.ate_m if mission.ate_m is not None else math.inf
        localization = LOCALIZATION * max(0.0, 1.0 - error / ATE_LIMIT_M)
    else:
        localization = 0.0 if mission.fiducials else LOCALIZATION
    if found is None:
        return Scores(0.0, 0.0, 0.0, localization)
    height, rock = found[:, :, HEIGHT], found[:, :, ROCK]
    filled = ~np.isneginf(height) & ~np.isneginf(rock)
    right = right_heights(found, truth)
    if strict and not np.isin(rock[~np.isneginf(rock)], (0.0, 1.0)).all():
        wrong = rock[~np.isneginf(rock) & ~np.isin(rock, (0.0, 1.0))][0]
        raise ValueError(f'rock = {wrong:g}: is not valid; allowed: 0 or 1')
    counted = filled & right_cells(found, truth) if strict else filled
    productivity = 0.0
    if mission.duration_s > 0.0:
        rate = int(np.count_nonzero(counted)) / mission.duration_s
        productivity = PRODUCTIVITY * min(rate / (right.size / mission.limit_s), 1.0)
    return Scores(
        GEOMETRIC * int(np.count_nonzero(right)) / right.size,
        ROCKS * _rock_share(rock, truth[:, :, ROCK] == 1.0, empty=1.0 if strict else 0.0),
        productivity,
        localization,
    )


def right_heights(found: Floats, truth: Floats) -> NDArray[np.bool_]:
    """Return which cells of a map have a right height, shape (m, m)."""
    return np.asarray(np.abs(found[:, :, HEIGHT] - truth[:, :, HEIGHT]) < HEIGHT_TOLERANCE_M)


def right_cells(found: Floats, truth: Floats) -> NDArray[np.bool_]:
    """Return which cells of a map have a right height and a right rock, shape (m, m)."""
    return np.asarray(right_heights(found, truth) & (found[:, :, ROCK] == truth[:, :, ROCK]))


def _rock_share(rock: Floats, truth: NDArray[np.bool_], empty: float) -> float:
    """Return 2 TP / (2 TP + FP + FN) over cells; ``empty`` where neither truth nor map has a rock."""
    yes, no = rock == 1.0, (rock == 0.0) | np.isneginf(rock)
    right, false = int(np.count_nonzero(yes & truth)), int(np.count_nonzero(yes & ~truth))
    missed = int(np.count_nonzero(no & truth))
    if not truth.any():
        return empty if not false else 0.0
    return 2.0 * right / (2.0 * right + false + missed) if right else 0.0


def map_errors(found: Floats | None, truth: Floats) -> dict[str, float | None]:
    """Return what the rules leave out: errors of filled heights [m], precision and recall of rocks, coverage.

    A value that is not defined, such as the precision of a map without rocks, is None.
    """
    if found is None:
        return {'height_rmse_m': None, 'height_bias_m': None, 'precision': None, 'recall': None, 'coverage': 0.0}
    height, rock, true = found[:, :, HEIGHT], found[:, :, ROCK] == 1.0, truth[:, :, ROCK] == 1.0
    known = np.isfinite(height)
    off = (height - truth[:, :, HEIGHT])[known]
    both = int(np.count_nonzero(rock & true))
    return {
        'height_rmse_m': float(np.sqrt(np.mean(off**2))) if len(off) else None,
        'height_bias_m': float(np.mean(off)) if len(off) else None,
        'precision': both / int(np.count_nonzero(rock)) if rock.any() else None,
        'recall': both / int(np.count_nonzero(true)) if true.any() else None,
        'coverage': float(np.mean(known & ~np.isneginf(found[:, :, ROCK]))),
    }


def statistics(totals: Sequence[float], planned: int) -> Mapping[str, float]:
    """Return mean over all planned missions and sample standard deviation of the totals of those that ran."""
    spread = stdev(totals) if len(totals) > 1 else 0.0
    return {'mean': round(sum(totals) / max(planned, 1), 1), 'stddev': round(spread, 1)}
