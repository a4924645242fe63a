# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tools of a vehicle by themselves."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from regolith_vehicles.tools import _nearest_axis as nearest_axis


@pytest.mark.parametrize('half_turn', ['1 0 0 0', '0 1 0 0', '0 0 1 0', '0 0 0 1'])
def test_axis_of_a_drums_load_has_no_sign(half_turn: str) -> None:
    """A principal axis that points against the drum's is as near as one along it."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/>'
        f'<inertial pos="0 0 0" mass="1" quat="{half_turn}" diaginertia="3 2 1.5"/></body></worldbody></mujoco>'
    )
    model.body_iquat[1] = [float(x) for x in half_turn.split()]
    for axis in range(3):
        for sign in (1.0, -1.0):
            direction = np.full(3, 0.1)
            direction[axis] = sign
            assert nearest_axis(model, 1, direction / np.linalg.norm(direction)) == axis
