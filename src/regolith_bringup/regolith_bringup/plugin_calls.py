# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the plug-ins of :mod:`regolith_files.extension_points`.

A failing plug-in is skipped with a warning that names it.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import typer

from regolith_files.extension_points import (
    CITATIONS,
    COMMANDS,
    REPORT_SECTIONS,
    SUMMARY,
    VIEW_LAYERS,
    Citations,
    ReportSection,
    Run,
    ViewLayer,
)
from regolith_files.plugins import entry_points, load_plugin, load_plugins

_log = logging.getLogger('regolith')


def _ask(group: str, kind: type[Any], *arguments: Any) -> dict[str, Any]:
    """Return the results of a group's plug-ins, by name in name order, without those that gave None.

    Args:
        kind: of which the results are; others are skipped with a warning
    """
    answers = {}
    for name, target in load_plugins(group).items():
        try:
            answer = target(*arguments)
        except Exception as error:  # it is not our code that runs here
            _log.warning('%s %s failed: %s: %s', group, name, type(error).__name__, error, exc_info=True)
            continue
        if isinstance(answer, kind):
            answers[name] = answer
        elif answer is not None:
            _log.warning('%s %s gave a %s; allowed: %s, or None', group, name, type(answer).__name__, kind.__name__)
    return answers


def summary_values(run: Run) -> dict[str, Any]:
    """Return the packages' figures for ``summary.json``, by key; values that are not JSON are left out."""
    figures = {}
    for key, value in _ask(SUMMARY, object, run).items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            _log.warning('%s %s gave what JSON cannot say: %s', SUMMARY, key, error)
        else:
            figures[key] = value
    return figures


def report_sections(run: Run) -> list[ReportSection]:
    """Return the packages' sections of the report, in their order."""
    found = _ask(REPORT_SECTIONS, ReportSection, run)
    return [found[name] for name in sorted(found, key=lambda name: (found[name].order, name))]


def citations(scenario: Any) -> dict[str, str]:
    """Return the BibTeX entries of the papers behind a scenario's models, by key in key order."""
    found: dict[str, str] = {}
    for papers in _ask(CITATIONS, Citations, scenario).values():
        entries = papers.entries()
        found |= {key: entries[key] for key in papers.keys if key in entries}
    return dict(sorted(found.items()))


def view_layers(scenario: Any) -> dict[str, ViewLayer]:
    """Return the packages' layers of the view of a run, by name."""
    return _ask(VIEW_LAYERS, ViewLayer, scenario)


def command_names() -> list[str]:
    """Return the names of the packages' commands."""
    return [point.name for point in entry_points(COMMANDS)]


def command(name: str) -> Any:
    """Return a package's command, a function or a ``typer.Typer``.

    Raises:
        regolith_files.plugins.PluginError: if it cannot be loaded
        KeyError: if there is none of this name
    """
    points = {point.name: point for point in entry_points(COMMANDS)}
    return load_plugin(points[name], as_command)


def as_command(target: Any) -> Any:
    """Return the target of an entry point if it can be a command.

    Raises:
        TypeError: if not
    """
    if not (callable(target) or isinstance(target, typer.Typer)):
        raise TypeError(f'it leads to a {type(target).__name__}; allowed: a function or a typer.Typer')
    return target
