# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings that all soil testbeds share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from regolith_files import SWEEP, InputError, Section
from regolith_terrain import ScmSoilConfig, SlipSinkageConfig, load_soil
from regolith_terrain.grid import Floats
from regolith_terrain.scm import NOTHING_MOVES

Tick = Callable[[int, int], None]
"""Progress callback (done, total)."""


def _numbers(value: Any) -> Any:
    """Convert '0.1,0.2' to numbers; leave other values to the schema."""
    if isinstance(value, str):
        try:
            return tuple(float(part) for part in value.split(','))
        except ValueError:
            return value
    return (value,) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _soil(value: Any) -> Any:
    """Return a soil by name or from its file."""
    return value if isinstance(value, ScmSoilConfig) else load_soil(value)


def _names(value: Any) -> Any:
    """Convert 'a,b' to names; leave other values to the schema."""
    return tuple(part.strip() for part in value.split(',')) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_names), Field(min_length=1, max_length=100)]
"""One name, or several separated by commas."""
Soil = Annotated[ScmSoilConfig, BeforeValidator(_soil)]
Mode = Literal['regolith', 'reference']
Number = Annotated[float, Field(ge=-1e9, le=1e9)]
SeveralNumbers = Annotated[tuple[Number, ...], BeforeValidator(_numbers), Field(min_length=1, max_length=1000)]
"""One number, or several separated by commas."""
SweptNumbers = Annotated[SeveralNumbers, SWEEP]
"""One number, or several separated by commas: a sweep."""


class BenchSettings(Section):
    """Soil, SCM formulation, grid and step of a testbed; 'SCM only' where other terrain models exist."""

    soil: Soil = Field(
        default_factory=lambda: load_soil('lunar_nominal'), description='SCM only: name or file of the soil.'
    )
    scm_mode: Mode = Field(default='regolith', description="SCM only: contact formulation, 'regolith' or 'reference'.")
    grid_spacing_m: float = Field(default=0.01, ge=0.002, le=0.2, description='SCM only: grid node spacing [m].')
    dt_s: float = Field(default=1e-3, ge=1e-5, le=1e-2, description='SCM only: step size [s].')


class WheelBenchSettings(BenchSettings):
    """Settings of a testbed with slipping wheels."""

    slip_sinkage: bool | None = Field(
        default=None,
        description="SCM only: whether slip increases the sinkage of the wheel; none: yes in mode 'regolith'.",
    )

    @model_validator(mode='after')
    def _digs_in(self) -> WheelBenchSettings:
        if self.slip_sinkage and self.scm_mode == 'reference':
            raise ValueError("slip_sinkage = true: is not supported in mode 'reference'; allowed: mode 'regolith'")
        return self

    def displacement(self) -> Floats:
        """Return the displacement rules of the grid, equal to those of a scenario, shape (RULES,)."""
        if self.scm_mode == 'regolith' and self.slip_sinkage is not False:
            return SlipSinkageConfig().parameters()
        return NOTHING_MOVES


def known_name(load: Callable[[str], Any]) -> AfterValidator:
    """Return a validator of a name or file that ``load`` must be able to read; the value is unchanged.

    Args:
        load: Function that loads the file; raises InputError if it cannot.
    """

    def check(value: str) -> str:
        try:
            load(value)
        except InputError as error:  # the first problem is enough for an option
            raise ValueError(str(error.problems[0])) from None
        return value

    return AfterValidator(check)


def new_file(value: str | None, ending: str) -> str | None:
    """Return the path of a file that an experiment writes, None for none.

    Args:
        value: Path.
        ending: Ending of its name, with the dot.

    Raises:
        ValueError: If the file exists, its folder does not, or its name ends otherwise.
    """
    if value is not None:
        file = Path(value)
        if file.suffix != ending or file.exists() or not file.parent.is_dir():
            raise ValueError(f'cannot be written; allowed: a new file with the ending {ending}, in an existing folder')
    return value


def number_within(name: str, values: tuple[float, ...], low: float, high: float) -> None:
    """Reject numbers outside low < value < high.

    Args:
        name: Key of the values in the message.
        values: Values to check.
        low: Lower limit, exclusive.
        high: Upper limit, exclusive.

    Raises:
        ValueError: If a value is invalid. The message names the value and the allowed values.
    """
    for number, value in enumerate(values):
        if not low < value < high:
            raise ValueError(f'{name}.{number} = {value!r}: is out of range; allowed: above {low!r}, below {high!r}')


def reference_rows(table: str, **where: str) -> list[dict[str, str]]:
    """Return the rows of a shipped table of Project Chrono results whose columns have the given texts."""
    text = (resources.files('regolith_testbeds') / 'data' / 'reference' / f'{table}.csv').read_text(encoding='utf-8')
    return [row for row in csv.DictReader(text.splitlines()) if all(row[k] == v for k, v in where.items())]
