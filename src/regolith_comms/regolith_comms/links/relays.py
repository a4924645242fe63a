# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Routes over breadcrumbs: the cost of the best route from relay to relay between any two tiles.

A route's cost is that of its worst leg, since visibility starts again at every breadcrumb. Mode ``reference`` follows
the recursion of the SubT simulator instead, which sometimes misses the best route and often uses more relays than
necessary.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_comms.config import RELAY_MODES, RelayMode
from regolith_comms.links.visibility import Floats, TileGraph
from regolith_world.numerics import kernel


class _Entry(NamedTuple):
    """Entry of the recursion's table for a pair of tiles."""

    cost: float
    route: tuple[int, ...]
    legs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RelayTable:
    """Costs and relay counts between all pairs of tiles; rows and columns as in :attr:`TileGraph.costs`."""

    mode: RelayMode
    relay_tiles: tuple[int, ...]
    """Tiles of the graph with a breadcrumb, ascending."""
    costs: Floats
    """Costs with relays [-], shape (n, n); inf: unreachable."""
    hops: NDArray[np.int32]
    """Number of relays on the route, shape (n, n); 0 where the direct link is at least as good."""
    _rows: NDArray[np.intp]
    _direct: Floats
    _recursion: dict[tuple[int, int], _Entry] | None

    def route(self, a: int, b: int) -> tuple[int, ...]:
        """Return the relay tiles between two rows of the table, in order from a to b.

        Of several equally good routes it is the one with the lowest tiles, compared from a on.
        """
        if self._recursion is not None:
            return self._recursion[a, b].route
        hops = int(self.hops[a, b])
        if hops == 0:
            return ()
        steps = _route(self._direct, self._rows, a, b, self.costs[a, b], hops)
        return tuple(self.relay_tiles[k] for k in steps)

    def relay_legs(self, a: int, b: int) -> tuple[tuple[int, int], ...]:
        """Return the legs from relay to relay between two rows, as pairs of tiles; mode ``reference`` omits some."""
        if self._recursion is not None:
            return self._recursion[a, b].legs
        return tuple(pairwise(self.route(a, b)))


def relay_table(graph: TileGraph, relay_tiles: Iterable[int], mode: RelayMode = 'wiki') -> RelayTable:
    """Return costs and relay counts between all tiles of a graph with breadcrumbs.

    Args:
        graph: Tile graph.
        relay_tiles: Tiles with at least one breadcrumb; unknown tiles and -1 (outside all tiles) are ignored.
        mode: ``wiki``: of all routes over distinct relays the one with the cheapest worst leg, then the fewest relays.
            The direct link is used if it does not cost more. ``reference``: the simulator's recursion.

    Raises:
        ValueError: If the mode is unknown.

    Source: subtwiki; subt2022, VisibilityTable.
    Checked by: test_reference.py::test_relay_costs_match_the_reference.
    """
    if mode not in RELAY_MODES:
        raise ValueError(f'relay mode {mode!r}; allowed: {", ".join(RELAY_MODES)}')
    wanted = sorted({int(tile) for tile in relay_tiles})
    rows = graph.rows(np.array([tile - 2**64 if tile >= 2**63 else tile for tile in wanted], dtype=np.int64))
    tiles = tuple(tile for tile, row in zip(wanted, rows) if row >= 0)
    rows = np.ascontiguousarray(rows[rows >= 0])
    direct = graph.costs
    if mode == 'reference':
        return _as_reference(direct, tiles, rows)
    costs = direct.copy()
    hops = np.zeros(direct.shape, dtype=np.int32)
    if len(rows):
        _relay(direct, rows, _reach(direct, rows), costs, hops)
    return RelayTable(mode, tiles, costs, hops, rows, direct, None)


@kernel
def _reach(direct: Floats, rows: NDArray[np.intp]) -> Floats:
    """Return the cheapest worst leg from tile a to relay r over at most k relays, including r.

    The shape is (tiles, steps, relays). The recursion stops when one more relay changes nothing.
    """
    count, relays = direct.shape[0], len(rows)
    steps = np.empty((count, relays, relays))
    used = 1
    for a in range(count):
        table = steps[a]
        for r in range(relays):
            table[0, r] = direct[a, rows[r]]
        k = 1
        changed = True
        while k < relays and changed:
            changed = False
            table[k] = table[k - 1]
            for s in range(relays):
                reached = table[k - 1, s]
                for r in range(relays):
                    leg = direct[rows[s], rows[r]]
                    worst = reached if reached > leg else leg
                    if worst < table[k, r]:
                        table[k, r] = worst
                        changed = True
            k += 1
        used = max(used, k)
        for rest in range(k, relays):
            table[rest] = table[k - 1]
    return steps[:, :used].copy()


@kernel
def _ease(leg: float, relays: float, last: Floats, cost: Floats, hop: Floats) -> None:
    """Reduce the cost of each tile to that over one leg of cost ``leg`` and the ``last`` one, where this is cheaper."""
    for b in range(cost.shape[0]):
        worst = last[b] if last[b] > leg else leg
        before = cost[b]
        cost[b] = worst if worst < before else before
        hop[b] = relays if worst < before else hop[b]


@kernel
def _relay(direct: Floats, rows: NDArray[np.intp], reach: Floats, costs: Floats, hops: NDArray[np.int32]) -> None:
    """Fill costs and hops; both are symmetric, since every route is valid in both directions."""
    count, steps, relays = reach.shape
    hop = np.empty(count)  # as wide as the costs, so the innermost loop is vectorized
    for a in range(count):
        cost = costs[a]
        hop[:] = 0.0
        # Fewer relays first, so additional relays are used only if they reduce the cost.
        for k in range(steps):
            for r in range(relays):
                leg = reach[a, k, r]
                if k > 0 and leg == reach[a, k - 1, r]:
                    continue
                _ease(leg, k + 1.0, direct[rows[r], a + 1 :], cost[a + 1 :], hop[a + 1 :])
        for b in range(a + 1, count):
            hops[a, b] = int(hop[b])
    for a in range(count):
        for b in range(a):
            costs[a, b] = costs[b, a]
            hops[a, b] = hops[b, a]


@kernel
def _route(direct: Floats, rows: NDArray[np.intp], a: int, b: int, cost: float, hops: int) -> NDArray[np.int64]:
    """Return the positions in ``rows`` of the relays of a route with this worst leg and number of relays."""
    relays = len(rows)
    # left[k, r]: whether b can be reached from relay r over k more relays, with no leg worse than cost.
    left = np.zeros((hops, relays), dtype=np.bool_)
    for r in range(relays):
        left[0, r] = direct[rows[r], b] <= cost
    for k in range(1, hops):
        for r in range(relays):
            for s in range(relays):
                if s != r and left[k - 1, s] and direct[rows[r], rows[s]] <= cost:
                    left[k, r] = True
    route = np.empty(hops, dtype=np.int64)
    here = a
    for k in range(hops):
        for r in range(relays):
            if left[hops - 1 - k, r] and direct[here, rows[r]] <= cost and rows[r] != here:
                route[k] = r
                here = rows[r]
                break
    return route


def _as_reference(direct: Floats, tiles: tuple[int, ...], rows: NDArray[np.intp]) -> RelayTable:
    """Return the table of the simulator's memoized recursion; its partial results can be worse than the best route.

    Source: subt2022, VisibilityTable.
    Checked by: test_reference.py::test_relay_costs_match_the_reference.
    """
    count = len(direct)
    relays = list(zip(rows.tolist(), tiles))
    row_of = dict(zip(tiles, rows.tolist()))
    info: dict[tuple[int, int], _Entry] = {}

    def visit(a: int, b: int, visited: set[int]) -> None:
        best: _Entry | None = None
        fewest = 0
        for r, tile in relays:
            if r in (a, b):
                continue
            if (r, b) not in info and r not in visited:
                visited.add(r)
                visit(r, b, visited)
            rest = info.get((r, b), _Entry(float(direct[r, b]), (), ()))
            cost = max(float(direct[a, r]), rest.cost)
            if best is None or cost < best.cost or (cost == best.cost and len(rest.route) < fewest):
                legs: tuple[tuple[int, int], ...] = ()
                if rest.route:
                    # The legs after the second relay are taken from the table for a route that starts there, which
                    # omits the first of them.
                    behind = info.get((row_of[rest.route[0]], b))
                    legs = ((tile, rest.route[0]), *(behind.legs if behind is not None else ()))
                best, fewest = _Entry(cost, (tile, *rest.route), legs), len(rest.route)
        if best is None or direct[a, b] <= best.cost:
            best = _Entry(float(direct[a, b]), (), ())
        info[a, b] = best
        info[b, a] = _Entry(best.cost, best.route[::-1], best.legs)

    for a in range(count):
        for b in range(count):
            visit(a, b, set())
    costs, hops = np.zeros((count, count)), np.zeros((count, count), dtype=np.int32)
    for (a, b), entry in info.items():
        costs[a, b], hops[a, b] = entry.cost, len(entry.route)
    return RelayTable('reference', tiles, costs, hops, rows, direct, info)
