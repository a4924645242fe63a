# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings that all experiments on soil share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib import resources
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from regolith_files.extension_points import SWEEP
from regolith_files.problems import InputError
from regolith_files.section import Section
from regolith_terrain.config import ScmSoilConfig, SlipSinkageConfig, load_soil
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm import NOTHING_MOVES

Tick = Callable[[int, int], None]
"""Progress callback (done, total)."""


def _numbers(value: Any) -> Any:
    """Turn '0.1,0.2' into numbers; leave the rest to the schema."""
    if isinstance(value, str):
        try:
            return tuple(float(part) for part in value.split(','))
        except ValueError:
            return value
    return (value,) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _soil(value: Any) -> Any:
    """Return a soil by its name or from its file."""
    return value if isinstance(value, ScmSoilConfig) else load_soil(value)


Soil = Annotated[ScmSoilConfig, BeforeValidator(_soil)]
Mode = Literal['regolith', 'reference']
Number = Annotated[float, Field(ge=-1e9, le=1e9)]
Several = Annotated[tuple[Number, ...], BeforeValidator(_numbers), Field(min_length=1, max_length=1000)]
"""One number, or several with commas between."""
Numbers = Annotated[Several, SWEEP]
"""One number, or several with commas between: a sweep."""


class BenchSettings(Section):
    """Soil, soil model, grid and step of a bench on the grid, which is called scm where there is other ground, too."""

    soil: Soil = Field(
        default_factory=lambda: load_soil('lunar_nominal'), description='SCM only: name or file of a soil.'
    )
    scm_mode: Mode = Field(default='regolith', description='SCM only: soil contact model.')
    grid_spacing_m: float = Field(default=0.01, ge=0.002, le=0.2, description='SCM only: spacing of the nodes [m].')
    dt_s: float = Field(default=1e-3, ge=1e-5, le=1e-2, description='SCM only: step [s].')


class WheelBenchSettings(BenchSettings):
    """A bench with wheels that slip."""

    slip_sinkage: bool | None = Field(
        default=None, description="Scm: whether a slipping wheel digs itself in; none: in mode 'regolith'."
    )

    @model_validator(mode='after')
    def _digs_in(self) -> WheelBenchSettings:
        if self.slip_sinkage and self.scm_mode == 'reference':
            raise ValueError("slip_sinkage = true: in mode 'reference'; allowed: in mode 'regolith'")
        return self

    def displacement(self) -> Floats:
        """Return the rules of displaced soil of the grid, as a scenario has them, shape (RULES,)."""
        if self.scm_mode == 'regolith' and self.slip_sinkage is not False:
            return SlipSinkageConfig().parameters()
        return NOTHING_MOVES


def known_name(load: Callable[[str], Any]) -> AfterValidator:
    """Return a validator of a name or a file that ``load`` has to be able to read; the name stays as it is.

    Args:
        load: Raises InputError if it cannot.
    """

    def check(value: str) -> str:
        try:
            load(value)
        except InputError as error:  # the first of its problems says enough for an option
            raise ValueError(str(error.problems[0])) from None
        return value

    return AfterValidator(check)


def within(name: str, values: tuple[float, ...], low: float, high: float) -> None:
    """Refuse numbers outside low < value < high.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    for number, value in enumerate(values):
        if not low < value < high:
            raise ValueError(f'{name}.{number} = {value!r}: is out of range; allowed: above {low!r}, below {high!r}')


def reference_rows(table: str, **where: str) -> list[dict[str, str]]:
    """Return rows of a shipped table of Project Chrono's results whose columns have these texts."""
    text = (resources.files('regolith_terrain') / 'data' / 'reference' / f'{table}.csv').read_text(encoding='utf-8')
    return [row for row in csv.DictReader(text.splitlines()) if all(row[k] == v for k, v in where.items())]
