# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a scenario file holds: the schema of its root. Its sections have theirs in the packages they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regolith_bringup.bag.topics import RecordedTopic
from regolith_comms.config import CommsConfig
from regolith_files.problems import shown
from regolith_files.section import SHORTEST_S, Section
from regolith_sensors.scenario_config import LightConfig
from regolith_terrain.config import TerrainConfig
from regolith_vehicles.config import VehicleEntry
from regolith_world.config import WorldConfig

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'comms', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Taken by nodes, participants and topics of ours and of ROS 2."""

LONGEST_NAME = 60
"""Letters of a vehicle's, sensor's or station's name: ROS 2 takes topics of 240 or so, and a topic may hold three."""


def ros_name(name: str) -> str:
    """Return a name that may be one in ROS 2 and is not taken.

    :raises ValueError: saying what is allowed
    """
    if len(name) > LONGEST_NAME or not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', name):
        raise ValueError(
            f'{shown(name)} cannot be a ROS 2 name; allowed: letters, digits and single underscores, a letter '
            f'first, at most {LONGEST_NAME} of them'
        )
    if name in RESERVED_NAMES:
        raise ValueError(f'{name!r} is taken; allowed: any name but {", ".join(RESERVED_NAMES)}')
    return name


def _folder_name(name: str) -> str:
    if not name.isprintable() or '/' in name or name.startswith('.') or len(name.encode()) > 200:
        raise ValueError(
            f'{shown(name)} cannot name a run folder; allowed: up to 200 bytes of printable text without "/", '
            'no dot first'
        )
    return name


def _topic_line(line: str) -> str:
    try:
        return RecordedTopic.parse(line).line()
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f'topics: {shown(line)}: ')) from None


VehicleName = Annotated[str, AfterValidator(ros_name)]


class RecordingConfig(Section):
    """What goes into the bag."""

    enabled: bool = Field(True, description='whether a bag is written')
    topics: tuple[Annotated[str, AfterValidator(_topic_line)], ...] = Field(
        (), description="further topics, each '/name|package/msg/Type' (and '|state', '|latched' or '|sensor')"
    )
    sensors: bool | tuple[str, ...] | None = Field(
        None, description='true: all that sensors publish; false: nothing; a list: these topics; null: all but images'
    )


class Scenario(Section):
    """One run: a world, its ground, what drives on it, what is recorded."""

    name: Annotated[str, AfterValidator(_folder_name)] = Field(
        min_length=1, description='of the run in reports; the file name if left out'
    )
    description: str = Field('', description='one line for ./regolith scenarios')
    duration_s: float = Field(30.0, ge=SHORTEST_S, le=1e7, description='simulated time [s]')
    seed: int = Field(0, ge=0, lt=2**63, description='of everything random')
    speed: Annotated[float, Field(ge=1e-3, le=1e6)] | Literal['max'] = Field(
        'max', description='cap on simulated seconds per wall second; 1.0 is real time'
    )
    world: WorldConfig = Field(default_factory=lambda: WorldConfig.model_validate({}))
    terrain: TerrainConfig = Field(default_factory=lambda: TerrainConfig.model_validate({}))
    vehicles: dict[VehicleName, VehicleEntry] = Field(default_factory=dict, description='name -> vehicle')
    light: LightConfig = Field(default_factory=lambda: LightConfig.model_validate({}))
    comms: CommsConfig | None = Field(None, description='radios; none: nobody talks')
    recording: RecordingConfig = Field(default_factory=lambda: RecordingConfig.model_validate({}))


@dataclass(frozen=True)
class ResolvedScenario:
    """A scenario that was found, read and checked."""

    scenario: Scenario
    file: Path
    """Where it came from, absolute."""
