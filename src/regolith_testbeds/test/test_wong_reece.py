# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of regolith mode against the closed form of a rigid wheel (Wong & Reece 1967)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.scm.constants import COHESION, DAMPING, ELASTIC, TAN_PHI
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds
from regolith_testbeds.wong_reece import drawbar_curve, rigid_wheel


def stiff(soil: str) -> np.ndarray:
    """Return soil parameters without damping and with little rebound, as in the closed form."""
    parameters = load_soil(soil).parameters()
    parameters[ELASTIC], parameters[DAMPING] = 1e9, 0.0
    return parameters


def test_wong_reece_without_friction_equals_bekker() -> None:
    """With n = 0 in effect a plate: the resistance is the work of the rut, b k z^(n + 1) / (n + 1) (Bekker 1956)."""
    soil = np.array([8e5, 0.0, 1.0, 0.0, 0.0, 0.01, 1e9, 0.0])
    found = rigid_wheel(soil, 300.0, 0.2, 0.3, 0.2)
    assert found.resistance == pytest.approx(0.2 * 8e5 * found.sinkage**2 / 2.0, rel=1e-6)
    assert found.drawbar_pull == pytest.approx(-found.resistance) and found.driving_torque == 0.0
    assert drawbar_curve(soil, 300.0, np.array([0.2]), 0.3, 0.2)[0] == found.drawbar_pull
    # The sinkage of Bekker expands the arc for small angles: z = (3 W / (b k (3 - n) sqrt(D)))^(2 / (2 n + 1)).
    bekker = (3.0 * 300.0 / (0.2 * 8e5 * 2.0 * math.sqrt(0.6))) ** (2.0 / 3.0)
    assert found.sinkage == pytest.approx(bekker, rel=0.02)


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('slip', 'soil'),
    [
        (0.6, 'chrono_sandmid'),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (0.05, 'chrono_lunar'),
                (0.05, 'chrono_sandmid'),
                (0.3, 'chrono_lunar'),
                (0.3, 'chrono_sandmid'),
                (0.6, 'chrono_lunar'),
            )
        ),
    ],
)
def test_steady_wheel_matches_wong_reece(soil: str, slip: float) -> None:
    """Drawbar pull within 2 % of the load, torque within 2.5 % of load times radius, sinkage within 1 %.

    Most of the difference is at small slip, where the rim slides slowly and the viscous friction of regolith mode adds
    to the shear. The rest comes from a grid of 1 cm under a chord of 11 to 14 cm.
    """
    load, radius, width = 500.0, 0.25, 0.21
    theirs = rigid_wheel(stiff(soil), load, slip, radius, width, 'soil')
    bed = SoilBin(stiff(soil), 0.01, 'regolith', rolling_bounds(0.01, 0.2 * (1.0 - slip), radius, width))
    ours = roll(bed, load, slip, dt=2.5e-4)
    assert ours.drawbar_pull == pytest.approx(theirs.drawbar_pull, abs=0.02 * load)
    assert ours.driving_torque == pytest.approx(theirs.driving_torque, abs=0.025 * load * radius)
    assert ours.sinkage == pytest.approx(theirs.sinkage, rel=0.01)


def test_regolith_mode_elastic_closed_path_does_no_work() -> None:
    """Along the body normal, pressure has a potential: a closed path over elastic soil does no work.

    Along the ground normal, as in reference mode, the same path does work.
    """
    work = {}
    for mode in ('regolith', 'reference'):
        parameters = load_soil('chrono_lunar').parameters()
        parameters[[COHESION, TAN_PHI, DAMPING]] = 0.0  # no shear, no damping
        bed = SoilBin(parameters, mode=mode)
        bed.wheel((0.0, 0.0, 0.2298))
        total = spent = 0.0
        angles = np.linspace(0.0, 2.0 * math.pi, 2001)
        # Within the elastic rebound of 0.08 mm, and nowhere on the rim as deep as before.
        path = np.stack((2e-5 - 2e-5 * np.cos(angles), 0.0 * angles, 0.22985 + 1e-5 * np.sin(angles)), axis=1)
        bed.wheel(path[0])
        before = bed.force.copy()
        for start, place in itertools.pairwise(path):
            bed.wheel(place)
            work_done = float(0.5 * (bed.force + before) @ (place - start))
            total += work_done
            spent += abs(work_done)
            before = bed.force.copy()
        work[mode] = abs(total) / spent
    # The trapezoidal rule over 2000 steps leaves about 1e-6 of the exchanged work.
    assert work['regolith'] < 1e-4 < 1e-2 < work['reference']


@pytest.mark.parametrize('mode', ['regolith', pytest.param('reference', marks=pytest.mark.slow)])
@pytest.mark.parametrize('slip', [0.1, pytest.param(0.4, marks=pytest.mark.slow)])
def test_drawbar_pull_converges_with_grid_spacing(mode: str, slip: float) -> None:
    """Spacing 0.01 to 0.005 m, width 0.20 m: within 5 % of the pull, including one row of nodes at each edge."""
    pulls = []
    for spacing in (0.01, 0.005):
        bed = SoilBin('chrono_lunar', spacing, mode, rolling_bounds(spacing, 0.2 * (1.0 - slip), 0.25, 0.21))
        pulls.append(roll(bed, 500.0, slip, width=0.21 if spacing == 0.01 else 0.205 + 0.005).drawbar_pull)
    assert pulls[1] == pytest.approx(pulls[0], rel=0.05)
