# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Links between radios at given positions: cost, relays, range, received power."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_comms.config import RelayMode
from regolith_comms.links.relays import RelayTable, relay_table
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_comms.radio import Floats, received_power
from regolith_comms.radio_config import Radio


@dataclass(frozen=True, slots=True)
class Links:
    """Links of n pairs of positions; arrays have shape (n,)."""

    tx_tile: NDArray[np.int64]
    """Tile of the transmitter; -1: outside."""
    rx_tile: NDArray[np.int64]
    """Tile of the receiver; -1: outside."""
    cost: Floats
    """Visibility cost [-]; inf: unreachable."""
    hops: NDArray[np.int32]
    """Number of breadcrumbs on the route."""
    range_m: Floats
    """Length of the longest leg [m]; nan where the cost exceeds the limit."""
    mean_dbm: Floats
    """Mean received power [dBm]; -inf: no link."""
    variance_db2: Floats
    """Variance of the received power [dB^2]."""


class LinkModel:
    """Link model of the tiles, radios and breadcrumbs dropped so far.

    Without a graph (models ``log_normal_range`` and ``distance``) only the distance matters.
    """

    def __init__(
        self,
        radio: Radio,
        graph: TileGraph | None = None,
        grid: WorldGrid | None = None,
        mode: RelayMode = 'wiki',
    ) -> None:
        """Start without breadcrumbs.

        Args:
            radio: Parameters of all radios.
            graph: Tile graph of the world.
            grid: World grid: tiles of the world's points.
            mode: Definition of routes over relays; see :func:`regolith_comms.links.relays.relay_table`.

        Raises:
            ValueError: If the radio model requires a graph and a grid and they are not given.
        """
        if radio.model == 'visibility_range' and (graph is None or grid is None):
            raise ValueError(
                'radio model visibility_range requires a tile graph and a world grid; allowed without: '
                'log_normal_range, distance'
            )
        self.radio, self.graph, self.grid, self.mode = radio, graph, grid, mode
        self._breadcrumbs: list[tuple[str, Floats, int]] = []
        self._positions: dict[int, Floats] = {}
        self._table: RelayTable | None = None
        self._rebuild()

    @property
    def breadcrumbs(self) -> tuple[tuple[str, Floats, int], ...]:
        """Name, position [m] and tile (-1: none, without effect) of each breadcrumb, in the order of their drop."""
        return tuple(self._breadcrumbs)

    @property
    def table(self) -> RelayTable | None:
        """Costs with the present breadcrumbs; None without a graph."""
        return self._table

    def place_breadcrumbs(self, breadcrumbs: Iterable[tuple[str, ArrayLike]]) -> None:
        """Replace all breadcrumbs by these (name, position [m]), dropped in this order.

        Several breadcrumbs in one tile are one relay, at the position of the first.
        """
        given = [(name, np.array(position, dtype=np.float64).reshape(3)) for name, position in breadcrumbs]
        tiles = self._tiles(np.array([p for _, p in given]).reshape(-1, 3))
        self._breadcrumbs = [(name, p, int(tile)) for (name, p), tile in zip(given, tiles)]
        self._rebuild()

    def _tiles(self, points: Floats) -> NDArray[np.int64]:
        return self.grid.tile_at(points) if self.grid is not None else np.full(len(points), -1, dtype=np.int64)

    def _rebuild(self) -> None:
        if self.graph is None:
            return
        self._positions = {}
        for _, position, tile in self._breadcrumbs:
            if tile >= 0:
                self._positions.setdefault(tile, position)
        self._table = relay_table(self.graph, self._positions, self.mode)

    def between(self, tx: ArrayLike, rx: ArrayLike) -> Links:
        """Return the links between positions.

        Args:
            tx: Positions of the transmitters in the world frame [m], shape (n, 3).
            rx: Positions of the receivers in the world frame [m], shape (n, 3).

        Source: subt2022, VisibilityRfModel; subtwiki.
        Checked by: test_reference.py::test_received_power_matches_the_reference,
        test_reference.py::test_simple_range_models_match_the_reference.
        """
        tx = np.asarray(tx, dtype=np.float64).reshape(-1, 3)
        rx = np.asarray(rx, dtype=np.float64).reshape(-1, 3)
        distance = _length(tx - rx)
        tx_tile, rx_tile = self._tiles(tx), self._tiles(rx)
        hops = np.zeros(len(tx), dtype=np.int32)
        if self._table is None or self.graph is None or self.radio.model != 'visibility_range':
            cost = np.zeros(len(tx))
        else:
            rows = np.stack([self.graph.rows(tx_tile), self.graph.rows(rx_tile)])
            known = (rows >= 0).all(axis=0)
            cost = np.full(len(tx), np.inf)
            cost[known] = self._table.costs[rows[0, known], rows[1, known]]
            hops[known] = self._table.hops[rows[0, known], rows[1, known]]
            distance = np.where(cost <= self.radio.visibility_cost_max, distance, np.nan)
            relayed = np.nonzero((hops > 0) & ~np.isnan(distance))[0]
            # All links between the same two tiles have the same route.
            ways, of = np.unique(rows[:, relayed], axis=1, return_inverse=True)
            for k, (a, b) in enumerate(ways.T.tolist()):
                these = relayed[of.ravel() == k]
                distance[these] = self._longest_leg(tx[these], rx[these], int(rx_tile[these[0]]), self._table, a, b)
        mean, variance = received_power(distance, hops, cost, self.radio)
        return Links(tx_tile, rx_tile, cost, hops, distance, mean, variance)

    def _longest_leg(self, tx: Floats, rx: Floats, rx_tile: int, table: RelayTable, a: int, b: int) -> Floats:
        """Return the longest leg of the route from row a to row b for each pair of ends [m], shape (n,).

        Breadcrumbs in the tiles of the two ends are excluded, so both directions are equal. (In the SubT simulator a
        breadcrumb in the receiver's tile replaces the last leg, and the gap before it is ignored.)
        """
        at, route = self._positions, table.route(a, b)
        last = rx_tile if self.mode == 'reference' and rx_tile in at else route[-1]
        between = [float(_length(at[r] - at[s])) for r, s in table.relay_legs(a, b)]
        ends = np.maximum(_length(tx - at[route[0]]), _length(rx - at[last]))
        return np.maximum(ends, max(between, default=0.0))


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt((vectors**2).sum(axis=-1)))
