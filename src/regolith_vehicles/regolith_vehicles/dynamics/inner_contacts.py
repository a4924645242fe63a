# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contacts within a vehicle: pairs of bodies of one MJCF file that collide with each other, in MuJoCo's own loop."""

from __future__ import annotations

import mujoco
import numpy as np

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.model_checks import ModelFile


def enable_inner_contacts(config: VehicleModelConfig, files: ModelFile) -> None:
    """Give each pair of ``collision.within`` a bit of its own, and switch MuJoCo's contacts on; none: no change.

    All other pairs of geoms do not collide. MuJoCo solves these contacts as soft constraints in each substep.

    Args:
        config: Vehicle model.
        files: Compiled model, changed in place.

    Raises:
        VehicleModelError: If a name is neither a body nor a geom, or MuJoCo never collides the pair.

    Source: todorov2012.
    Checked by: test_inner_contacts.py::test_an_arm_stops_at_the_chassis.
    """
    model = files.model
    if not config.collision.within:
        return
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.geom_contype[:] = model.geom_conaffinity[:] = 0
    for bit, pair in enumerate(config.collision.within):
        key = f'collision.within.{bit}'
        first, second = (_geoms(files, f'{key}.{k}', name) for k, name in enumerate(pair))
        roots = model.body_weldid
        a, b = (int(roots[model.geom_bodyid[geoms[0]]]) for geoms in (first, second))
        if a == b or a == roots[model.body_parentid[b]] or b == roots[model.body_parentid[a]]:
            allowed = 'bodies with at least two joints between them, since MuJoCo collides no body with its parent'
            raise files.error(key, list(pair), allowed, f'cannot collide in {files.file}')
        model.geom_contype[first] |= 1 << bit
        model.geom_conaffinity[second] |= 1 << bit
    for k in range(model.nbody):
        own = np.flatnonzero(model.geom_bodyid == k)
        model.body_contype[k] = np.bitwise_or.reduce(model.geom_contype[own], initial=0)
        model.body_conaffinity[k] = np.bitwise_or.reduce(model.geom_conaffinity[own], initial=0)


def _geoms(files: ModelFile, key: str, name: str) -> list[int]:
    """Return the geoms of a body, or the geom of this name."""
    model = files.model
    geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) < 0 and geom >= 0:
        return [int(geom)]
    body = files.find('body', key, name)
    found = np.flatnonzero(model.geom_bodyid == body).tolist()
    if not found:
        raise files.error(key, name, 'bodies with geoms', f'has no geom in {files.file}')
    return [int(k) for k in found]
