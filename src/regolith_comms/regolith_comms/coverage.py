# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radio coverage: probability of delivery over a scenario's terrain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_comms.config import CommsConfig
from regolith_comms.links.terrain_graph import HeightMap
from regolith_comms.links.tile_graph_builder import height_map, link_model
from regolith_comms.radio import success_probability
from regolith_world import ParticipantContext

Array = NDArray[np.float64]
_MOST_PIXELS = 260


@dataclass(frozen=True)
class CoverageMap:
    """Probability of delivery over a rectangle of terrain."""

    sender: str
    size_bytes: int
    x: Array
    """Centers of the pixels along x [m], shape (nx,)."""
    y: Array
    """Centers of the pixels along y [m], shape (ny,)."""
    probability: Array
    """Probability that one datagram is received at each pixel, shape (nx, ny)."""
    ground: HeightMap
    radios: dict[str, tuple[float, float]]
    """Positions of all radios [m]."""
    breadcrumbs: tuple[tuple[float, float], ...]


def coverage_map(
    config: CommsConfig,
    site: ParticipantContext,
    sender: str,
    breadcrumbs: Sequence[tuple[float, float]],
    size_bytes: int,
) -> CoverageMap:
    """Return the probability that a datagram of a transmitter is received, for receivers on all of the terrain.

    Args:
        config: Section ``comms``.
        site: Participant context with the terrain.
        sender: Transmitter: a vehicle at its initial position, or a station.
        breadcrumbs: Positions x, y on the ground [m], in the order in which they were dropped.
        size_bytes: Payload size [B].
    """
    model, ground = link_model(config, site), height_map(config, site)
    field = site.ground()
    places: dict[str, tuple[float, ...]] = {name: known[0] for name, known in site.vehicles.items()}
    places |= config.stations
    model.place_breadcrumbs(
        (f'breadcrumb_{k}', (x, y, float(field.heights(x, y)))) for k, (x, y) in enumerate(breadcrumbs)
    )
    pixel = max(ground.size) / _MOST_PIXELS
    x = ground.west + np.arange(0.5 * pixel, ground.size[0], pixel)
    y = ground.south + np.arange(0.5 * pixel, ground.size[1], pixel)
    at = np.stack(np.meshgrid(x, y, indexing='ij'), axis=-1).reshape(-1, 2)
    up = config.antenna_height_m
    rx = np.column_stack([at, np.asarray(field.heights(at[:, 0], at[:, 1])) + up])
    tx = np.array(places[sender], dtype=np.float64)
    if len(tx) == 2:
        tx = np.append(tx, float(field.heights(*tx)))
    links = model.between(np.broadcast_to(tx + [0.0, 0.0, up], rx.shape), rx)
    probability = success_probability(links.mean_dbm, links.variance_db2, size_bytes, model.radio)
    return CoverageMap(
        sender,
        size_bytes,
        x,
        y,
        probability.reshape(len(x), len(y)),
        ground,
        {name: (place[0], place[1]) for name, place in sorted(places.items())},
        tuple(breadcrumbs),
    )
