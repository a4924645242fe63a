# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tile graph files (``*.dot``) in the subset of Graphviz used by SubT's worlds.

The file has one vertex per tile and one edge per pair of neighbors, labeled with the visibility cost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_COMMENT = re.compile(r'/\*.*?\*/')
_HEADER = re.compile(r'graph\b[^{]*\{')
_VERTEX = re.compile(r'(\d+)\s*\[\s*label\s*=\s*"([^"]*)"\s*\]\s*;?')
_EDGE = re.compile(r'(\d+)\s*--\s*(\d+)\s*(?:\[([^\]]*)\])?\s*;?')
_NUMBER = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?', re.ASCII)
_LARGEST_ID = 2**64 - 1


class GraphFileError(ValueError):
    """Error in a graph file; the text names file and line."""


@dataclass(frozen=True, slots=True)
class GraphTile:
    """Tile of a graph, from a vertex label."""

    id: int
    type: str
    """Name of a mesh or model, e.g. ``tunnel_tile_5``."""
    name: str


@dataclass(frozen=True, slots=True)
class Edge:
    """Edge between two neighboring tiles."""

    a: int
    b: int
    cost: float
    """Visibility cost of passing from one tile to the other [-], >= 0."""


@dataclass(frozen=True, slots=True)
class DotGraph:
    """Content of a graph file, in file order."""

    comment: str
    """First comment without its delimiters; '' if there is none."""
    tiles: tuple[GraphTile, ...]
    edges: tuple[Edge, ...]


def read_dot(path: str | Path) -> DotGraph:
    """Return the graph of a file.

    Raises:
        GraphFileError: If the file is invalid; names file, line and allowed content.
        OSError: If the file cannot be read.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
    except UnicodeDecodeError as error:
        raise GraphFileError(f'{path}: byte {error.start} is not UTF-8; allowed: a text file') from None
    return _Reader(path, lines).graph()


class _Reader:
    def __init__(self, path: Path, lines: list[str]) -> None:
        self._path, self._lines = path, lines
        self._tiles: dict[int, GraphTile] = {}
        self._edges: list[Edge] = []

    def _error(self, number: int, what: str, allowed: str) -> GraphFileError:
        return GraphFileError(f'{self._path}:{number}: {what}; allowed: {allowed}')

    def graph(self) -> DotGraph:
        rest = []
        comment = ''
        for number, line in enumerate(self._lines, 1):
            found = _COMMENT.search(line)
            if found and not comment:
                comment = found.group()[2:-2].strip()
            text = _COMMENT.sub(' ', line).strip()
            if '/*' in text or '*/' in text:
                raise self._error(number, 'a comment does not end in its line', '/* ... */ within one line')
            if text:
                rest.append((number, text))
        if not rest:
            raise self._error(max(1, len(self._lines)), 'does not contain a graph', 'graph { ... }')
        number, header = rest[0]
        if not _HEADER.fullmatch(header):
            raise self._error(number, 'does not open a graph', "'graph {', optionally with a name; no digraph")
        number, last = rest[-1]
        if last != '}' or len(rest) < 2:
            raise self._error(number, f'ends with {last!r}: the file is truncated', "a last line '}'")
        for number, text in rest[1:-1]:
            self._line(number, text)
        return DotGraph(comment, tuple(self._tiles.values()), tuple(self._edges))

    def _line(self, number: int, text: str) -> None:
        edge = _EDGE.fullmatch(text)
        if edge:
            self._edge(number, edge)
            return
        vertex = _VERTEX.fullmatch(text)
        if not vertex:
            allowed = 'ID [label="ID::TYPE::NAME"]; or ID -- ID [label=COST];'
            raise self._error(number, f'{text!r} is neither a vertex nor an edge', allowed)
        fields = vertex.group(2).split('::')
        if len(fields) != 3:
            raise self._error(number, f'vertex label {vertex.group(2)!r}', '"ID::TYPE::NAME"')
        identity = self._id(number, vertex.group(1))
        if identity in self._tiles:
            raise self._error(number, f'vertex {identity} is repeated', 'each vertex once')
        # The first token is the id; a different number in the label (final_event_04) has no meaning.
        self._tiles[identity] = GraphTile(identity, fields[1], fields[2])

    def _id(self, number: int, text: str) -> int:
        value = int(text)
        if value > _LARGEST_ID:
            raise self._error(number, f'vertex id {text}', f'0 to {_LARGEST_ID}')
        return value

    def _edge(self, number: int, edge: re.Match[str]) -> None:
        ends = [self._id(number, edge.group(k)) for k in (1, 2)]
        for end in ends:
            if end not in self._tiles:
                raise self._error(number, f'edge refers to vertex {end}', 'a vertex of an earlier line')
        self._edges.append(Edge(ends[0], ends[1], self._cost(number, edge.group(3))))

    def _cost(self, number: int, attributes: str | None) -> float:
        if attributes is None or not attributes.strip():
            return 1.0
        if attributes.count('=') != 1:
            raise self._error(number, f'attributes {attributes!r}', 'exactly one, e.g. [label=3]')
        name, value = (part.strip() for part in attributes.split('='))
        if name != 'label':
            return 1.0
        allowed = 'a bare number >= 0, e.g. [label=3]'
        if not _NUMBER.fullmatch(value):
            raise self._error(number, f'edge label {value} is not a number', allowed)
        cost = float(value)
        if not (math.isfinite(cost) and cost >= 0.0):
            raise self._error(number, f'edge cost {value}', allowed)
        return cost


def dot_text(tiles: Iterable[GraphTile], edges: Iterable[Edge], comment: str = '') -> str:
    """Return the text of a graph, in a form that :func:`read_dot` and Graphviz can read.

    Args:
        tiles: Tiles of the graph.
        edges: Edges of the graph.
        comment: Comment for the first line.

    Raises:
        ValueError: If a name cannot be represented in the format.
    """
    lines = [f'/* {comment} */'] if comment else []
    if '*/' in comment or comment != comment.strip() or comment.splitlines() not in ([], [comment]):
        raise ValueError(f'comment {comment!r}; allowed: one line without a comment end or surrounding spaces')
    lines.append('graph {')
    for tile in tiles:
        label = f'{tile.id}::{tile.type}::{tile.name}'
        kept = label.split('::') == [str(tile.id), tile.type, tile.name] and label.splitlines() == [label]
        if not kept or any(mark in label for mark in ('"', '/*', '*/', '\\')):
            allowed = 'one line without quotes, backslashes, comment marks, :: or a : at an end'
            raise ValueError(f'tile {tile.id}: type {tile.type!r}, name {tile.name!r}; allowed: {allowed}')
        lines.append(f'  {tile.id}  [label="{label}"];')
    # The shortest digits that read back as the same number; Graphviz does not read exponents.
    lines.extend(f'  {e.a} -- {e.b}  [label={np.format_float_positional(e.cost, trim="-")}];' for e in edges)
    return '\n'.join([*lines, '}', ''])


def cheapest(edges: Iterable[Edge]) -> Mapping[tuple[int, int], float]:
    """Return the costs by (lower id, higher id): the cheapest of repeated edges, without loops."""
    costs: dict[tuple[int, int], float] = {}
    for edge in edges:
        pair = (min(edge.a, edge.b), max(edge.a, edge.b))
        if edge.a != edge.b:
            costs[pair] = min(edge.cost, costs.get(pair, math.inf))
    return costs
