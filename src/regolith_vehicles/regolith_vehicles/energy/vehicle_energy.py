# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Energy of a vehicle as part of its state: sun on its panels, loads, battery and thermal nodes.

Light, temperatures and the powers of panels and loads change once per simulated second, and the battery is charged or
discharged by the resulting power in every cycle. At zero charge loads have the power of the sun alone, motors have no
torque, and the battery is locked until UNLOCKED of its charge. Left out: light of the Earth, self-discharge.

Checked by: test_vehicle_energy.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import rounded_text
from regolith_terrain.grid import SoilGrid
from regolith_terrain.solids import Solids
from regolith_vehicles.description.energy_config import LoadConfig
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.model_checks import index_of
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.energy.environment import ColdDarkness, Radiation, RadiativeEnvironment
from regolith_vehicles.energy.nodes import ThermalNodes, part_nodes
from regolith_vehicles.energy.panels import RATED_K, SIDE, Panel, incident
from regolith_vehicles.energy.shade import (
    ConvexBodies,
    box_planes,
    moved,
    rocks_toward,
    shape_planes,
    sunlit,
    terrain_part,
    visual_planes,
)
from regolith_vehicles.powertrain.battery import CURRENT, DRAWN, RETURNED, STORED, VOLTAGE, draw, make_battery
from regolith_world.cycle import BodyState, Saved, Shape, StateField, StateLayout
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]

PERIOD_NS = 1_000_000_000
"""Time between updates of light, temperatures and powers [ns]."""
SHED_SHARE = 0.02
"""State of charge below which a load of priority 1 is switched off; priority p: p times this."""
BACK_SHARE = 0.05
"""State of charge above that at which it is on again, in addition."""
UNLOCKED = 0.02
"""State of charge at which an empty battery supplies motors and loads again."""
HIDDEN_SHARE = 0.1
"""Share of a panel that may be inside drawn shapes."""
FAR_M = 10.0
"""Largest distance of a cell from the vehicle [m]; a larger one indicates a wrong unit."""
_REACH_M = 3.0
"""Radius around the base within which rocks can hide the sun [m]."""


@dataclass(frozen=True)
class Surroundings:
    """Objects and facts of the scenario that a vehicle's energy depends on."""

    environment: RadiativeEnvironment = field(default_factory=ColdDarkness)
    shapes: Mapping[str, Sequence[Shape]] = field(default_factory=dict)
    """Collision shapes of the bodies of all vehicles, by name of the body."""
    solids: Solids | None = None


@dataclass(frozen=True)
class EnergyValues:
    """Energy of a vehicle at a commit, for observers."""

    temperatures: Vector
    """Temperatures of the nodes [K], shape (n,)."""
    panel_power: Vector
    """Power of each panel [W]."""
    panel_lit: Vector
    """Sunlit fraction of each panel."""
    load_power: Vector
    """Power of each load [W]."""
    shed: tuple[str, ...]
    """Loads that are off because of the charge."""
    state_of_charge: float
    part_k: Vector
    """Temperature of each drawn part [K], shape (parts,) or (0,)."""


class VehicleEnergy(Saved):
    """Panels, loads and thermal nodes of a vehicle; its state is one vector."""

    STATE = StateLayout('energy of a vehicle', StateField('values', '<f8'))

    def __init__(self, config: VehicleModelConfig, body: Multibody, charge: Vector) -> None:
        """Find the bodies of panels and nodes.

        Args:
            config: Vehicle model with panels, loads or thermal nodes.
            body: Multibody model.
            charge: State of the battery, which this object changes; (0,) without one.

        Raises:
            VehicleModelError: If a body does not exist, or panels or loads have no battery.
        """
        self.config, self._model, self._charge = config, body.model, charge
        self.surroundings = Surroundings()
        """Set by the agent."""
        self.dark: dict[str, float] = {}
        """Fractions of panels without power in case of a fault, by name."""
        self.forced: dict[str, bool] = {}
        """Loads that a fault keeps on or off, by name."""
        self.panels = [Panel(panel) for panel in config.panels.values()]
        self._panel_bodies = [
            self._body(f'panels.{name}.body', panel.body or config.chassis) for name, panel in config.panels.items()
        ]
        self.nodes = None if config.thermal is None else ThermalNodes(config.thermal)
        self._node_bodies = []
        for name, node in () if config.thermal is None else config.thermal.nodes.items():
            for k, each in enumerate(node.bodies):
                self._body(f'thermal.nodes.{name}.bodies.{k}', each)
            self._node_bodies.append(self._body(f'thermal.nodes.{name}.body', node.body or config.chassis))
        self._battery = None if config.battery is None else make_battery(config.battery)._replace(standby=0.0)
        self._hull: list[tuple[int, Vector]] = []
        self._part_nodes: list[int] = []
        count = self._count_nodes
        self._sizes = (4, count, len(self.panels), len(self.panels), len(config.loads), len(config.loads), 2)
        self.values = np.zeros(sum(self._sizes))
        """Slot of the last update, net power [W], lock of an empty battery, energy through its terminals [J]; then
        temperatures, powers and sunlit fractions of panels, powers and shed flags of loads, and the energies of panels
        and loads [J]."""
        self.reset()

    def _body(self, key: str, name: str) -> int:
        return index_of(self._model, 'body', name, self.config.mjcf, self.config.file, key)

    @property
    def _count_nodes(self) -> int:
        return 0 if self.nodes is None else len(self.nodes.names)

    def reset(self) -> None:
        """Return to the initial temperatures, with all loads off until the first cycle."""
        self.values[:] = 0.0
        self.values[0] = -1.0
        if self.nodes is not None:
            self._parts()[1][:] = self.nodes.start

    def show(self, visuals: Any) -> None:
        """Take the drawn shapes of the vehicle, which shade its panels (:class:`BodyVisuals`)."""
        self._hull = [(row, visual_planes(visual)) for row, part in enumerate(visuals.parts) for visual in part.visuals]
        if self.config.thermal is not None:
            self._part_nodes = part_nodes(self.config, [part.name for part in visuals.parts])[0]

    def refuse_useless_panels(self, data: Any, poses: Vector) -> None:
        """Refuse panels inside drawn shapes, where no light comes, and panels far beyond the vehicle.

        Args:
            data: MuJoCo state of the vehicle (mujoco.MjData).
            poses: Poses of its drawn parts, shape (n, 7).

        Raises:
            VehicleModelError: If a panel is useless.
        """
        hull = [moved(planes, poses[row, :3], rotation.matrix(poses[row, 3:7])) for row, planes in self._hull]
        for name, panel, body in zip(self.config.panels, self.panels, self._panel_bodies, strict=True):
            points = portable_math.times(panel.points, data.xmat[body].reshape(3, 3).T) + data.xpos[body]
            # At least the distance of each point from the nearest shape [m], negative inside.
            outside = [(portable_math.times(points, planes[:, :3].T) - planes[:, 3]).max(axis=1) for planes in hull]
            gaps = np.min(outside, axis=0) if outside else np.zeros(len(points))
            hidden = float(np.mean(gaps < -1e-6))
            if hidden > HIDDEN_SHARE:
                place, problem = 'position', f'puts {100.0 * hidden:.0f} % of the panel inside shapes of the vehicle'
                allowed = f'a place outside of all drawn shapes; up to {100.0 * HIDDEN_SHARE:.0f} % may be inside'
            elif float(gaps.max()) > FAR_M:
                place = 'position' if float(gaps.min()) > FAR_M else 'size_m'
                problem = f'puts cells {rounded_text(float(gaps.max()), 3)} m from all shapes of the vehicle'
                allowed = f'cells within {FAR_M:g} m of them'
            else:
                continue
            value = list(getattr(panel.config, place))
            raise VehicleModelError(self.config.file, f'panels.{name}.{place}', value, allowed, problem)

    def _parts(self) -> list[Vector]:
        """Return views of the parts of :attr:`values`."""
        ends = np.cumsum((0, *self._sizes)).tolist()
        return [self.values[a:b] for a, b in pairwise(ends)]

    def locks(self) -> bool:
        """Return whether the battery was empty and is not yet charged again."""
        return bool(self.values[2])

    def warm_up(self) -> None:
        """Compile all kernels; the state does not change."""
        point = np.zeros((1, 3))
        sunlit(point, np.array([0.0, 0.0, 1.0]), ConvexBodies.of([box_planes((1.0, 1.0, 1.0))]))
        for panel in self.panels:
            panel.power(np.ones(SIDE * SIDE), 1.0, 0.0, RATED_K)
        if self.nodes is not None:
            self.nodes.step(self.nodes.start.copy(), self.nodes.heat, 1.0)

    # -- evolution ------------------------------------------------------------------------------------------------

    def advance(
        self, t_ns: int, dt_ns: int, vehicle: Any, poses: Vector, driving: bool, bodies: Sequence[BodyState]
    ) -> tuple[str, ...]:
        """Advance by a cycle, and return the names of loads that were switched off in it.

        Args:
            t_ns: Time at the end of the cycle [ns].
            dt_ns: Its duration [ns].
            vehicle: The vehicle (:class:`regolith_vehicles.agent.vehicle.Vehicle`) at the end of the cycle.
            poses: Poses of its drawn parts, shape (n, 7).
            driving: Whether it is commanded to move.
            bodies: Committed states of all objects with collision shapes.
        """
        head, _, panel_power, _, load_power, shed, energies = self._parts()
        before, slot = shed.copy(), float(t_ns // PERIOD_NS)
        motors = 0.0
        if self._battery is not None:
            motors = float(self._charge[DRAWN] - self._charge[RETURNED]) - head[3]
        if slot != head[0]:
            elapsed = 0.0 if head[0] < 0.0 else (slot - head[0]) * PERIOD_NS * 1e-9
            head[0] = slot
            self._update(t_ns, elapsed, vehicle, poses, driving, bodies)
        step = dt_ns * 1e-9
        energies[0] += panel_power.sum() * step
        energies[1] += load_power.sum() * step
        if self._battery is not None:
            self._charge_battery(head, motors / step, step)
        names = tuple(self.config.loads)
        return tuple(names[k] for k in np.flatnonzero(shed > before))

    def _charge_battery(self, head: Vector, motors: float, step: float) -> None:
        battery, charge = self._battery, self._charge
        assert battery is not None and self.config.battery is not None
        most = self.config.battery.charge_rate_per_h * battery.capacity / 3600.0
        current = float(charge[CURRENT])
        # A full battery takes nothing further from the panels.
        room = float(battery.capacity - charge[STORED]) / step
        draw(battery, charge, max(float(head[1]), -most - motors, -room), step)
        charge[CURRENT] += current
        charge[VOLTAGE] -= battery.resistance * current
        if charge[STORED] <= 0.0:
            head[2] = 1.0
        elif charge[STORED] >= UNLOCKED * battery.capacity:
            head[2] = 0.0
        head[3] = charge[DRAWN] - charge[RETURNED]

    def _update(
        self, t_ns: int, elapsed: float, vehicle: Any, poses: Vector, driving: bool, bodies: Sequence[BodyState]
    ) -> None:
        """Update light, temperatures and powers."""
        head, temperatures, panel_power, panel_lit, load_power, _, _ = self._parts()
        base, data = vehicle.body_state(), vehicle.data
        around = self.surroundings.environment.at(t_ns, float(base.position[0]), float(base.position[1]))
        others = self._others(base, around, bodies)
        grid: SoilGrid = vehicle.grid
        level_sun = around.irradiance * max(0.0, float(around.sun[2]))
        hull = [moved(planes, poses[row, :3], rotation.matrix(poses[row, 3:7])) for row, planes in self._hull]
        everything, lit_nodes = ConvexBodies.of([*hull, *others]), {}
        for k, (panel, body) in enumerate(zip(self.panels, self._panel_bodies, strict=True)):
            turn = data.xmat[body].reshape(3, 3)
            points = portable_math.times(panel.points, turn.T) + data.xpos[body]
            normal = portable_math.times(turn, panel.frame[:, 2])
            facing = float(_dot(normal, around.sun))
            lit = np.zeros(len(points))
            if facing > 0.0 and around.irradiance > 0.0:
                lit = sunlit(points, around.sun, everything) * self._terrain(points, around, grid)
            node = panel.config.node
            warm = RATED_K if node is None or self.nodes is None else temperatures[self.nodes.names.index(node)]
            below = 0.5 * (1.0 - float(normal[2])) * around.ground_albedo * level_sun
            panel_lit[k] = lit.mean()
            if node is not None and facing > 0.0:
                lit_nodes[node] = float(panel_lit[k])
            panel_power[k] = panel.power(lit, incident(around.irradiance, facing), below, float(warm))
        for name, part in self.dark.items():
            panel_power[list(self.config.panels).index(name)] *= 1.0 - part
        self._switch(driving)
        if self.nodes is not None:
            center = base.center_of_mass
            seen = 0.0
            if around.irradiance > 0.0:
                seen = float(sunlit(center[None, :], around.sun, ConvexBodies.of(others))[0])
                seen *= terrain_part(
                    center, around.sun, around.sun_radius, self.surroundings.environment.range_m, grid.levels
                )
            lit_of = [lit_nodes.get(name, seen) for name in self.nodes.names]
            self._warm(elapsed, data, around, lit_of, level_sun)
        if self._battery is not None:
            assert self.config.battery is not None
            head[1] = load_power.sum() / self.config.battery.converter_efficiency - panel_power.sum()
            if self.locks() and head[1] > 0.0:
                load_power[:], head[1] = 0.0, -panel_power.sum()

    def _others(self, base: BodyState, around: Radiation, bodies: Sequence[BodyState]) -> list[Vector]:
        """Return the planes of rocks and other vehicles that may hide the sun."""
        if around.irradiance <= 0.0:
            return []
        found: list[Vector] = []
        if self.surroundings.solids is not None:
            found += rocks_toward(self.surroundings.solids, base.position, around.sun, _REACH_M)
        for body in bodies:
            if body.name.partition('/')[0] == base.name:
                continue
            turn = rotation.matrix(body.orientation)
            for shape in self.surroundings.shapes.get(body.name, ()):
                found.append(moved(shape_planes(shape), body.position, turn))
        return found

    def _terrain(self, points: Vector, around: Radiation, grid: SoilGrid) -> Vector:
        """Return the part of the sun's disc above the terrain, that of the middle of each quarter of a panel."""
        half = SIDE // 2
        corner = points.reshape(2, half, 2, half, 3).mean(axis=(1, 3))
        range_m = self.surroundings.environment.range_m
        parts = np.array(
            [terrain_part(each, around.sun, around.sun_radius, range_m, grid.levels) for each in corner.reshape(-1, 3)]
        )
        return np.repeat(np.repeat(parts.reshape(2, 2), half, axis=0), half, axis=1).ravel()

    def _switch(self, driving: bool) -> None:
        """Switch the loads by their conditions and the charge."""
        _, temperatures, _, _, load_power, shed, _ = self._parts()
        charge = 1.0
        if self._battery is not None:
            charge = float(self._charge[STORED]) / self._battery.capacity
        for k, (name, load) in enumerate(self.config.loads.items()):
            limit = SHED_SHARE * load.priority
            if charge < limit:
                shed[k] = 1.0
            elif charge >= limit + BACK_SHARE or load.priority == 0:
                shed[k] = 0.0
            on = load.on and not shed[k] and self._wanted(load, driving, temperatures)
            on = self.forced.get(name, on)
            load_power[k] = load.power_w * load.duty if on else 0.0

    def _wanted(self, load: LoadConfig, driving: bool, temperatures: Vector) -> bool:
        if load.when == 'heater':
            assert self.nodes is not None and load.node is not None and load.below_k is not None
            return bool(temperatures[self.nodes.names.index(load.node)] < load.below_k)
        return driving or load.when == 'always'

    def _warm(self, elapsed: float, data: Any, around: Radiation, lit: Sequence[float], level_sun: float) -> None:
        """Advance the temperatures by the time since the last update [s].

        Args:
            elapsed: That time [s].
            data: MuJoCo state (mujoco.MjData).
            around: Radiation at the vehicle.
            lit: Visible fraction of the sun at each node, that of its panel if this faces the sun.
            level_sun: Irradiance of the sun on level ground [W/m^2].
        """
        _, temperatures, panel_power, _, load_power, _, _ = self._parts()
        nodes = self.nodes
        assert nodes is not None
        if elapsed <= 0.0:
            return
        power = nodes.heat.copy()
        for k, body in enumerate(self._node_bodies):
            power[k] += nodes.absorbed(k, data.xmat[body].reshape(3, 3), around, lit[k], level_sun)
        for load, watts in zip(self.config.loads.values(), load_power.tolist(), strict=True):
            if load.node is not None:
                power[nodes.names.index(load.node)] += watts
        for panel, watts in zip(self.panels, panel_power.tolist(), strict=True):
            if panel.config.node is not None:
                power[nodes.names.index(panel.config.node)] -= watts
        nodes.step(temperatures, power, elapsed)

    # -- output ---------------------------------------------------------------------------------------------------

    def observed(self) -> EnergyValues:
        """Return the present values for observers."""
        _, temperatures, panel_power, panel_lit, load_power, shed, _ = (part.copy() for part in self._parts())
        names = tuple(self.config.loads)
        charge = 0.0 if self._battery is None else float(self._charge[STORED]) / self._battery.capacity
        off = tuple(names[k] for k in np.flatnonzero(shed))
        part_k = temperatures[self._part_nodes] if self.nodes is not None else np.zeros(0)
        return EnergyValues(temperatures, panel_power, panel_lit, load_power, off, charge, part_k)

    def summary(self) -> dict[str, Any]:
        """Return the values for the run's summary: energies [W h], final temperatures [K] and loads that are off."""
        energies, values = self._parts()[6] / 3600.0, self.observed()
        return {
            'panels_wh': float(energies[0]),
            'loads_wh': float(energies[1]),
            'shed': list(values.shed),
            'temperatures_k': {}
            if self.nodes is None
            else dict(zip(self.nodes.names, values.temperatures.tolist(), strict=True)),
        }


def _dot(a: Vector, b: Vector) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
