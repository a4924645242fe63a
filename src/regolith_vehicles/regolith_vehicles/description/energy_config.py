# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sections of a vehicle's YAML file: solar panels, electric loads, thermal nodes."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from regolith_files import Section

Name = Annotated[str, Field(min_length=1, max_length=100)]
Meters = Annotated[float, Field(ge=-100.0, le=100.0)]
Place = tuple[Meters, Meters, Meters]
Size = Annotated[float, Field(ge=1e-3, le=100.0)]
Temperature = Annotated[float, Field(ge=2.0, le=2000.0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Emissivity = Annotated[float, Field(ge=0.01, le=1.0)]
Component = Annotated[float, Field(ge=-1.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=1000)]

PRIORITIES = 5
"""Lowest priority of a load."""


class PanelConfig(Section):
    """Solar panel: a rectangle of cells, which face along z of its frame."""

    body: Name | None = Field(default=None, description='MJCF body that carries the panel. Absent: the chassis.')
    position: Place = Field(
        default=(0.0, 0.0, 0.0), description='Center of the cells in the body frame, outside of drawn shapes [m].'
    )
    rpy_deg: tuple[float, float, float] = Field(
        default=(0.0, 0.0, 0.0),
        description="Roll, pitch and yaw of the panel's frame in the body frame; its z axis points away from the"
        ' cells [deg].',
    )
    size_m: tuple[Size, Size] = Field(description='Size along x and y of its frame [m].')
    cells: tuple[Count, Count] = Field(
        description='Cells in series, along x, and strings of them in parallel, along y [-].'
    )
    bypass_every: Count = Field(
        default=12, description='Number of cells in series with a bypass diode, at most all [-].'
    )
    efficiency: float = Field(
        default=0.295, ge=0.001, le=0.8, description='Efficiency at 1361 W/m^2, normal incidence and 28 °C [-].'
    )
    temperature_coefficient_per_k: float = Field(
        default=-0.0025, ge=-0.02, le=0.0, description='Relative change of the voltage with temperature [1/K].'
    )
    cell_voltage_v: float = Field(
        default=2.4, ge=0.1, le=10.0, description='Voltage of a cell at its maximum power point at 28 °C [V].'
    )
    transmission: Share = Field(default=1.0, description='Fraction of the light that dust on the panel transmits [-].')
    node: Name | None = Field(
        default=None, description='Thermal node with the temperature of the cells. Absent: they have 28 °C.'
    )

    @model_validator(mode='after')
    def _diodes_bypass_cells(self) -> PanelConfig:
        if 'bypass_every' in self.model_fields_set and self.bypass_every > self.cells[0]:
            raise ValueError(
                f'bypass_every = {self.bypass_every!r}: is more than the cells in series; allowed: up to '
                f'{self.cells[0]}, which is one diode for each string'
            )
        return self


class LoadConfig(Section):
    """Electric load on the battery."""

    power_w: float = Field(ge=0.0, le=1e6, description='Power while it is on [W].')
    on: bool = Field(default=True, description='Whether the load is used at all.')
    duty: Share = Field(default=1.0, description='Fraction of time in which it takes this power, averaged [-].')
    when: Literal['always', 'driving', 'heater'] = Field(
        default='always',
        description='Time when it is on. driving: while the vehicle is commanded to move. heater: while node is colder'
        ' than below_k. Sensors of the scenario do not count, because they do not affect the state.',
    )
    node: Name | None = Field(default=None, description='Thermal node that its power heats. Absent: none.')
    below_k: Temperature | None = Field(default=None, description='Temperature below which a heater is on [K].')
    priority: int = Field(
        default=PRIORITIES,
        ge=0,
        le=PRIORITIES,
        description='Priority: a load of priority p is switched off below a charge of 2 % times p, so 5 first, and on'
        ' again 5 % above it. 0: never [-].',
    )

    @model_validator(mode='after')
    def _heater_is_whole(self) -> LoadConfig:
        if self.when != 'heater' and self.below_k is not None:
            raise ValueError(
                f'below_k = {self.below_k!r}: has no effect with when: {self.when}; allowed: with when: heater only'
            )
        if self.when == 'heater':
            for key, value, allowed in (
                ('below_k', self.below_k, 'the temperature below which the heater is on [K], 2 to 2000'),
                ('node', self.node, 'the thermal node that it heats'),
            ):
                if value is None:
                    raise ValueError(f'{key} = None: a heater needs it; allowed: {allowed}')
        return self


class FaceConfig(Section):
    """Plane outer surface of a thermal node."""

    normal: tuple[Component, Component, Component] = Field(
        description="Outward normal in the frame of the node's body."
    )
    area_m2: float = Field(ge=1e-6, le=1e4, description='Area [m^2].')
    absorptivity: Share = Field(description='Fraction of sunlight that is absorbed [-].')
    emissivity: Emissivity = Field(description='Infrared emissivity [-].')

    @model_validator(mode='after')
    def _has_a_direction(self) -> FaceConfig:
        if not math.hypot(*self.normal) > 0.5:
            raise ValueError(f'normal = {list(self.normal)}: is too short; allowed: a length above 0.5')
        return self


class NodeConfig(Section):
    """Thermal node: parts of a vehicle that have one temperature."""

    capacity_jpk: float = Field(ge=1e-3, le=1e9, description='Heat capacity [J/K].')
    initial_k: Temperature = Field(default=290.0, description='Initial temperature [K].')
    heat_w: float = Field(default=0.0, ge=0.0, le=1e6, description='Heat that is always dissipated in it [W].')
    body: Name | None = Field(default=None, description='MJCF body with the frame of the normals. Absent: the chassis.')
    bodies: tuple[Name, ...] = Field(
        default=(),
        max_length=100,
        description='MJCF bodies with this temperature in thermal images. Bodies of no node have that of the first.',
    )
    faces: dict[Name, FaceConfig] = Field(default_factory=dict, max_length=100, description='Outer surfaces by name.')


class LinkConfig(Section):
    """Exchange of heat between two thermal nodes."""

    nodes: tuple[Name, Name] = Field(description='Names of the nodes.')
    conductance_wpk: float = Field(default=0.0, ge=0.0, le=1e6, description='Conductance [W/K].')
    exchange_m2: float = Field(
        default=0.0, ge=0.0, le=1e4, description='Area times view factor times emissivity for radiation [m^2].'
    )

    @model_validator(mode='after')
    def _exchanges_heat(self) -> LinkConfig:
        if self.conductance_wpk == 0.0 and self.exchange_m2 == 0.0:
            raise ValueError(
                f'nodes = {list(self.nodes)}: exchange no heat; allowed: conductance_wpk or exchange_m2 above 0'
            )
        return self


class ThermalConfig(Section):
    """Thermal nodes of a vehicle."""

    nodes: dict[Name, NodeConfig] = Field(min_length=1, max_length=50, description='Nodes by name.')
    links: tuple[LinkConfig, ...] = Field(default=(), max_length=200, description='Exchange of heat between nodes.')

    @model_validator(mode='after')
    def _links_join_nodes(self) -> ThermalConfig:
        for number, link in enumerate(self.links):
            if link.nodes[0] == link.nodes[1] or not set(link.nodes) <= set(self.nodes):
                known = ', '.join(self.nodes)
                raise ValueError(
                    f'links.{number}.nodes = {list(link.nodes)}: joins no two nodes; allowed: two of {known}'
                )
        return self


class EnergySections(Section):
    """Sections of a vehicle's file about solar power, loads and temperatures."""

    panels: dict[Name, PanelConfig] = Field(
        default_factory=dict, max_length=50, description='Solar panels by name; they charge the battery.'
    )
    loads: dict[Name, LoadConfig] = Field(
        default_factory=dict, max_length=50, description='Electric loads by name, in addition to motors and standby_w.'
    )
    thermal: ThermalConfig | None = Field(
        default=None, description='Thermal nodes. Absent: the vehicle has no temperature.'
    )

    @model_validator(mode='after')
    def _nodes_exist(self) -> EnergySections:
        known = () if self.thermal is None else tuple(self.thermal.nodes)
        for section, entries in (('panels', self.panels), ('loads', self.loads)):
            for name, entry in entries.items():
                if entry.node is not None and entry.node not in known:
                    allowed = ', '.join(known) or 'none without section thermal'
                    raise ValueError(f'{section}.{name}.node = {entry.node!r}: is unknown; allowed: {allowed}')
        return self

    @model_validator(mode='after')
    def _heated_nodes_lose_heat(self) -> EnergySections:
        if self.thermal is None:
            return self
        heated = {load.node for load in self.loads.values()}
        linked = {name for link in self.thermal.links for name in link.nodes}
        for name, node in self.thermal.nodes.items():
            if (node.heat_w > 0.0 or name in heated) and not node.faces and name not in linked:
                raise ValueError(
                    f'thermal.nodes.{name}: is heated and loses no heat; allowed: with faces, or in one of links'
                )
        return self

    @property
    def has_energy(self) -> bool:
        """Whether the vehicle has panels, loads or thermal nodes."""
        return bool(self.panels or self.loads or self.thermal)
