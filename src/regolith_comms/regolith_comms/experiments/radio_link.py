# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiment ``radio-link``: cost, power and probability of delivery of one link in a tile world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator

from regolith_comms.config import RelayMode
from regolith_comms.links.link import LinkModel
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_comms.radio import packet_error, success_probability
from regolith_comms.radio_config import MAX_PAYLOAD, load_radio
from regolith_files import Section


def _numbers(value: Any) -> Any:
    """Return the numbers of '1.5,-2,0'; other values are returned unchanged for validation."""
    if not isinstance(value, str):
        return value
    try:
        x, y, z = (float(part) for part in value.split(','))
    except ValueError:
        raise ValueError(f'{value!r} is not a position; allowed: x,y,z [m]') from None
    return x, y, z


def _several(value: Any) -> Any:
    """Return a list with one position for a text; other values are returned unchanged."""
    return [value] if isinstance(value, str) else value


Place = Annotated[tuple[float, float, float], BeforeValidator(_numbers)]
"""Position x,y,z in the world frame [m]."""


class Settings(Section):
    """Settings of the experiment."""

    graph: str = Field(min_length=1, description='Tile graph file (.dot).')
    grid: str = Field(min_length=1, description='World grid file (.dat).')
    tx: Place = Field(description='Position x,y,z of the transmitter [m].')
    rx: Place = Field(description='Position x,y,z of the receiver [m].')
    breadcrumb: Annotated[tuple[Place, ...], BeforeValidator(_several)] = Field(
        (), description='Position x,y,z of each breadcrumb [m], in the order in which they were dropped.'
    )
    bytes: int = Field(MAX_PAYLOAD, ge=0, le=MAX_PAYLOAD, description='Payload size [B].')
    radio: str = Field('subt_competition', description='Radio at both ends and of all breadcrumbs.')
    relay_mode: RelayMode = Field('wiki', description='Definition of routes over relays.')

    @field_validator('radio')
    @classmethod
    def _known(cls, radio: str) -> str:
        load_radio(radio)
        return radio


def run(settings: Settings, tick: Callable[[int, int], None]) -> list[dict[str, Any]]:
    """Return one row: ``cost``, ``range_m`` (longest leg), ``hops``, ``rx_power_dbm`` (mean), ``packet_error``.

    The packet error is that at the mean power; ``success_probability`` includes fading. Without a link the power is
    -inf. Where the cost exceeds the limit, the range is nan.

    Args:
        settings: Settings of the link.
        tick: Progress callback (done, total).

    Raises:
        ValueError: If a file is missing or invalid.
    """
    try:
        graph, grid = TileGraph.from_dot(settings.graph), WorldGrid.from_dat(settings.grid)
    except OSError as error:
        raise ValueError(f'{error.filename}: {error.strerror}; allowed: a readable file') from None
    radio = load_radio(settings.radio)
    model = LinkModel(radio, graph, grid, settings.relay_mode)
    model.place_breadcrumbs((f'breadcrumb_{k}', place) for k, place in enumerate(settings.breadcrumb))
    links = model.between([settings.tx], [settings.rx])
    mean, variance, size = links.mean_dbm, links.variance_db2, settings.bytes
    tick(1, 1)
    return [
        {
            'cost': float(links.cost[0]),
            'range_m': float(links.range_m[0]),
            'hops': int(links.hops[0]),
            'rx_power_dbm': float(mean[0]),
            'packet_error': float(packet_error(mean, size, radio)[0]),
            'success_probability': float(success_probability(mean, variance, size, radio)[0]),
            'tx_tile': int(links.tx_tile[0]),
            'rx_tile': int(links.rx_tile[0]),
            'bytes': size,
        }
    ]


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the probability of delivery over the packet size."""
    import numpy as np

    radio = load_radio(settings.radio)
    variance = radio.fading_variance_db2 if np.isfinite(rows[0]['rx_power_dbm']) else 0.0
    sizes = np.arange(1, MAX_PAYLOAD + 1, 10)
    axes.plot(sizes, success_probability(rows[0]['rx_power_dbm'], variance, sizes, radio))
    axes.plot(settings.bytes, rows[0]['success_probability'], 'o', label=f'{settings.bytes} bytes')
    axes.set(xlabel='payload [byte]', ylabel='probability of delivery', ylim=(0.0, 1.02))
