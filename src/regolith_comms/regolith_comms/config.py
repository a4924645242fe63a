# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``comms`` section of a scenario."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regolith_comms.addresses import DEFAULT_PORT, MAX_PORT
from regolith_comms.radio_config import MAX_PAYLOAD
from regolith_files.section import LONGEST_S, SHORTEST_S, Moment, Section

RelayMode = Literal['wiki', 'reference']
RELAY_MODES: tuple[RelayMode, ...] = ('wiki', 'reference')

Position = Annotated[tuple[Annotated[float, Field(ge=-1e6, le=1e6)], ...], Field(min_length=2, max_length=3)]
"""x, y and, optionally, z in the world [m]; without z: on the ground."""


def _none_or_period(seconds: float) -> float:
    if 0.0 < seconds < 1e-3:
        raise ValueError(f'{seconds!r} s is too short; allowed: 0 (none), or 0.001 and more')
    return seconds


class Traffic(Section):
    """Datagrams at regular times, for runs without autonomy."""

    src: str = Field(min_length=1, description='radio that sends')
    dst: str = Field(min_length=1, description="radio it is for, or 'broadcast' or 'multicast'")
    port: int = Field(DEFAULT_PORT, ge=1, le=MAX_PORT, description='Port that receives the datagrams.')
    size_bytes: int = Field(100, ge=0, le=MAX_PAYLOAD, description='payload [byte]')
    period_s: float = Field(1.0, ge=1e-3, le=LONGEST_S, description='between two datagrams [s]')
    start_s: Moment = Field(0.0, description='of the first [s]')
    end_s: float | None = Field(None, ge=SHORTEST_S, le=LONGEST_S, description='none from then on [s]')


class BreadcrumbDrop(Section):
    """A breadcrumb dropped at a set time."""

    vehicle: str = Field(min_length=1, description='that drops it')
    time_s: Moment = Field(description='simulated time [s]')


class CommsConfig(Section):
    """The ``comms`` section: radios, tile graph, traffic."""

    radio: str = Field('subt_competition', min_length=1, description='name of a radio that ships, or a YAML file')
    relay_mode: RelayMode = Field('wiki', description="'reference' repeats the old SubT code, for comparison")
    graph: str | None = Field(None, description='tile graph (.dot); none: built from the terrain')
    grid: str | None = Field(None, description='world grid (.dat) that goes with it')
    tile_size_m: float = Field(20.0, gt=1.0, description='edge of the tiles a terrain is divided into [m]')
    margin_m: float = Field(100.0, gt=0.0, description='round vehicles and stations, where the terrain has no edge [m]')
    antenna_height_m: float = Field(1.0, ge=0.0, description='of all antennas above vehicle origin or station [m]')
    stations: dict[str, Position] = Field({}, description='radios that stand still, name -> position [m]')
    beacon_period_s: Annotated[Moment, AfterValidator(_none_or_period)] = Field(
        1.0, description='between two beacons of each radio [s]; 0: none'
    )
    traffic: tuple[Traffic, ...] = ()
    breadcrumbs_per_vehicle: int = Field(6, ge=0, description='each vehicle starts with')
    breadcrumb_drops: tuple[BreadcrumbDrop, ...] = ()
    breadcrumb_delay_s: Moment = Field(
        3.0, description='between the fall of a breadcrumb and its first relaying [s]; 3 s as in SubT'
    )
    drop_offset_m: float = Field(0.45, ge=0.0, description='of the vehicle origin, where a breadcrumb falls [m]')
    broadcast_loopback: bool = Field(False, description='whether a sender hears its own broadcasts')
    count_broadcast_per_receiver: bool = Field(
        False, description='whether a broadcast costs its sender once per receiver'
    )
    links_period_s: float = Field(1.0, ge=1e-3, le=LONGEST_S, description='between two messages on comms/links [s]')
