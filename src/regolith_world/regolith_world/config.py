# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of the scenario's ``world`` section, and how nodes read sections of a resolved scenario."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from regolith_files import (
    LONGEST_DURATION_S,
    SHORTEST_DURATION_S,
    InputError,
    Problem,
    Seconds,
    Section,
    TimeSinceStart,
    describe_error,
    load_yaml,
)
from regolith_world.determinism import Level
from regolith_world.participant_context import ParticipantContext


class FaultInjectionConfig(Section):
    """Faults injected into the protocol to test participants. They do not change the result of a run."""

    duplicate: bool = Field(False, description='Whether every protocol message is sent twice.')
    drop_result_at: dict[str, int] = Field(
        {}, description='Number of the cycle whose first result is discarded, by participant.'
    )
    max_delay_s: dict[str, TimeSinceStart] = Field(
        {}, description='Maximum random delay before a result is sent, wall time [s], by participant.'
    )


class InputBarrier(Section):
    """A topic of an autonomy stack. The world waits for a message on it after each state that vehicles publish."""

    topic: str = Field(min_length=1, description='Absolute topic name, such as /amber/cmd_vel.')
    type: str | None = Field(
        None, description='Message type as package/msg/Type; null: the type that the vehicle subscribes to.'
    )
    timeout_s: Seconds = Field(
        1.0, description='Maximum wall time for which a cycle waits for a message; it then starts without one [s].'
    )
    period_s: Seconds = Field(
        0.02,
        description='Simulated time per message [s]: of several cycles in it only one waits. The default is that of '
        'odom and other state topics, see the parameter state_rate_hz of vehicles.',
    )


class WorldConfig(Section):
    """Time steps, contact, checkpoints, real time, and the handling of failures."""

    max_step_s: float = Field(0.02, ge=SHORTEST_DURATION_S, le=1.0, description='Maximum step size [s].')
    min_step_s: float = Field(
        1e-4,
        ge=SHORTEST_DURATION_S,
        le=0.1,
        description='Minimum step size [s]. A step of this size is committed even if a penetration remains.',
    )
    gravity_mps2: float = Field(1.62, ge=0.0, le=30.0, description='Gravity along -z of the world frame [m/s^2].')
    contact: Literal['impulse', 'none'] = Field(
        'impulse', description='Contact model between entities: impulse, or none for no collisions.'
    )
    participant_timeout_s: Seconds = Field(
        5.0, description='Wall time without a response from a node after which on_failure applies [s].'
    )
    on_failure: Literal['stop', 'drop', 'wait'] = Field(
        'stop',
        description='Reaction to an unresponsive node: stop the run, drop the node and continue, or wait for its '
        'restart.',
    )
    resend_period_s: Seconds = Field(
        0.5, description='Wall time after which a cycle message without a response is sent again [s].'
    )
    checkpoint_period_s: float = Field(
        5.0, ge=1e-3, le=LONGEST_DURATION_S, description='Simulated time between automatic checkpoints [s].'
    )
    max_checkpoints: int = Field(
        10,
        ge=1,
        le=10_000,
        description='Maximum number of automatic checkpoints kept. Older checkpoints are spaced further apart.',
    )
    start_timeout_s: Seconds = Field(60.0, description='Wall time within which all participants must join [s].')
    input_barrier: InputBarrier | None = Field(
        None, description='Topic on which the world waits for a message after each published state; null: none.'
    )
    real_time: Literal['cap', 'strict'] = Field(
        'cap',
        description='Real-time mode: cap only limits the real-time factor, strict (hardware in the loop) also counts '
        'deadline misses.',
    )
    unresponsive_s: Seconds = Field(
        30.0, description='Wall time without progress of the world process after which the run ends [s].'
    )
    discards_per_s: int = Field(
        20_000,
        ge=100,
        le=10**7,
        description='Maximum number of attempts discarded per second of simulated time; beyond it the run ends. A '
        'tenth of '
        'it gives a warning.',
    )
    deadline_tolerance_s: Seconds = Field(
        0.005,
        description='Strict real time only: delay of a step from which it counts as a deadline miss, wall time [s].',
    )
    fault_injection: FaultInjectionConfig | None = Field(
        None, description='Injected protocol faults, for tests; null: none.'
    )
    determinism: Level | None = Field(
        None,
        description='Required determinism: identical bits in every run (run_to_run), with any number of processes '
        '(cross_process), or on every x86-64 machine (cross_machine); null: not required.',
    )
    monotonic_clock: bool = Field(True, description='Whether /clock continues to increase after a rewind.')

    @model_validator(mode='after')
    def _ordered(self) -> WorldConfig:
        if self.min_step_s > self.max_step_s:
            if 'min_step_s' in self.model_fields_set:
                problem = f'min_step_s = {self.min_step_s!r}: is larger than max_step_s'
                limit = f'up to {self.max_step_s!r}'
            else:
                problem = f'max_step_s = {self.max_step_s!r}: is smaller than min_step_s'
                limit = f'at least {self.min_step_s!r}'
            raise ValueError(f'{problem}; allowed: {limit}')
        return self


class ScenarioHead(BaseModel):
    """Root keys of a scenario that every node reads. Further keys are sections of participants."""

    model_config = ConfigDict(extra='allow')

    name: str
    seed: int
    vehicles: dict[str, Any]
    objects: dict[str, Any] = Field(default_factory=dict)
    named_poses: dict[str, Any] = Field(default_factory=dict)

    @property
    def sections(self) -> Mapping[str, Any]:
        """All further root keys that are not null."""
        return {key: value for key, value in (self.model_extra or {}).items() if value is not None}

    def site(self) -> ParticipantContext:
        """Return the participant context in a process without terrain."""
        places = {
            name: (tuple(entry['position']), *map(tuple, entry.get('driver', {}).get('waypoints', ())))
            for name, entry in self.vehicles.items()
        }
        return ParticipantContext(self.name, self.seed, places)


class UnresolvedScenario(InputError):
    """A file that is not a resolved scenario. The message states the file, the key and what is allowed."""


SectionT = TypeVar('SectionT', bound=BaseModel)


def load_section(scenario_file: str | Path, key: str, model: type[SectionT]) -> SectionT:
    """Return one section of a *resolved* scenario file, which ``plan()`` has written and checked.

    Args:
        scenario_file: Path of the resolved scenario.
        key: Dotted path of the section, such as ``vehicles.amber``; '' for the root.
        model: Schema of the section.

    Raises:
        UnresolvedScenario: If the file is not a resolved scenario.
    """
    allowed = 'a resolved scenario, scenario.yaml of a run folder'
    try:
        node = load_yaml(Path(scenario_file).read_text(encoding='utf-8'))
        for part in filter(None, key.split('.')):
            node = node[part]
        return model.model_validate(node)
    except (KeyError, TypeError):
        raise UnresolvedScenario(Problem(str(scenario_file), key, 'is absent', allowed)) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = '.'.join([part for part in (key,) if part] + [str(part) for part in first['loc']])
        raise UnresolvedScenario(Problem(str(scenario_file), where, describe_error(first)[0], allowed)) from None
    except yaml.YAMLError as error:
        raise UnresolvedScenario(Problem(str(scenario_file), '', ' '.join(str(error).split()), allowed)) from None
