# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Extension points of the user interface: commands, figures, parts of a report.

Each is a group of entry points (``setup.py`` of a package; our own packages use them, too). A broken one is skipped
with a warning that names its package, see :mod:`regolith_files.plugins`. Targets are imported on use, so plotting
libraries belong at the top of the modules that draw, and nowhere else.

=============================  =======================================================================================
group                          an entry point ``name = module:target`` leads to
=============================  =======================================================================================
``regolith.commands``          a function or a ``typer.Typer``: ``./regolith name``. With a parameter of type
                               ``typer.Context`` it finds :class:`CommandContext` in ``context.obj``. Bad input is a
                               ``InputError``; the first line of the docstring is the help.
``regolith.report_sections``   ``section(run: Run) -> ReportSection | None``: a part of ``report.html``; None: there is
                               nothing to say about this run.
``regolith.summary``           ``figures(run: Run) -> value``: the value of ``name`` in ``summary.json``. It must not
                               read ``run.summary``, which is being made.
``regolith.citations``         ``citations(scenario) -> Citations``: the papers behind the models that a scenario uses.
``regolith.view_layers``       ``layer(scenario) -> ViewLayer | None``: what the view of a run draws besides ground and
                               vehicles; None: nothing in this scenario.
``regolith.benchmarks``        ``measure() -> value``: ``./regolith bench name``.
``regolith.experiments``       ``run(**settings) -> value``, or a module with ``Settings`` (a schema), ``run(settings,
                               tick) -> rows`` and ``draw(settings, rows, axes)``: ``./regolith experiment name``.
                               A row that is alone is told without a list around it, but where several values of a
                               setting marked :data:`SWEEP` were asked for.
``regolith.file_kinds``        a :class:`FileKind`: a kind of configuration file, with JSON Schema and reference page.
=============================  =======================================================================================

Values are JSON values. Scenarios are resolved ones; a package reads its own sections by attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

COMMANDS, REPORT_SECTIONS, SUMMARY = 'regolith.commands', 'regolith.report_sections', 'regolith.summary'
CITATIONS = 'regolith.citations'
VIEW_LAYERS, BENCHMARKS, EXPERIMENTS = 'regolith.view_layers', 'regolith.benchmarks', 'regolith.experiments'
FILE_KINDS = 'regolith.file_kinds'


@dataclass(frozen=True)
class Sweep:
    """Mark of settings; see :data:`SWEEP`."""


SWEEP = Sweep()
"""In the type of a setting of an experiment, ``Annotated[tuple[float, ...], SWEEP]``: there is a row for each value."""


class NoRecordingError(RuntimeError):
    """A run without a readable recording."""


# -- what packages are given ----------------------------------------------------------------------------------------


class Topic(Protocol):
    """Summary of one topic in a bag."""

    @property
    def name(self) -> str:
        """Return its name from the root of the run."""

    @property
    def type_name(self) -> str:
        """Return e.g. ``sensor_msgs/msg/Image``."""

    @property
    def messages(self) -> int:
        """Return the number of messages."""


class Message(Protocol):
    """One message of a bag."""

    @property
    def topic(self) -> str:
        """Return its topic, from the root of the run."""

    @property
    def log_time_ns(self) -> int:
        """Return the simulated time [ns]."""

    @property
    def content(self) -> Any:
        """Return the message, fields as attributes, arrays as NumPy arrays."""


class BagReader(Protocol):
    """A run's recording."""

    @property
    def topics(self) -> Mapping[str, Topic]:
        """Return the topics by name."""

    def messages(self, *topics: str) -> Iterator[Message]:
        """Yield the messages of some topics (of all, if none is named) in the order they arrived."""

    def columns(self, topic: str, *paths: str) -> Mapping[str, Any]:
        """Return fields of all messages of a topic as arrays, by path, in order of arrival."""

    def some(self, topic: str, numbers: Collection[int]) -> Sequence[Message]:
        """Return the messages of a topic with these numbers, from 0 in the order they arrived; no other is decoded."""


class Run(Protocol):
    """A finished run: its folder, opened for reading."""

    @property
    def folder(self) -> Path:
        """Return the run folder."""

    @property
    def scenario(self) -> Any:
        """Return the scenario as resolved."""

    @property
    def bag(self) -> BagReader:
        """Return the recording.

        Raises:
            NoRecordingError: If there is none.
        """

    @property
    def recorded(self) -> Mapping[str, Topic]:
        """Return the topics of the recording; empty without one."""

    @property
    def simulated_s(self) -> float:
        """Return the simulated time that was committed [s]."""

    @property
    def participant_summaries(self) -> Mapping[str, Mapping[str, Any]]:
        """Return each participant's final report, by name."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """Return ``summary.json``."""


class CommandContext(Protocol):
    """The object ``context.obj`` of commands."""

    def run(self, folder: Path) -> Run:
        """Return a run folder, opened; missing parts raise errors on first access."""

    def runs(self, folder: Path) -> Sequence[Run]:
        """Return the recorded runs of a campaign's folder, in order, or the one run of a run folder."""

    def scenario(self, path_or_name: str, settings: Iterable[str] = (), seed: int | None = None) -> Any:
        """Return a scenario, checked and resolved.

        Raises:
            InputError: If anything is wrong with it.
        """

    def participant_context(self, scenario: Any) -> Any:
        """Return the :class:`regolith_world.cycle.participant_context.ParticipantContext` of a scenario: its ground and
        its vehicles' known places.
        """

    def progress(self, what: str) -> AbstractContextManager[Callable[[int, int], None]]:
        """Show progress on stderr, a bar or lines; it is called with the numbers of parts done and of all."""

    def print_json(self, value: Any) -> None:
        """Print one JSON value on stdout; infinite numbers and NaN become text."""


# -- what they give -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileKind:
    """A kind of configuration file."""

    title: str
    """Noun phrase, e.g. 'Tire'."""
    about: str
    """One sentence that says what such a file describes."""
    models: Callable[[], Mapping[str, Any]]
    """Function that returns the pydantic models at the root of a file, by the place in the file or by
    the value of its key ``type``; '' is the whole file."""


@dataclass(frozen=True)
class Caption:
    """A paragraph; text between `backquotes` is shown as code."""

    text: str


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A finished figure."""

    figure: Any
    """``matplotlib.figure.Figure``."""
    about: str
    """Description for those who cannot see it."""


@dataclass(frozen=True)
class Table:
    """Rows of text under their headings."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportSection:
    """A part of a report. Texts are plain; the report escapes special characters."""

    title: str
    parts: Sequence[Caption | Heading | Figure | Table] = ()
    order: int = 50
    """Position: sections are in ascending order, equal ones by name."""


@dataclass(frozen=True)
class Citations:
    """Papers behind a package's models."""

    bibliography: Path
    """BibTeX file, each entry ending in a line with a brace alone."""
    keys: Collection[str]
    """Keys of the entries behind a scenario's models."""

    def entries(self) -> dict[str, str]:
        """Return all entries of the bibliography, by key."""
        text = self.bibliography.read_text(encoding='utf-8')
        return {key: entry for entry, key in re.findall(r'(@\w+\{([^,]+),.*?\n\})', text, re.DOTALL)}


@dataclass(frozen=True)
class ViewMarks:
    """Points, or a line through them, in the world frame."""

    points: Any
    """[m], shape (n, 3)."""
    color: str = '#ffffff'
    """``#rrggbb``."""
    size: float = 3.0
    """Diameter of a point, width of a line [px]."""
    joined: bool = False
    """Whether a line joins them."""
    label: str = ''
    """Text at the last point."""


@dataclass(frozen=True)
class ViewLayer:
    """A package's marks in the view of a run, live or from its bag."""

    title: str
    """Label of the switch that shows and hides it."""
    draw: Callable[[int, Mapping[str, Any]], Sequence[ViewMarks]]
    """Function of a time [ns] and the last message of each topic up to then; topics without one are left out."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """Topics that it draws: name from the root of the run -> type."""
