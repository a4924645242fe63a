# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaign files: schema, checks, and the variations with their resolved scenarios."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from regolith_bringup.campaign.design import DESIGNS, MOST, Range, Variation
from regolith_bringup.scenario.loading import Setting, load_scenario, scenario_file
from regolith_bringup.scenario.schema import Scenario
from regolith_files import (
    SHORTEST_DURATION_S,
    FileKind,
    InputError,
    KeyPath,
    Problem,
    Section,
    ValueOrigin,
    YamlSource,
    validated,
)

Values = Annotated[tuple[Any, ...], Field(min_length=1, max_length=MOST)]
Entry = Annotated[
    Annotated[Range, Tag('range')] | Annotated[Values, Tag('values')],
    Discriminator(lambda entry: 'range' if isinstance(entry, Mapping | Range) else 'values'),
]
"""Values of a varied key: a range or a list. The form selects the validated type, so errors refer to that type only."""


class CampaignConfig(Section):
    """Campaign: a scenario and the keys that are varied in it."""

    scenario: str = Field(min_length=1, description='Path of a scenario YAML file, or name of a shipped scenario.')
    duration_s: float | None = Field(
        None,
        ge=SHORTEST_DURATION_S,
        le=1e7,
        description='Simulated duration of each run [s], null = the duration of the scenario.',
    )
    settings: dict[str, Any] = Field(
        default_factory=dict, description='Scenario values set in all runs, by dotted key.'
    )
    vary: dict[str, Entry] = Field(
        min_length=1,
        description='Varied scenario values by dotted key (seed included): a list, or a range with low, '
        'high and samples.',
    )
    design: Literal['grid', 'list', 'latin_hypercube'] = Field(
        'grid',
        description='Design of the campaign: grid = all combinations, list = k-th values of all keys together, '
        'latin_hypercube = random samples.',
    )
    seed: int = Field(0, ge=0, lt=2**63, description='Seed of the latin_hypercube design.')
    record: bool = Field(
        False, description='Whether each run starts all nodes and sensors and writes a bag and a report.'
    )

    @model_validator(mode='after')
    def _can_be_laid_out(self) -> CampaignConfig:
        if self.design == 'grid':
            count = math.prod(entry.samples if isinstance(entry, Range) else len(entry) for entry in self.vary.values())
            if count > MOST:
                raise ValueError(f'vary = {count} combinations: too many; allowed: up to {MOST}')
        self.variations()
        for key, entry in self.vary.items():
            if isinstance(entry, tuple) and self.design != 'list':
                texts = [f'{v:.17g}' if type(v) in (int, float) else repr(v) for v in entry]
                again = next((k for k, text in enumerate(texts) if text in texts[:k]), None)
                if again is not None:
                    raise ValueError(
                        f'vary.{key}.{again}: is a repeated value and would repeat each run; allowed: each value once'
                    )
        return self

    def variations(self) -> Sequence[Variation]:
        """Return the variations in order."""
        return DESIGNS[self.design](self.vary, self.seed)


@dataclass(frozen=True)
class CampaignCase:
    """One run of a campaign."""

    name: str
    """Number of the run as text with leading zeros."""
    varied: Variation
    scenario: Scenario
    """Checked and resolved scenario of this run."""


def load_campaign(
    file: Path, tick: Callable[[int, int], None] = lambda done, of: None
) -> tuple[CampaignConfig, list[CampaignCase]]:
    """Read a campaign and check all of its runs.

    Args:
        file: Campaign file.
        tick: Progress callback (done, total).

    Returns:
        Campaign and its cases.

    Raises:
        InputError: If the campaign or a varied scenario is not valid. The message states file, key, value and allowed
            values.
    """
    source = YamlSource(file, what='a campaign')
    config = validated(CampaignConfig, source.data, source)
    if problems := [*_no_values(config, source), *_given_twice(config, source)]:
        raise InputError(problems)
    scenario = _scenario(config, source)
    fixed = [_setting(source, 'settings', key, value) for key, value in config.settings.items()]
    variations = config.variations()
    digits = max(3, len(str(len(variations) - 1)))
    cases = []
    for number, varied in enumerate(variations):
        tick(number, len(variations))
        settings = [*fixed, *(_setting(source, 'vary', key, value) for key, value in varied.items())]
        try:
            resolved = load_scenario(scenario, settings, duration_s=config.duration_s, record=config.record)
        except InputError as error:
            if _fails_alike(error, scenario, fixed, config):
                raise
            words = ', '.join(f'{key} = {value!r}' for key, value in varied.items())
            allowed = 'values that ./regolith check takes, see the lines above'
            here = source.problem(('vary',), f'run {number} ({words}) is refused', allowed)
            raise InputError([*error.problems, here]) from None
        cases.append(CampaignCase(f'{number:0{digits}d}', varied, resolved.scenario))
    tick(len(variations), len(variations))
    return config, cases


def _scenario(config: CampaignConfig, source: YamlSource) -> Path:
    try:
        return scenario_file(config.scenario, source.base_dir(('scenario',)))
    except InputError as error:
        (problem,) = error.problems
        raise source.error(('scenario',), problem.problem, problem.allowed, config.scenario) from None


def _setting(source: YamlSource, section: str, key: str, value: Any) -> Setting:
    """Return a scenario setting whose origin for error messages is the campaign file."""
    return Setting(key, value, ValueOrigin(source.where((section, key)), source.base_dir(())))


def _fails_alike(error: InputError, scenario: Path, fixed: Sequence[Setting], config: CampaignConfig) -> bool:
    """Return whether the scenario has the same problems when nothing is varied."""
    try:
        load_scenario(scenario, fixed, duration_s=config.duration_s, record=config.record)
    except InputError as without:
        return without.problems == error.problems
    return False


def _no_values(config: CampaignConfig, source: YamlSource) -> Iterator[Problem]:
    """Yield problems of values that YAML can express and tables cannot, such as dates."""
    given: list[tuple[KeyPath, Any]] = [(('settings', key), value) for key, value in config.settings.items()]
    for key, entry in config.vary.items():
        given += [(('vary', key, k), value) for k, value in enumerate(entry)] if isinstance(entry, tuple) else []
    for path, value in given:
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            allowed = 'text, a finite number, true, false, null, or a list or mapping of them'
            yield source.problem(path, 'is not a value of a scenario', allowed, value)


def _given_twice(config: CampaignConfig, source: YamlSource) -> Iterator[Problem]:
    """Yield problems of keys that would overwrite the value of another key or of a campaign setting."""
    own = {'recording.enabled': 'record'} | ({} if config.duration_s is None else {'duration_s': 'duration_s'})
    given: list[tuple[str, str]] = []
    for section, keys in (('settings', config.settings), ('vary', config.vary)):
        for key in keys:
            if key in own:
                yield source.problem(
                    (section, key), f'is already set by {own[key]} of the campaign', f'{own[key]}: alone'
                )
            for earlier_section, earlier in given:
                if f'{earlier}.'.startswith(f'{key}.'):
                    yield source.problem((section, key), f'also sets {earlier_section}.{earlier}', 'one of them')
            given.append((section, key))


FILE_KIND = FileKind('Campaign', 'A campaign file defines many variations of a scenario.', lambda: {'': CampaignConfig})
"""Campaign files."""
