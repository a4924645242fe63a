# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of radios: a new breadcrumb, one attempt, and the node with twenty broadcasting robots."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from regolith_comms.links.dot_file import Edge, GraphTile
from regolith_comms.links.link import LinkModel
from regolith_comms.links.relays import relay_table
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid
from regolith_comms.packet_delivery import CapacityWindows, deliver
from regolith_comms.radio_config import load_radio

TILES, BREADCRUMBS = 1000, 30
BATCH = 10_000
ROBOTS = 20
_LIMIT_S = 90.0


def comms() -> dict[str, Any]:
    """Run the benchmarks of radios.

    Returns:
        ``relay_recompute_ms`` for 1000 tiles and 30 breadcrumbs; ``attempt_us`` per attempt in a batch of 10^4
        (minimum of several); ``node_core_fraction``, processor time of the node per simulated second for 20 robots that
        broadcast 100 bytes at 10 Hz; ``node_delivered_per_s``, the deliveries per second at the same time.
    """
    return {
        'relay_recompute_ms': 1e3 * relay_recompute_s(),
        'attempt_us': 1e6 * attempt_s(),
        **node_load(),
        'cores': os.cpu_count(),
    }


def lattice(tiles: int = TILES) -> tuple[TileGraph, WorldGrid]:
    """Return a lattice of tiles, 30 m each, with random costs of SubT's values between neighbors."""
    rng = np.random.default_rng(1)
    side = int(np.ceil(np.sqrt(tiles)))
    names = [GraphTile(k, 'terrain', f'tile_{k}') for k in range(tiles)]
    edges = [
        Edge(k, other, float(rng.choice([1.0, 3.0, 6.0])))
        for k in range(tiles)
        for other in ((k + 1) if (k + 1) % side else tiles, k + side)
        if other < tiles
    ]
    x, y, z = np.meshgrid(np.arange(-100, 100), np.arange(-100, 100), np.arange(3), indexing='ij')
    records = np.zeros(x.size, dtype=RECORD)
    records['x'], records['y'], records['z'] = x.ravel(), y.ravel(), z.ravel()
    records['id'] = ((x + 100) // 30 * side + (y + 100) // 30).ravel()
    return TileGraph(names, edges), WorldGrid(records)


def relay_recompute_s(repeats: int = 15) -> float:
    """Return the time of the relay table after a new breadcrumb [s], without that of the direct costs."""
    graph, _ = lattice()
    rng = np.random.default_rng(2)
    best = np.inf
    len(graph.costs)
    for _ in range(repeats):
        relays = rng.choice(TILES, BREADCRUMBS, replace=False).tolist()
        start = time.perf_counter()
        relay_table(graph, relays)
        best = min(best, time.perf_counter() - start)
    return float(best)


def attempt_s(repeats: int = 15) -> float:
    """Return the time of one attempt in a batch [s], including its link and its draw."""
    radio = load_radio('subt_competition')
    model = LinkModel(radio, *lattice())
    rng = np.random.default_rng(3)
    places = rng.uniform((-90.0, -90.0, 0.0), (90.0, 90.0, 2.0), (ROBOTS, 3))
    crumbs = rng.uniform((-90.0, -90.0, 0.0), (90.0, 90.0, 2.0), (6, 3))
    model.place_breadcrumbs((f'b{k}', place) for k, place in enumerate(crumbs))
    tx, rx = rng.integers(0, ROBOTS, BATCH), rng.integers(0, ROBOTS, BATCH)
    best = np.inf
    for k in range(repeats):
        windows = CapacityWindows(ROBOTS)
        start = time.perf_counter()
        links = model.between(places[tx], places[rx])
        deliver(
            windows,
            radio,
            np.uint64(7),
            0,
            tx,
            rx,
            np.full(BATCH, 20),
            links.mean_dbm,
            links.variance_db2,
            tx * ROBOTS + rx,
            np.arange(BATCH) + k,
        )
        best = min(best, time.perf_counter() - start)
    return float(best) / BATCH


def node_load() -> dict[str, float]:
    """Return ``node_core_fraction`` and ``node_delivered_per_s`` of ``radio_node.py`` in a separate process.

    Raises:
        RuntimeError: If the process fails.
    """
    done = subprocess.run(
        [sys.executable, '-m', 'regolith_comms.bench.radio_node'],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f'bench comms: the node ended with code {done.returncode}: {done.stderr.strip()}')
    figures: dict[str, float] = json.loads(done.stdout)
    return figures
