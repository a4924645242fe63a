# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a scenario file. The schemas of its sections are in the packages that use them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from regolith_bringup.bag.topics import RecordedTopic, is_topic
from regolith_files import SHORTEST_DURATION_S, Section, as_yaml_text
from regolith_sensors.config import DustConfig, LightConfig
from regolith_terrain import TerrainConfig
from regolith_terrain.solids import ObstacleConfig
from regolith_vehicles import VehicleEntry
from regolith_world import WorldConfig, valid_ros_name
from regolith_world.cycle import participant_types
from regolith_world.objects import NamedPose

FORMAT = 1
"""Format number of scenario files."""


def _readable(version: int) -> int:
    if version != FORMAT:
        raise ValueError(f'is not a scenario format that this version of Regolith reads; allowed: {FORMAT}')
    return version


def _folder_name(name: str) -> str:
    if not name.isprintable() or '/' in name or name.startswith('.') or len(name.encode()) > 200:
        raise ValueError(
            f'{as_yaml_text(name)} cannot name a run folder; allowed: up to 200 bytes of printable text without "/", '
            'not starting with a dot'
        )
    return name


def _topic_line(line: str) -> str:
    if is_topic(line):  # without a type: checked later, because the message depends on all topics of the scenario
        return line
    try:
        return RecordedTopic.parse(line).line()
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f'topics: {as_yaml_text(line)}: ')) from None


VehicleName = Annotated[str, AfterValidator(valid_ros_name)]


class RecordingConfig(Section):
    """The ``recording`` section: what is written into the bag of a run."""

    enabled: bool = Field(True, description='Whether a bag is recorded.')
    topics: tuple[Annotated[str, AfterValidator(_topic_line)], ...] = Field(
        (),
        description="Additional topics, each '/name|package/msg/Type', optionally with '|state', '|latched' or "
        "'|sensor'.",
    )
    sensors: bool | tuple[str, ...] | None = Field(
        None,
        description='Recorded sensor topics: true = all, false = none, a list = these topics, null = all except '
        'images.',
    )


class ViewConfig(Section):
    """The ``view`` section: what is published for viewers such as RViz and Foxglove."""

    markers: bool = Field(
        False, description='Whether terrain, ruts and layers are published as markers, with world as root of /tf.'
    )
    rate_hz: float = Field(2.0, ge=0.01, le=20.0, description='Publication rate of the markers per wall time [Hz].')


class Scenario(Section):
    """Scenario: world, terrain, vehicles, sensors, recording and view of a run.

    Additional keys are sections of registered participants, see :mod:`regolith_bringup.scenario.participant_sections`.
    """

    model_config = ConfigDict(extra='allow')

    format: Annotated[int, AfterValidator(_readable)] = Field(FORMAT, description='Format number of the scenario file.')
    name: Annotated[str, AfterValidator(_folder_name)] = Field(
        min_length=1, description='Name of the scenario in reports and run folders. Default: name of the file.'
    )
    description: str = Field('', description='Description of the scenario in one line, shown by ./regolith scenarios.')
    duration_s: float = Field(30.0, ge=SHORTEST_DURATION_S, le=1e7, description='Simulated duration of a run [s].')
    seed: int = Field(0, ge=0, lt=2**63, description='Seed of all random numbers.')
    real_time_factor: Annotated[float, Field(ge=1e-3, le=1e6)] | Literal['max'] = Field(
        'max', description='Maximum real-time factor (simulated seconds per wall second), max = no limit.'
    )
    world: WorldConfig = Field(default_factory=lambda: WorldConfig.model_validate({}))
    terrain: TerrainConfig = Field(default_factory=lambda: TerrainConfig.model_validate({}))
    vehicles: dict[VehicleName, VehicleEntry] = Field(default_factory=dict, description='Vehicles by name.')
    objects: dict[VehicleName, dict[str, Any]] = Field(
        default_factory=dict, description='Objects computed by the world, by name: the object type and its parameters.'
    )
    named_poses: dict[VehicleName, NamedPose] = Field(
        default_factory=dict, description='Named poses that clients can query, by name.'
    )
    obstacles: dict[VehicleName, ObstacleConfig] = Field(
        default_factory=dict, description='Static obstacles on the terrain, by name.'
    )
    light: LightConfig = Field(default_factory=lambda: LightConfig.model_validate({}))
    dust: DustConfig | None = Field(None, description='Dust that wheels and tracks throw up; null: none.')
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
            problem = "real_time_factor = 'max': sets no deadlines, but world.real_time: strict counts deadline misses"
            raise ValueError(f'{problem}; allowed: a number, 1.0 for real time')
        return self

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the section of a participant."""


@dataclass(frozen=True)
class ResolvedScenario:
    """Scenario after validation and resolution, with its messages."""

    scenario: Scenario
    file: Path
    """Absolute path of the scenario file."""
    notices: tuple[str, ...] = ()
    """Warnings and notes, one line each."""
