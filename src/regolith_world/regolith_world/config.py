# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``world`` section of a scenario, and the reading of sections by nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from regolith_files.bounded_yaml import load_yaml
from regolith_files.problems import InputError, Problem
from regolith_files.section import LONGEST_S, SHORTEST_S, Moment, Seconds, Section
from regolith_files.validation_messages import describe_error
from regolith_world.cycle.participant_context import ParticipantContext
from regolith_world.determinism import Level


class FaultInjectionConfig(Section):
    """Injected faults without effect on a run's result, for tests of participants."""

    duplicate: bool = Field(False, description='send every protocol message twice')
    drop_result_at: dict[str, int] = Field({}, description='participant -> cycle whose first result it discards')
    max_delay_s: dict[str, Moment] = Field({}, description='participant -> longest random sleep before a result [s]')


class InputBarrier(Section):
    """A topic of an autonomy stack for which every cycle waits."""

    topic: str = Field(min_length=1, description='absolute name, e.g. /amber/cmd_vel')
    type: str | None = Field(
        None, description='type of its messages, package/msg/Type; null: the one that the vehicle of the topic takes'
    )
    timeout_s: Seconds = Field(1.0, description='wall time after which the cycle starts all the same [s]')


class WorldConfig(Section):
    """Time, contact, and reactions to failures."""

    max_step_s: float = Field(0.02, ge=SHORTEST_S, le=1.0, description='longest cycle [s]')
    min_step_s: float = Field(1e-4, ge=SHORTEST_S, le=0.1, description='shortest cycle [s]; where NII remains, forced')
    gravity_mps2: float = Field(1.62, ge=0.0, le=30.0, description='[m/s^2], along -z of the world')
    contact: Literal['impulse', 'none'] = Field('impulse', description='whether agents strike each other')
    participant_timeout_s: Seconds = Field(5.0, description='wall time without a response before on_failure [s]')
    on_failure: Literal['stop', 'drop', 'wait'] = Field('stop', description='what a failed node leads to')
    resend_period_s: Seconds = Field(0.5, description='wall time before an unanswered cycle is repeated [s]')
    checkpoint_period_s: float = Field(5.0, ge=1e-3, le=LONGEST_S, description='simulated time between checkpoints [s]')
    max_checkpoints: int = Field(10, ge=1, le=10_000, description='automatic checkpoints kept, old ones wider apart')
    start_timeout_s: Seconds = Field(60.0, description='wall time all participants have to join [s]')
    input_barrier: InputBarrier | None = Field(None, description='a topic each cycle waits for')
    real_time: Literal['cap', 'strict'] = Field(
        'cap', description='strict (hardware in the loop): cycles that start late are counted'
    )
    unresponsive_s: Seconds = Field(
        30.0, description='wall time after which a run ends whose world does not run, stopped or starved [s]'
    )
    discards_per_s: int = Field(
        20_000,
        ge=100,
        le=10**7,
        description='discarded cycles within a second of simulated time at which the run ends; a tenth gives a warning',
    )
    deadline_tolerance_s: Seconds = Field(
        0.005, description='lateness from which strict counts a deadline miss, wall time [s]'
    )
    fault_injection: FaultInjectionConfig | None = Field(None, description='faults on purpose, for tests')
    determinism: Level | None = Field(
        None, description='the same bits in every run, in one process or many, on every x86-64 machine; null: open'
    )
    monotonic_clock: bool = Field(True, description='whether /clock stays monotonic over a rewind')

    @model_validator(mode='after')
    def _ordered(self) -> WorldConfig:
        if self.min_step_s > self.max_step_s:
            if 'min_step_s' in self.model_fields_set:
                problem = f'min_step_s = {self.min_step_s!r}: is longer than max_step_s'
                limit = f'up to {self.max_step_s!r}'
            else:
                problem = f'max_step_s = {self.max_step_s!r}: is shorter than min_step_s'
                limit = f'at least {self.min_step_s!r}'
            raise ValueError(f'{problem}; allowed: {limit}')
        return self


class ScenarioHead(BaseModel):
    """Root keys of a scenario for every node; further keys are participants' sections."""

    model_config = ConfigDict(extra='allow')

    name: str
    seed: int
    vehicles: dict[str, Any]
    objects: dict[str, Any] = Field(default_factory=dict)
    named_poses: dict[str, Any] = Field(default_factory=dict)

    @property
    def sections(self) -> Mapping[str, Any]:
        """All further keys at the root."""
        return {key: value for key, value in (self.model_extra or {}).items() if value is not None}

    def site(self) -> ParticipantContext:
        """Return the scenario's site in a process without ground."""
        places = {
            name: (tuple(entry['position']), *map(tuple, entry.get('driver', {}).get('waypoints', ())))
            for name, entry in self.vehicles.items()
        }
        return ParticipantContext(self.name, self.seed, places)


class UnresolvedScenario(InputError):
    """A file that is no resolved scenario; the message names it, the key and what is allowed."""


SectionT = TypeVar('SectionT', bound=BaseModel)


def load_section(scenario_file: str | Path, key: str, model: type[SectionT]) -> SectionT:
    """Return one section of a *resolved* scenario file (written by ``plan()``, hence known to be valid).

    Args:
        scenario_file: path of the resolved scenario
        key: dotted path of the section, e.g. ``vehicles.amber``; '' for the root
        model: the section's schema

    Raises:
        UnresolvedScenario: if the file is no resolved scenario
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
