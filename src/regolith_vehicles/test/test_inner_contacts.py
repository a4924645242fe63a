# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of contacts within a vehicle: pairs of ``collision.within``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.dynamics.errors import VehicleError

CYCLE_NS = 20_000_000
ROOF = '<geom name="roof" type="box" size="0.3 0.3 0.03" pos="0.6 0 0.62"/>'
"""A plate above the front drum, which touches it where the arm has risen by 38 degrees."""


def digger(folder: Path, within: Any) -> Vehicle:
    """Return RASSOR with a roof over its front drum, weightless above the ground."""
    config, mjcf = load_vehicle_model('rassor')
    own = folder / 'rassor'
    shutil.copytree(mjcf.parent, own, dirs_exist_ok=True)
    text = (own / 'rassor.xml').read_text().replace('<geom name="lid"', f'{ROOF}\n<geom name="lid"')
    (own / 'rassor.xml').write_text(text)
    collision = config.collision.model_copy(update={'within': within})
    config = config.model_copy(update={'collision': collision})
    grid = SoilGrid(FlatField(), 0.02)
    made = Vehicle('rover', config, own / 'rassor.xml', grid, load_soil('chrono_lunar'), gravity=0.0, mode='regolith')
    made.place_above_ground(0.0, 0.0, 0.0, 3.0)
    return made


def lift(made: Vehicle, seconds: float) -> float:
    """Command the front arm up and return its angle at the end [rad]."""
    up = DriveCommand(joints={'arm_front': 0.78})
    for _ in range(round(seconds / 0.02)):
        made.evolve(CYCLE_NS, *made.gear.targets(up))
        made.commit()
    names, angles, _ = made.joint_states()
    return float(angles[names.index('arm_front')])


def test_an_arm_stops_at_the_chassis(tmp_path: Path) -> None:
    """Without the pair, the arm reaches its commanded angle. With it, it stops at the roof.

    The weightless vehicle's momentum stays zero: to the integrator's error of first order in the substep, 1e-3 of
    what the arm alone has (20 kg at 0.35 rad/s).
    """
    free = lift(digger(tmp_path / 'a', ()), 6.0)
    made = digger(tmp_path / 'b', (('drum_front', 'roof'),))
    stopped = lift(made, 6.0)
    assert free == pytest.approx(0.78, abs=0.02) and stopped < free - 0.03
    contacts = made.data.contact[: made.data.ncon]
    assert len(contacts) >= 1 and min(contact.dist for contact in contacts) > -5e-3
    mujoco.mj_subtreeVel(made.body.model, made.data)
    assert np.abs(made.body.mass * made.data.subtree_linvel[1]).max() < 1e-3 * 20.0 * 0.35 * 0.5


def test_contacts_within_a_vehicle_repeat_bit_for_bit(tmp_path: Path) -> None:
    """A state restored in the middle of the contact continues with the same bits."""
    made = digger(tmp_path, (('drum_front', 'base_link'),))
    lift(made, 5.0)
    assert made.data.ncon
    state = made.state()
    lift(made, 0.2)
    end = made.state()
    made.restore(state)
    lift(made, 0.2)
    assert made.state() == end


def test_pairs_that_cannot_collide_are_refused(tmp_path: Path) -> None:
    """Errors name the key, the value and what is allowed. Without pairs, contacts remain off."""
    assert digger(tmp_path, ()).body.model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    for pair, why in (
        (('drum_front', 'rof'), r'collision.within.0.1.*rof.*no such body'),
        (('arm_front', 'drum_front'), 'collision.within.0.*no body with its parent'),
        (('roof', 'lid'), 'collision.within.0.*no body with its parent'),
    ):
        with pytest.raises((VehicleModelError, VehicleError), match=why):
            digger(tmp_path, (pair,))
