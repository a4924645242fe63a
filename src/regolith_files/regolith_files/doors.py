# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Doors to what a person touches: how a package adds commands, figures, parts of a report without being named there.

Each is a group of entry points (``setup.py`` of the package; ours use them like anybody's). What is broken is skipped
with a warning that names its package, see :mod:`regolith_files.plugins`; what an entry point leads to is imported only
when it is asked for, so plotting libraries belong at the top of the modules that draw, and nowhere else.

=============================  =======================================================================================
group                          an entry point ``name = module:target`` leads to
=============================  =======================================================================================
``regolith.commands``          a function or a ``typer.Typer``: ``./regolith name``. With a parameter of type
                               ``typer.Context`` it finds :class:`Tools` in ``context.obj``. Bad input is a
                               ``InputError``; the first line of the docstring is the help.
``regolith.report_sections``   ``section(run: Run) -> ReportSection | None``: a part of ``report.html``; None: there is
                               nothing to say about this run.
``regolith.summary``           ``figures(run: Run) -> value``: what stands under ``name`` in ``summary.json``. It must
                               not ask for ``run.summary``, which is being made.
``regolith.citations``         ``papers(scenario) -> Citations``: the papers behind the models that a scenario uses.
``regolith.view_layers``       ``layer(scenario) -> ViewLayer | None``: what the view of a run draws besides ground and
                               vehicles; None: nothing in this scenario.
``regolith.benchmarks``        ``measure() -> value``: ``./regolith bench name``.
``regolith.experiments``       ``run(**settings) -> value``, or a module with ``Settings`` (a schema), ``run(settings,
                               tick) -> rows`` and ``draw(settings, rows, axes)``: ``./regolith experiment name``.
=============================  =======================================================================================

Values are what JSON can say. Scenarios are handed on as they are: a package reads its own sections by attribute.
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


class NoRecordingError(RuntimeError):
    """A run without a recording that could be read."""


# -- what packages are given ----------------------------------------------------------------------------------------


class Topic(Protocol):
    """What a bag holds of one topic."""

    @property
    def name(self) -> str:
        """Return its name from the root of the run."""

    @property
    def type_name(self) -> str:
        """Return e.g. ``sensor_msgs/msg/Image``."""

    @property
    def messages(self) -> int:
        """Return how many."""


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
        """Return what it holds, by topic."""

    def messages(self, *topics: str) -> Iterator[Message]:
        """Yield the messages of some topics (of all, if none is named) in the order they arrived."""

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

        :raises NoRecordingError: if there is none
        """

    @property
    def recorded(self) -> Mapping[str, Topic]:
        """Return the topics of the recording; none where there is no recording."""

    @property
    def simulated_s(self) -> float:
        """Return the simulated time that was committed [s]."""

    @property
    def reports(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what each participant reported at its end, by name."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """Return ``summary.json``."""


class Tools(Protocol):
    """What commands find in ``context.obj``."""

    def run(self, folder: Path) -> Run:
        """Return a run folder, opened; what it lacks is missed when it is first asked for."""

    def scenario(self, path_or_name: str, settings: Iterable[str] = (), seed: int | None = None) -> Any:
        """Return a scenario, checked and resolved.

        :raises InputError: if anything is wrong with it
        """

    def site(self, scenario: Any) -> Any:
        """Return the :class:`regolith_world.site.Site` of a scenario: its ground, where vehicles are known to pass."""

    def progress(self, what: str) -> AbstractContextManager[Callable[[int, int], None]]:
        """Return a bar on stderr, to be told how many of how many parts are done."""

    def give(self, value: Any) -> None:
        """Print one JSON value on stdout; infinite numbers and NaN stand as text."""


# -- what they give -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Caption:
    """A paragraph; what stands between `backquotes` is shown as code."""

    text: str


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Picture:
    """A figure, drawn by the time it is handed over."""

    figure: Any
    """``matplotlib.figure.Figure``."""
    about: str
    """What it shows, for those who cannot see it."""


@dataclass(frozen=True)
class Table:
    """Rows of text under their headings."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportSection:
    """A part of a report. Texts are plain: whoever shows them sees to marks that mean something there."""

    title: str
    parts: Sequence[Caption | Heading | Picture | Table] = ()
    order: int = 50
    """Sections stand in ascending order; those alike by name."""


@dataclass(frozen=True)
class Citations:
    """Papers behind a package's models."""

    bibliography: Path
    """BibTeX, each entry ending in a line with a brace alone."""
    keys: Collection[str]
    """Of the entries that a scenario's models come from."""

    def entries(self) -> dict[str, str]:
        """Return all entries of the bibliography, by key."""
        text = self.bibliography.read_text(encoding='utf-8')
        return {key: entry for entry, key in re.findall(r'(@\w+\{([^,]+),.*?\n\})', text, re.DOTALL)}


@dataclass(frozen=True)
class Marks:
    """Points, or a line through them, in the world frame."""

    points: Any
    """[m], shape (n, 3)."""
    color: str = '#ffffff'
    """``#rrggbb``."""
    size: float = 3.0
    """Diameter of a point, width of a line [px]."""
    joined: bool = False
    """Whether a line goes through them."""
    label: str = ''
    """Text at the last of them."""


@dataclass(frozen=True)
class ViewLayer:
    """What a package draws into the view of a run, live or from its bag."""

    title: str
    """Of the switch that shows and hides it."""
    draw: Callable[[int, Mapping[str, Any]], Sequence[Marks]]
    """Called with a time [ns] and the last message of each topic up to then; topics without one are left out."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """That it draws from: name from the root of the run -> type."""
