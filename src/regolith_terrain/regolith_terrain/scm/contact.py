# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""SCM as the ground contact of a vehicle; its memory is the mobilized shear of the parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes, Wrench
from regolith_terrain.contact.constants import WINDOW_MARGIN_CELLS
from regolith_terrain.contact.ground_contact import ContactSetting, GroundContact, PartPose, StepLimit, spring_limit
from regolith_terrain.contact.shear_memory import ShearMemory
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.arrays import Ground, Scratch, make_scratch, scm_ground
from regolith_terrain.scm.constants import (
    CARRIES,
    DAMPING,
    ELASTIC,
    ENABLED,
    MODE_REFERENCE,
    MODES,
    NOTHING_MOVES,
    RAY_ABOVE,
    SPREAD,
)
from regolith_terrain.scm.slip_sinkage import transport_margin
from regolith_terrain.scm.wrench import body_wrench
from regolith_world.cycle import Saved, StateField, StateLayout
from regolith_world.numerics import kernel

Ints = NDArray[np.int64]


class ScmArrays(NamedTuple):
    """Terrain, rules and memory of :func:`press`; see :func:`regolith_terrain.scm.body_wrench`."""

    ground: Ground
    soils: Floats
    rules: Floats
    mode: int
    shapes: Shapes
    shear: Floats
    """Mobilized shear, shape (layers, ni, nj, 2)."""
    layer: Ints
    """Layer of each part, shape (n,)."""
    scratch: Scratch


@kernel(views_only=True, inline='always')
def press(arrays: ScmArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part into the soil for one substep; see :mod:`regolith_terrain.contact.ground_contact`."""
    status: int = body_wrench(
        arrays.ground,
        arrays.soils,
        arrays.rules,
        arrays.mode,
        step,
        arrays.shapes,
        part,
        pose.center,
        pose.rotation,
        pose.velocity,
        pose.angular_velocity,
        arrays.shear[arrays.layer[part]],
        arrays.scratch,
        wrench,
    )
    return status


class ScmContact(GroundContact):
    """SCM contact: Bekker pressure, Janosi-Hanamoto shear, bulldozing, slip-sinkage."""

    STATE = StateLayout('SCM', StateField('shear', Saved))
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        if setting.mode not in MODES:
            raise ValueError(f'soil mode {setting.mode!r}; allowed: {", ".join(MODES)}')
        self.mode = MODES[setting.mode]
        self._rules = NOTHING_MOVES if setting.displacement is None else setting.displacement
        rules = self._rules
        self.margin_cells = float(rules[SPREAD]) + 2.0 if rules[ENABLED] else 0.0
        if rules[CARRIES]:
            behind = (transport_margin(k, s, setting.spacing) for k, s in zip(setting.shapes.kind, setting.shapes.size))
            self.margin_cells = max(self.margin_cells, *(cells - WINDOW_MARGIN_CELLS for cells in behind))
        self.feels_above_m = RAY_ABOVE if self.mode == MODE_REFERENCE else 0.0
        own = np.arange(self.parts) if setting.layer is None else setting.layer
        self._layer = np.zeros(self.parts, np.int64) if self.mode == MODE_REFERENCE else own.astype(np.int64)
        self._scratch = make_scratch(float(setting.reach.max()), setting.spacing, self.margin_cells)
        self.shear = ShearMemory.empty(self._layers)
        self._zeros: Floats | None = None

    @property
    def _layers(self) -> int:
        return int(self._layer.max()) + 1

    def arrays(self, window: SoilWindow, active: int) -> ScmArrays:
        """Return the arguments of :func:`press`; they hold the shear of the cycle until :meth:`remember`."""
        layers = int(self._layer[:active].max()) + 1
        self.shear = self.shear.first(layers)
        shape = (layers, *window.shape, 2)
        shear, self._zeros = self._zeros, None
        if shear is None or shear.shape != shape:
            shear = np.zeros(shape)
        self.shear.scatter_into(window.i0, window.j0, shear)
        return self._with(window, shear, self._layer)

    def _with(self, window: SoilWindow, shear: Floats, layer: Ints) -> ScmArrays:
        """Return the arguments of :func:`press` with the shear of a cycle and the layer of each part."""
        setting = self.setting
        ground = scm_ground(window, self.region_rows(window) if setting.soils.regions else None)
        return ScmArrays(
            ground, setting.soils.soils, self._rules, self.mode, setting.shapes, shear, layer, self._scratch
        )

    def remember(self, window: SoilWindow, arrays: ScmArrays) -> None:
        """Store the shear memory from the arrays."""
        self.shear = self.shear.gather(window.i0, window.j0, arrays.shear, window.touched)
        self.shear.clear(window.i0, window.j0, arrays.shear)
        self._zeros = arrays.shear

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return min(2 sqrt(m / (E A)), m / (R A)) of the stiffest soil; see :func:`spring_limit`."""
        soils = self.setting.soils.only_model()
        return min(spring_limit(mass, area, float(soil[ELASTIC]), float(soil[DAMPING])) for soil in soils)

    def reset(self) -> None:
        """Reset all shear."""
        self.shear = ShearMemory.empty(self._layers)
