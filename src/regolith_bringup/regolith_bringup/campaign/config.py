# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaign files: schema, checks, and the variations with their resolved scenarios."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from regolith_bringup.campaign.design import DESIGNS, MOST, Range, Variation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import InputError
from regolith_files.section import SHORTEST_S, Section
from regolith_files.validation import validated
from regolith_files.yaml_source import YamlSource

Values = Annotated[tuple[Any, ...], Field(min_length=1, max_length=MOST)]


class CampaignConfig(Section):
    """A campaign: a scenario, and what is varied of it."""

    scenario: str = Field(min_length=1, description='path of a scenario YAML, or name of one that ships')
    duration_s: float | None = Field(
        None, ge=SHORTEST_S, le=1e7, description="simulated time [s]; null: the scenario's"
    )
    settings: dict[str, Any] = Field(default_factory=dict, description='key of the scenario -> value in all runs')
    vary: dict[str, Range | Values] = Field(
        min_length=1, description="key of the scenario -> list of values, or low, high and samples; 'seed' among them"
    )
    design: Literal['grid', 'list', 'latin_hypercube'] = Field(
        'grid',
        description='grid: every combination; list: first values of all, second ones, …; latin_hypercube: at random',
    )
    seed: int = Field(0, ge=0, lt=2**63, description='of latin_hypercube')
    record: bool = Field(False, description='whether each run is recorded: as nodes, with sensors, bag and report')

    @model_validator(mode='after')
    def _can_be_laid_out(self) -> CampaignConfig:
        if self.design == 'grid':
            count = math.prod(entry.samples if isinstance(entry, Range) else len(entry) for entry in self.vary.values())
            if count > MOST:
                raise ValueError(f'vary = {count} combinations: too many; allowed: up to {MOST}')
        self.variations()
        return self

    def variations(self) -> Sequence[Variation]:
        """Return the variations in their order."""
        return DESIGNS[self.design](self.vary, self.seed)


@dataclass(frozen=True)
class Case:
    """One run of a campaign."""

    name: str
    """Its number, as text with leading zeros."""
    varied: Variation
    scenario: Scenario
    """Checked and resolved."""


def load_campaign(
    file: Path, tick: Callable[[int, int], None] = lambda done, of: None
) -> tuple[CampaignConfig, list[Case]]:
    """Read a campaign and check every run of it.

    :param tick: progress callback (done, total)
    :raises InputError: naming file, key, value and what is allowed, of the campaign or of the scenario's variation
    """
    source = YamlSource(file, what='a campaign')
    config = validated(CampaignConfig, source.data, source)
    scenario = config.scenario
    beside = source.base_dir(('scenario',)) / scenario
    if beside.is_file():
        scenario = str(beside)
    variations = config.variations()
    digits = max(3, len(str(len(variations) - 1)))
    cases = []
    for number, varied in enumerate(variations):
        tick(number, len(variations))
        overrides = [f'{key}={json.dumps(value)}' for key, value in {**config.settings, **varied}.items()]
        try:
            resolved = load_scenario(scenario, overrides, duration_s=config.duration_s, record=config.record)
        except InputError as error:
            words = ', '.join(f'{key} = {value!r}' for key, value in varied.items())
            here = source.problem(('vary',), f'run {number}: {words}', 'values that the scenario takes')
            raise InputError([*error.problems, here]) from None
        cases.append(Case(f'{number:0{digits}d}', varied, resolved.scenario))
    tick(len(variations), len(variations))
    return config, cases
