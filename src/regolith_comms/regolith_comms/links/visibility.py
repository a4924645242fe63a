# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visibility cost between tiles, a measure of the rock and the bends between two radios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from regolith_comms.links.dot_file import Edge, GraphTile, cheapest, dot_text, read_dot

Floats = NDArray[np.float64]


class TileGraph:
    """Graph of the tiles of a world, with visibility costs between neighbors."""

    def __init__(self, tiles: Sequence[GraphTile], edges: Sequence[Edge], comment: str = '') -> None:
        """Make a graph.

        Args:
            tiles: Tiles with unique ids, in any order.
            edges: Edges between the tiles.
            comment: First comment of the graph's file.

        Raises:
            ValueError: If an id is repeated, an edge refers to an unknown tile, or a cost is not a number >= 0.
        """
        self.tiles = tuple(sorted(tiles, key=lambda tile: tile.id))
        self.edges = tuple(edges)
        self.comment = comment
        self.ids: NDArray[np.uint64] = np.array([tile.id for tile in self.tiles], dtype=np.uint64)
        """Ids of all tiles, ascending; row k of :attr:`costs` is tile ids[k]."""
        if len(np.unique(self.ids)) != len(self.ids):
            raise ValueError('tile ids are not unique')
        known = set(self.ids.tolist())
        for edge in self.edges:
            if edge.a not in known or edge.b not in known:
                raise ValueError(f'edge {edge.a} -- {edge.b} refers to an unknown tile')
            if not (np.isfinite(edge.cost) and edge.cost >= 0.0):
                raise ValueError(f'edge {edge.a} -- {edge.b} has cost {edge.cost!r}; allowed: a number >= 0')

    @staticmethod
    def from_dot(path: str | Path) -> TileGraph:
        """Return the graph of a file.

        Raises:
            GraphFileError: If the file is invalid; names file, line and allowed content.
        """
        graph = read_dot(path)
        return TileGraph(graph.tiles, graph.edges, graph.comment)

    def to_dot(self) -> str:
        """Return the text of the graph's file."""
        return dot_text(self.tiles, self.edges, self.comment)

    def __len__(self) -> int:
        """Return the number of tiles."""
        return len(self.tiles)

    def rows(self, ids: ArrayLike) -> NDArray[np.intp]:
        """Return the rows of tiles in :attr:`costs`; -1 for unknown tiles.

        Args:
            ids: Tile ids of any shape; -1: no tile.
        """
        ids = np.asarray(ids, dtype=np.int64)
        if len(self.ids) == 0:
            return np.full(ids.shape, -1, dtype=np.intp)
        # Ids above 2^63 wrap to negative numbers in both arrays, so they stay distinct.
        own = self.ids.astype(np.int64)
        order = np.argsort(own, kind='stable')
        at = np.searchsorted(own, ids, sorter=order).clip(max=len(own) - 1)
        found = order[at]
        return np.where((own[found] == ids) & (ids != -1), found, -1)

    @cached_property
    def costs(self) -> Floats:
        """Direct cost between all pairs of tiles: the cheapest path; inf if there is none.

        Source: dijkstra1959; subt2022, VisibilityTable.
        Checked by: test_reference.py::test_visibility_costs_match_the_reference.
        """
        count = len(self.tiles)
        if count == 0:
            return np.zeros((0, 0))
        pairs = cheapest(self.edges)
        ends = self.rows(np.array(list(pairs), dtype=np.uint64).reshape(-1, 2).astype(np.int64))
        # Explicit entries, since an edge with zero cost is an edge.
        matrix = csr_array((np.fromiter(pairs.values(), float), (ends[:, 0], ends[:, 1])), shape=(count, count))
        table: Floats = dijkstra(matrix, directed=False)
        return table
