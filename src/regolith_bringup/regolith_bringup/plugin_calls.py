# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the plug-ins of :mod:`regolith_files.extension_points`.

A failing plug-in is skipped with a warning that contains its name.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import typer

from regolith_files import (
    Citations,
    ReportSection,
    Run,
    ViewLayer,
    entry_points,
    extension_points,
    load_plugin,
    load_plugins,
)

_log = logging.getLogger('regolith')


def _ask(group: str, kind: type[Any], *arguments: Any) -> dict[str, Any]:
    """Return the results of the plug-ins of a group, by name in name order, without results of None.

    Args:
        group: Entry point group.
        kind: Type of the results. Others are skipped with a warning.
        arguments: Arguments of the plug-ins.
    """
    results = {}
    for name, target in load_plugins(group).items():
        try:
            result = target(*arguments)
        except Exception as error:  # errors of plug-ins are not ours
            _log.warning('%s %s failed: %s: %s', group, name, type(error).__name__, error, exc_info=True)
            continue
        if isinstance(result, kind):
            results[name] = result
        elif result is not None:
            _log.warning('%s %s returned a %s; allowed: %s, or None', group, name, type(result).__name__, kind.__name__)
    return results


def summary_values(run: Run) -> dict[str, Any]:
    """Return the values of packages for ``summary.json``, by key. Values that are not JSON are left out."""
    figures = {}
    for key, value in _ask(extension_points.SUMMARY, object, run).items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            _log.warning('%s %s returned a value that is not JSON: %s', extension_points.SUMMARY, key, error)
        else:
            figures[key] = value
    return figures


def report_sections(run: Run) -> list[ReportSection]:
    """Return the report sections of packages in order."""
    found = _ask(extension_points.REPORT_SECTIONS, ReportSection, run)
    return [found[name] for name in sorted(found, key=lambda name: (found[name].order, name))]


def citations(scenario: Any) -> dict[str, str]:
    """Return the BibTeX entries of the papers behind the models of a scenario, by key in key order."""
    found: dict[str, str] = {}
    for papers in _ask(extension_points.CITATIONS, Citations, scenario).values():
        entries = papers.entries()
        found |= {key: entries[key] for key in papers.keys if key in entries}
    return dict(sorted(found.items()))


def view_layers(scenario: Any) -> dict[str, ViewLayer]:
    """Return the view layers of packages, by name."""
    return _ask(extension_points.VIEW_LAYERS, ViewLayer, scenario)


def command_names() -> list[str]:
    """Return the names of the commands of packages."""
    return [point.name for point in entry_points(extension_points.COMMANDS)]


def command(name: str) -> Any:
    """Return a command of a package, a function or a ``typer.Typer``.

    Args:
        name: Name of the command.

    Raises:
        regolith_files.plugins.PluginError: If it cannot be loaded.
        KeyError: If it does not exist.
    """
    points = {point.name: point for point in entry_points(extension_points.COMMANDS)}
    return load_plugin(points[name], as_command)


def as_command(target: Any) -> Any:
    """Return the target of an entry point if it can be a command.

    Args:
        target: Loaded object.

    Raises:
        TypeError: If it cannot be a command.
    """
    if not (callable(target) or isinstance(target, typer.Typer)):
        raise TypeError(f'its target is a {type(target).__name__}; allowed: a function or a typer.Typer')
    return target
