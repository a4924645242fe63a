# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``comms`` of a scenario."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regolith_comms.addresses import DEFAULT_PORT, MAX_PORT
from regolith_comms.radio_config import MAX_PAYLOAD
from regolith_files import LONGEST_DURATION_S, SHORTEST_DURATION_S, Section, TimeSinceStart

RelayMode = Literal['wiki', 'reference']
RELAY_MODES: tuple[RelayMode, ...] = ('wiki', 'reference')

Position = Annotated[tuple[Annotated[float, Field(ge=-1e6, le=1e6)], ...], Field(min_length=2, max_length=3)]
"""Position x, y and, optionally, z in the world frame [m]; without z: on the ground."""


def _none_or_period(seconds: float) -> float:
    if 0.0 < seconds < 1e-3:
        raise ValueError(f'{seconds!r} s is too short; allowed: 0 (none), or at least 0.001')
    return seconds


class Traffic(Section):
    """Datagrams sent at regular times, for runs without an autonomy stack."""

    src: str = Field(min_length=1, description='Name of the transmitter.')
    dst: str = Field(min_length=1, description="Name of the receiver, or 'broadcast' or 'multicast'.")
    port: int = Field(DEFAULT_PORT, ge=1, le=MAX_PORT, description='Port that receives the datagrams.')
    size_bytes: int = Field(100, ge=0, le=MAX_PAYLOAD, description='Payload size [B].')
    period_s: float = Field(1.0, ge=1e-3, le=LONGEST_DURATION_S, description='Time between two datagrams [s].')
    start_s: TimeSinceStart = Field(0.0, description='Simulated time of the first datagram [s].')
    end_s: float | None = Field(
        None,
        ge=SHORTEST_DURATION_S,
        le=LONGEST_DURATION_S,
        description='Simulated time after which no datagrams are sent [s]. Absent: no end.',
    )


class BreadcrumbDrop(Section):
    """Breadcrumb dropped at a set time."""

    vehicle: str = Field(min_length=1, description='Vehicle that drops the breadcrumb.')
    time_s: TimeSinceStart = Field(description='Simulated time of the drop [s].')


class CommsConfig(Section):
    """Section ``comms``: radios, tile graph, traffic."""

    radio: str = Field(
        'subt_competition', min_length=1, description='Name of a known radio, or path of a radio YAML file.'
    )
    relay_mode: RelayMode = Field(
        'wiki',
        description="Definition of routes over relays. 'wiki': as documented. 'reference': as in the original"
        ' SubT code, for comparison.',
    )
    graph: str | None = Field(
        None, description='Tile graph file (.dot). Absent: made from the key tiles, or built from the terrain.'
    )
    grid: str | None = Field(None, description='World grid file (.dat) of the tile graph.')
    tiles: str | None = Field(
        None,
        description='Tile list file (.csv) from which graph and grid are made, instead of the keys graph and grid.'
        ' Absent: the source of the terrain if that is a tile list.',
    )
    tile_size_m: float = Field(
        20.0, gt=1.0, description='Edge length of the tiles into which the terrain is divided [m].'
    )
    margin_m: float = Field(
        100.0, gt=0.0, description='Margin around vehicles and stations on terrain without an edge [m].'
    )
    antenna_height_m: float = Field(
        1.0, ge=0.0, description='Height of all antennas above the vehicle origin or station [m].'
    )
    stations: dict[str, Position] = Field({}, description='Stationary radios: position [m] by name.')
    beacon_period_s: Annotated[TimeSinceStart, AfterValidator(_none_or_period)] = Field(
        1.0, description='Time between two beacons of each radio [s]. 0: no beacons.'
    )
    traffic: tuple[Traffic, ...] = ()
    breadcrumbs_per_vehicle: int = Field(6, ge=0, description='Number of breadcrumbs of each vehicle at the start.')
    breadcrumb_drops: tuple[BreadcrumbDrop, ...] = ()
    breadcrumb_delay_s: TimeSinceStart = Field(
        3.0, description='Time between the drop of a breadcrumb and its first relaying [s]; 3 s as in SubT.'
    )
    drop_offset_m: float = Field(
        0.45, ge=0.0, description='Distance behind the vehicle origin at which a breadcrumb drops [m].'
    )
    broadcast_loopback: bool = Field(False, description='Whether a transmitter receives its own broadcasts.')
    count_broadcast_per_receiver: bool = Field(
        False, description="Whether a broadcast counts against its transmitter's capacity once per receiver."
    )
    links_period_s: float = Field(
        1.0, ge=1e-3, le=LONGEST_DURATION_S, description='Time between two messages on comms/links [s].'
    )
