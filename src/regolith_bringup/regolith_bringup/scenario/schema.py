# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The schema of a scenario's root; those of its sections are in their packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from regolith_bringup.bag.topics import RecordedTopic, is_topic
from regolith_files.problems import as_yaml_text
from regolith_files.section import SHORTEST_S, Section
from regolith_sensors.config.lighting import LightConfig
from regolith_terrain.config import TerrainConfig
from regolith_terrain.solids.config import ObstacleConfig
from regolith_vehicles.config import VehicleEntry
from regolith_world.config import WorldConfig
from regolith_world.cycle.participant_type import participant_types
from regolith_world.names import ros_name
from regolith_world.objects.named_poses import NamedPose

FORMAT = 1
"""Format of scenario files."""


def _readable(version: int) -> int:
    if version != FORMAT:
        raise ValueError(f'is a format of scenarios that this version of Regolith does not read; allowed: {FORMAT}')
    return version


def _folder_name(name: str) -> str:
    if not name.isprintable() or '/' in name or name.startswith('.') or len(name.encode()) > 200:
        raise ValueError(
            f'{as_yaml_text(name)} cannot name a run folder; allowed: up to 200 bytes of printable text without "/", '
            'no dot first'
        )
    return name


def _topic_line(line: str) -> str:
    if is_topic(line):  # no type: refused beside all topics of the scenario, for the message depends on them
        return line
    try:
        return RecordedTopic.parse(line).line()
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f'topics: {as_yaml_text(line)}: ')) from None


VehicleName = Annotated[str, AfterValidator(ros_name)]


class RecordingConfig(Section):
    """The ``recording`` section."""

    enabled: bool = Field(True, description='whether a bag is written')
    topics: tuple[Annotated[str, AfterValidator(_topic_line)], ...] = Field(
        (), description="further topics, each '/name|package/msg/Type' (and '|state', '|latched' or '|sensor')"
    )
    sensors: bool | tuple[str, ...] | None = Field(
        None, description='true: all that sensors publish; false: nothing; a list: these topics; null: all but images'
    )


class ViewConfig(Section):
    """The ``view`` section: what is published for viewers such as RViz and Foxglove."""

    markers: bool = Field(False, description='whether ground, ruts and layers are markers, and /tf begins at world')
    rate_hz: float = Field(2.0, ge=0.01, le=20.0, description='of markers, per wall second [Hz]')


class Scenario(Section):
    """A scenario: world, ground, vehicles, recording.

    Further keys are sections of registered participants, see :mod:`regolith_bringup.scenario.participant_sections`.
    """

    model_config = ConfigDict(extra='allow')

    format: Annotated[int, AfterValidator(_readable)] = Field(FORMAT, description='of this file; may be left out')
    name: Annotated[str, AfterValidator(_folder_name)] = Field(
        min_length=1, description='of the run in reports; the file name if left out'
    )
    description: str = Field('', description='one line for ./regolith scenarios')
    duration_s: float = Field(30.0, ge=SHORTEST_S, le=1e7, description='simulated time [s]')
    seed: int = Field(0, ge=0, lt=2**63, description='of everything random')
    real_time_factor: Annotated[float, Field(ge=1e-3, le=1e6)] | Literal['max'] = Field(
        'max', description='cap on simulated seconds per wall second; 1.0 is real time'
    )
    world: WorldConfig = Field(default_factory=lambda: WorldConfig.model_validate({}))
    terrain: TerrainConfig = Field(default_factory=lambda: TerrainConfig.model_validate({}))
    vehicles: dict[VehicleName, VehicleEntry] = Field(default_factory=dict, description='name -> vehicle')
    objects: dict[VehicleName, dict[str, Any]] = Field(
        default_factory=dict, description='name -> a thing that the world itself moves: its type, and what goes with it'
    )
    named_poses: dict[VehicleName, NamedPose] = Field(
        default_factory=dict, description='name -> pose that clients can query'
    )
    obstacles: dict[VehicleName, ObstacleConfig] = Field(
        default_factory=dict, description='name -> a solid thing that stands fast on the ground'
    )
    light: LightConfig = Field(default_factory=lambda: LightConfig.model_validate({}))
    recording: RecordingConfig = Field(default_factory=lambda: RecordingConfig.model_validate({}))
    view: ViewConfig = Field(default_factory=lambda: ViewConfig.model_validate({}))

    @model_validator(mode='after')
    def _sections_are_typed(self) -> Scenario:
        extra = self.model_extra or {}
        for name, kind in participant_types().items():
            if extra.get(name) is not None and not isinstance(extra[name], kind.section):
                extra[name] = kind.section.model_validate(extra[name])
        return self

    @model_validator(mode='after')
    def _deadlines_need_a_speed(self) -> Scenario:
        if self.world.real_time == 'strict' and self.real_time_factor == 'max':
            problem = "real_time_factor = 'max': sets no deadlines, which world.real_time: strict would count"
            raise ValueError(f'{problem}; allowed: a number, 1.0 for real time')
        return self

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a participant's section."""


@dataclass(frozen=True)
class ResolvedScenario:
    """A checked and resolved scenario."""

    scenario: Scenario
    file: Path
    """Its absolute path."""
    notices: tuple[str, ...] = ()
    """Warnings and notes, one line each."""
