# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Extension points of the command line: commands, report sections, summary values and other plug-ins.

Each extension point is a group of entry points, declared in ``setup.py`` of a package. The packages of Regolith use the
same groups. A plug-in that cannot be loaded is skipped with a warning that names its package, see
:mod:`regolith_files.plugins`. A target is imported when it is used. Import plotting libraries at the top of the modules
that draw, and nowhere else.

=============================  =======================================================================================
group                          target of an entry point ``name = module:target``
=============================  =======================================================================================
``regolith.commands``          Function or ``typer.Typer`` of ``./regolith NAME``. A parameter of type
                               ``typer.Context`` gives access to :class:`CommandContext` as ``context.obj``. Invalid
                               input raises ``InputError``. The first line of the docstring is the help text.
``regolith.report_sections``   ``section(run: Run) -> ReportSection | None``: a section of ``report.html``; None if
                               the section does not apply to this run.
``regolith.summary``           ``value_of(run: Run) -> value``: the value of ``name`` in ``summary.json``. The
                               function must not read ``run.summary``, which does not exist yet.
``regolith.citations``         ``citations(scenario) -> Citations``: the papers behind the models of a scenario.
``regolith.view_layers``       ``layer(scenario) -> ViewLayer | None``: an overlay in the viewer on terrain and
                               vehicles; None if the scenario has no such layer.
``regolith.benchmarks``        ``measure() -> value``: benchmark of ``./regolith bench name``.
``regolith.experiments``       ``run(**settings) -> value``, or a module with ``Settings`` (a schema), ``run(settings,
                               tick) -> rows`` and ``draw(settings, rows, axes)``: ``./regolith experiment name``.
                               A single row is printed without a list around it, unless the user requested several
                               values of a setting marked :data:`SWEEP`.
``regolith.file_kinds``        :class:`FileKind`: kind of configuration file with JSON Schema and reference page.
=============================  =======================================================================================

Values are JSON values. Scenarios are resolved scenarios. A package reads its own sections as attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

COMMANDS = 'regolith.commands'
"""Entry point group of commands."""
REPORT_SECTIONS = 'regolith.report_sections'
"""Entry point group of sections of the report."""
SUMMARY = 'regolith.summary'
"""Entry point group of sections of the summary."""
CITATIONS = 'regolith.citations'
"""Entry point group of citations."""
VIEW_LAYERS = 'regolith.view_layers'
"""Entry point group of overlays in the viewer."""
BENCHMARKS = 'regolith.benchmarks'
"""Entry point group of benchmarks."""
EXPERIMENTS = 'regolith.experiments'
"""Entry point group of experiments."""
FILE_KINDS = 'regolith.file_kinds'
"""Entry point group of kinds of configuration files."""


@dataclass(frozen=True)
class Sweep:
    """Marker of swept settings, see :data:`SWEEP`."""


SWEEP = Sweep()
"""Marker in the type of an experiment setting, ``Annotated[tuple[float, ...], SWEEP]``: each value gives one row."""


class NoRecordingError(RuntimeError):
    """Error for a run without a readable recording."""


# -- input of plug-ins ----------------------------------------------------------------------------------------------


class Topic(Protocol):
    """Topic in a recording."""

    @property
    def name(self) -> str:
        """Return the name relative to the root of the run."""

    @property
    def type_name(self) -> str:
        """Return the message type, e.g. ``sensor_msgs/msg/Image``."""

    @property
    def messages(self) -> int:
        """Return the number of messages."""


class Message(Protocol):
    """Message in a recording."""

    @property
    def topic(self) -> str:
        """Return the topic relative to the root of the run."""

    @property
    def log_time_ns(self) -> int:
        """Return the simulated time [ns]."""

    @property
    def content(self) -> Any:
        """Return the message with fields as attributes and arrays as NumPy arrays."""


class BagReader(Protocol):
    """Reader of the recording of a run."""

    @property
    def topics(self) -> Mapping[str, Topic]:
        """Return the topics by name."""

    def messages(self, *topics: str) -> Iterator[Message]:
        """Yield the messages of the given topics in order of arrival; without topics, all messages."""

    def columns(self, topic: str, *paths: str) -> Mapping[str, Any]:
        """Return fields of all messages of a topic as arrays, keyed by path, in order of arrival."""

    def some(self, topic: str, numbers: Collection[int]) -> Sequence[Message]:
        """Return the messages of a topic with the given numbers, counted from 0 in order of arrival.

        Only these messages are decoded.
        """


class Run(Protocol):
    """Finished run, opened for reading."""

    @property
    def folder(self) -> Path:
        """Return the folder of the run."""

    @property
    def scenario(self) -> Any:
        """Return the resolved scenario."""

    @property
    def bag(self) -> BagReader:
        """Return the recording.

        Raises:
            NoRecordingError: If there is no recording.
        """

    @property
    def recorded(self) -> Mapping[str, Topic]:
        """Return the topics of the recording; empty without a recording."""

    @property
    def simulated_s(self) -> float:
        """Return the committed simulated time [s]."""

    @property
    def participant_summaries(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the final report of each participant, keyed by name."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """Return ``summary.json``."""


class CommandContext(Protocol):
    """Context of a command, available as ``context.obj``."""

    def run(self, folder: Path) -> Run:
        """Return the run in a folder. Access to a missing part raises an error."""

    def runs(self, folder: Path) -> Sequence[Run]:
        """Return the recorded runs of a campaign folder in order, or the run of a run folder."""

    def scenario(self, path_or_name: str, settings: Iterable[str] = (), seed: int | None = None) -> Any:
        """Return a checked and resolved scenario.

        Raises:
            InputError: If the scenario is invalid.
        """

    def participant_context(self, scenario: Any) -> Any:
        """Return the participant context of a scenario: its terrain and the known positions of its vehicles.

        The type is :class:`regolith_world.participant_context.ParticipantContext`.
        """

    def progress(self, what: str) -> AbstractContextManager[Callable[[int, int], None]]:
        """Show progress on stderr as a bar or lines.

        The context manager gives a function of the number of finished parts and the number of all parts.
        """

    def print_json(self, value: Any) -> None:
        """Print one JSON value on stdout; infinite numbers and NaN are printed as text."""


# -- output of plug-ins ---------------------------------------------------------------------------------------------


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
    """Paragraph of text; text between `backquotes` is shown as code."""

    text: str


@dataclass(frozen=True)
class Heading:
    """Heading within a section."""

    text: str


@dataclass(frozen=True)
class Figure:
    """Plot with a description."""

    figure: Any
    """``matplotlib.figure.Figure``."""
    about: str
    """Description for readers without the image."""


@dataclass(frozen=True)
class Table:
    """Table of text cells with column headings."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportSection:
    """Section of the report. Texts are plain; the report escapes special characters."""

    title: str
    parts: Sequence[Caption | Heading | Figure | Table] = ()
    order: int = 50
    """Position in the report: sections are in ascending order, those with equal values by name."""


@dataclass(frozen=True)
class Citations:
    """Papers behind the models of a package."""

    bibliography: Path
    """BibTeX file. Each entry ends with a line that contains only a closing brace."""
    keys: Collection[str]
    """Keys of the entries behind the models of a scenario."""

    def entries(self) -> dict[str, str]:
        """Return all entries of the bibliography, keyed by citation key."""
        text = self.bibliography.read_text(encoding='utf-8')
        return {key: entry for entry, key in re.findall(r'(@\w+\{([^,]+),.*?\n\})', text, re.DOTALL)}


@dataclass(frozen=True)
class ViewMarks:
    """Points or a polyline in the world frame."""

    points: Any
    """Positions [m], shape (n, 3)."""
    color: str = '#ffffff'
    """Color as ``#rrggbb``."""
    size: float = 3.0
    """Diameter of a point or width of a line [px]."""
    joined: bool = False
    """Whether a line joins the points."""
    label: str = ''
    """Text at the last point."""


@dataclass(frozen=True)
class ViewLayer:
    """Overlay of a package in the viewer, for a live run or its recording."""

    title: str
    """Label of the switch of the layer."""
    draw: Callable[[int, Mapping[str, Any]], Sequence[ViewMarks]]
    """Function of the time [ns] and the last message of each topic up to then, without topics that have no message."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """Topics that the layer draws: name relative to the root of the run -> type."""
