# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the visual geoms of shipped vehicles."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import regolith_vehicles
from regolith_vehicles.description.model_files import load_vehicle_model

GAP_M = 0.05
"""Largest gap between drawn parts [m]; bearings and hubs are not drawn."""
GAPS_M = {'m113': 0.08}
"""Largest gap of the tracked vehicle [m], whose arms and sprockets end 6 cm from the hull, behind wheels and band."""


SHIPPED = sorted(file.stem for file in Path(regolith_vehicles.__file__).parent.glob('data/*/*.yaml'))
DRAWN = [name for name in SHIPPED if name != 'rocker_bogie_reference']
"""Shipped vehicles, except the one kept for comparison with its reference, whose arms are drawn as boxes only."""


def groups(model: mujoco.MjModel, gap: float) -> list[set[str]]:
    """Return the sets of drawn geoms connected over gaps up to ``gap`` [m], model at rest."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    drawn = [k for k in range(model.ngeom) if model.geom_rgba[k, 3] > 0.0]
    left, found = set(drawn), []
    while left:
        front = [min(left)]
        own = set(front)
        while front:
            a = front.pop()
            near = [
                b
                for b in sorted(left - own)
                if np.linalg.norm(data.geom_xpos[a] - data.geom_xpos[b])
                < model.geom_rbound[a] + model.geom_rbound[b] + gap
                and mujoco.mj_geomDistance(model, data, a, b, 2.0 * gap, None) <= gap
            ]
            own.update(near)
            front += near
        left -= own
        found.append({model.body(model.geom_bodyid[k]).name + '/' + model.geom(k).name for k in own})
    return found


@pytest.mark.parametrize('name', DRAWN)
def test_drawn_parts_of_shipped_vehicles_are_connected(name: str) -> None:
    """All drawn geoms form one connected set: struts end at wheels and hulls."""
    _, mjcf = load_vehicle_model(name)
    found = groups(mujoco.MjModel.from_xml_path(str(mjcf)), GAPS_M.get(name, GAP_M))
    assert len(found) == 1, sorted(map(sorted, found), key=len)[:4]


def test_unconnected_drawn_part_is_detected() -> None:
    text = (
        '<mujoco><worldbody><body name="hull"><geom type="box" size="1 1 1"/>'
        '<body name="strut" pos="0 0 {z}"><geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/></body>'
        '</body></worldbody></mujoco>'
    )
    counts = [len(groups(mujoco.MjModel.from_xml_string(text.format(z=z)), GAP_M)) for z in (1.05, 1.14, 1.16, 1.5)]
    assert counts == [1, 1, 2, 2]
