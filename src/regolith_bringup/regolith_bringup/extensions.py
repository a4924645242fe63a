# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks and experiments by name: those of our packages, and those of others by entry points.

An entry point of group ``regolith.benchmarks`` is a callable without arguments, one of ``regolith.experiments`` a
callable whose keyword arguments are its settings; both return something JSON can say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module, metadata
from typing import Any

from regolith_bringup.problems import Problem, ScenarioError
from regolith_bringup.yaml_source import parse_value

_BENCHMARKS = {
    'heartbeat': 'regolith_bringup.bench.heartbeat:heartbeat',
    'scm': 'regolith_bringup.bench.driving:scm',
    'two_rovers': 'regolith_bringup.bench.driving:two_rovers',
}


def benchmarks() -> dict[str, Callable[[], Any]]:
    """Return all benchmarks by name, in name order."""
    found: dict[str, Callable[[], Any]] = _entry_points('regolith.benchmarks')
    found.update({name: _late(target) for name, target in _BENCHMARKS.items()})
    return dict(sorted(found.items()))


def experiments() -> dict[str, Callable[..., Any]]:
    """Return all experiments by name, in name order."""
    return dict(sorted(_entry_points('regolith.experiments').items()))


def parsed_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return ``key=value`` settings as keyword arguments, values read as YAML.

    :raises ScenarioError: if one has another form
    """
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition('=')
        if not equals or not key.isidentifier():
            raise ScenarioError(Problem(f'--set {setting}', '', 'is not a setting', 'name=value'))
        values[key] = parse_value(text)
    return values


def _entry_points(group: str) -> dict[str, Callable[..., Any]]:
    return {point.name: point.load() for point in metadata.entry_points(group=group)}


def _late(target: str) -> Callable[[], Any]:
    """Return a function that imports its module only when called."""

    def call() -> Any:
        module, name = target.split(':')
        return getattr(import_module(module), name)()

    return call
