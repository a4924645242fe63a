# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View of a run: all drawers and their rates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.view.blueprint import blueprint
from regolith_bringup.view.draw_layers import DrawnLayers
from regolith_bringup.view.draw_objects import DrawnObjects
from regolith_bringup.view.draw_plots import DrawnPlots
from regolith_bringup.view.draw_sensors import DrawnSensors
from regolith_bringup.view.draw_terrain import TerrainDrawer, draw_obstacles
from regolith_bringup.view.draw_vehicles import DrawnVehicles
from regolith_bringup.view.layers import Layers
from regolith_bringup.view.message import Drawer, ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas
from regolith_bringup.view.terrain_mesh import TerrainMesh
from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_terrain import build_height_field
from regolith_terrain.updates import CommittedSoil

Floats = NDArray[np.float64]

_POSES_NS, _GROUND_NS, _LAYERS_NS = 50_000_000, 500_000_000, 200_000_000
_STATES, _GROUNDS = 12_000, 400
"""Maximum number of vehicle states and terrain states in a view. In long runs they are farther apart."""
_PLAIN = (8, 96, 2, True)
"""Mesh resolution of reduced terrain, see :class:`TerrainMesh`."""


class RunView:
    """All drawers of a run.

    Args:
        scenario: Resolved scenario.
        canvas: Canvas to draw on.
        span_ns: Simulated time span to be shown [ns].
        ticking: Whether each message triggers :meth:`tick`. Otherwise the caller triggers it.
        plain: Whether to reduce the drawing cost to a quarter, with fewer terrain triangles and no time panel.
        soil: Committed soil that the caller updates; None: that of the messages.
    """

    def __init__(
        self,
        scenario: Any,
        canvas: Canvas,
        span_ns: int = 0,
        *,
        ticking: bool = True,
        plain: bool = False,
        soil: CommittedSoil | None = None,
    ) -> None:
        self._scenario, self.canvas, self._ticking, self._plain = scenario, canvas, ticking, plain
        terrain = scenario.terrain
        poses_ns = max(_POSES_NS, span_ns // _STATES)
        field, shade = build_height_field(terrain, scenario.seed), TerrainShading.of(scenario.light.sun_at(0))
        pieces = TerrainMesh(field, terrain.spacing_m, terrain.map_size_m, shade, *(_PLAIN if plain else ()))
        soil = soil or CommittedSoil(recorded=True)
        self.terrain = TerrainDrawer(canvas, pieces, max(_GROUND_NS, span_ns // _GROUNDS), soil)
        self._vehicles = vehicles = DrawnVehicles(canvas, poses_ns)
        self._plots, self._layers = DrawnPlots(canvas), Layers(scenario)
        self._drawers: tuple[Drawer, ...] = (
            self.terrain,
            vehicles,
            DrawnSensors(canvas, vehicles.path_of_frame),
            DrawnObjects(canvas, scenario, poses_ns),
            self._plots,
            DrawnLayers(canvas, self._layers, max(_LAYERS_NS, poses_ns)),
        )
        self._wanted: dict[str, list[tuple[Drawer, int]]] = defaultdict(list)
        self._types: dict[str, str] = {}
        self._slots: dict[tuple[str, int], int] = {}
        self._places = np.zeros((1, 2))

    def meet(self, types: Mapping[str, str]) -> dict[str, int]:
        """Return the topics whose messages are needed, with the minimum time between two messages of each [ns].

        Args:
            types: Message types of all topics, by name relative to the namespace of the run.
        """
        self._types = dict(types)
        self._wanted.clear()
        for drawer in self._drawers:
            for topic, period_ns in drawer.meet(types).items():
                self._wanted[topic].append((drawer, period_ns))
        return {topic: min(period_ns for _, period_ns in those) for topic, those in self._wanted.items()}

    def begin(self, t_ns: int, places: Floats, tiles: Iterable[tuple[int, int]] = ()) -> None:
        """Draw static objects, and the terrain around positions.

        Args:
            t_ns: Simulated time [ns].
            places: Present or later positions of vehicles [m], shape (n, 2).
            tiles: Terrain tiles that will change, see :mod:`regolith_bringup.view.terrain_mesh`.
        """
        self._places = places
        draw_obstacles(self.canvas, self._scenario, places.mean(axis=0))
        self.terrain.begin(t_ns, places, tiles)

    def take(self, message: ViewMessage) -> None:
        """Draw the content of a message."""
        for number, (drawer, period_ns) in enumerate(self._wanted.get(message.topic, ())):
            if period_ns:
                slot = message.t_ns // period_ns
                if self._slots.get((message.topic, number)) == slot:
                    continue
                self._slots[message.topic, number] = slot
            drawer.take(message)
        if self._ticking:
            self.tick(message.t_ns)

    def tick(self, t_ns: int) -> None:
        """Draw stored data that is due at this time [ns]."""
        for drawer in self._drawers:
            drawer.tick(t_ns)

    def end(self, t_ns: int) -> None:
        """Draw all stored data at the end of the run."""
        self.terrain.flush(t_ns)
        self.tick(t_ns)

    def blueprint(self, *, following: bool = False, bare: bool = False) -> Any:
        """Return the screen layout.

        Args:
            following: Whether to show the newest state as it arrives.
            bare: Whether to hide the panels that only operate the viewer.
        """
        last = self._vehicles.places()
        places = last if following and len(last) else self._places
        return blueprint(
            self._scenario,
            self._types,
            self._plots.quantities(),
            places,
            following=following,
            bare=bare,
            plain=self._plain,
        )
