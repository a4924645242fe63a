# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil around rocks that lie in it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from bodies_on_ground import DENSITY, one_body, run, scm_parameters

from regolith_terrain.bodies import shapes


@pytest.mark.parametrize('half', [0.15, 0.02], ids=['grid', 'small'])
@pytest.mark.parametrize('buried', [0.15, 0.5])
def test_rock_in_its_bed_stays_at_rest(half: float, buried: float) -> None:
    """A cube with a level underside: the soil carries its weight from the first substep, so it moves by rounding only.

    The grid computes the larger cube, points the smaller one.
    """
    points = np.array(list(itertools.product((-half, half), repeat=3)))
    rock = one_body(shapes.hull(points), DENSITY * (2.0 * half) ** 3, scm_parameters(), spacing=0.02)
    assert rock.contact.small.tolist() == [half < 0.1]
    rock.position[0] = start = np.array([0.0, 0.0, half * (1.0 - 2.0 * buried)])
    rock.in_bed[0] = True
    track = run(rock, 1.0)
    np.testing.assert_allclose(track[:, :3], np.tile(start, (len(track), 1)), atol=1e-12)
    assert np.abs(track[:, 3:]).max() < 1e-12
    assert not rock.in_bed[0]
