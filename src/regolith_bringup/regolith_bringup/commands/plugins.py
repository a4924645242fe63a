# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks and experiments by name, loaded as plug-ins (:mod:`regolith_files.extension_points`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast, get_args

from regolith_bringup.bench.isolated_domain import environment
from regolith_bringup.commands.plot_files import check_plot_file, write_plot
from regolith_files import (
    SWEEP,
    InputError,
    PluginError,
    Problem,
    YamlSource,
    allowed_names,
    entry_points,
    extension_points,
    load_plugin,
    load_plugins,
    parse_yaml_value,
    validated,
)


def benchmarks() -> dict[str, Callable[[], Any]]:
    """Return all loadable benchmarks by name, sorted by name."""
    return {name: _in_own_domain(measure) for name, measure in load_plugins(extension_points.BENCHMARKS).items()}


def benchmark(name: str) -> Callable[[], Any]:
    """Return a benchmark.

    Args:
        name: Name of the benchmark.

    Raises:
        InputError: If the benchmark does not exist or cannot be loaded.
    """
    measure = _plugin(extension_points.BENCHMARKS, name, 'bench', 'no such benchmark', ('all',))
    return _in_own_domain(cast(Callable[[], Any], measure))


def _in_own_domain(measure: Callable[[], Any]) -> Callable[[], Any]:
    """Return a benchmark whose nodes run in a separate ROS domain."""

    @wraps(measure)
    def call() -> Any:
        os.environ.update(environment())
        return measure()

    return call


def experiments() -> tuple[str, ...]:
    """Return the names of all experiments, sorted."""
    return tuple(point.name for point in entry_points(extension_points.EXPERIMENTS))


class ExperimentResult(NamedTuple):
    """Result of an experiment."""

    result: Any
    """Result as a JSON value."""
    draw: Callable[[], None]
    """Function that writes the requested plot, if any. It is separate so that a failed plot does not lose the
    result."""


def experiment(name: str) -> Any:
    """Return an experiment, which is a module or a function.

    Args:
        name: Name of the experiment.

    Raises:
        InputError: If the experiment does not exist or cannot be loaded.
    """
    return _plugin(extension_points.EXPERIMENTS, name, 'experiment', 'no such experiment')


def run_experiment(
    name: str, values: dict[str, Any], tick: Callable[[int, int], None], plot: Path | None = None
) -> ExperimentResult:
    """Run an experiment.

    Args:
        name: Name of the experiment, see :func:`experiments`.
        values: Settings by name.
        tick: Progress callback (done, total).
        plot: PNG, SVG or PDF file for a plot, None for no plot.

    Returns:
        Result, and the function that writes the plot.

    Raises:
        InputError: If a setting or the file is not valid, or the experiment has no plot. Nothing has run then.
    """
    module = experiment(name)
    if not isinstance(module, ModuleType):
        if plot is not None:
            raise InputError(Problem('--plot', '', f'experiment {name} has no plot', 'no --plot', str(plot)))
        try:
            signature(module).bind(**values)
        except TypeError as error:
            known = ', '.join(signature(module).parameters) or 'no settings'
            raise InputError(Problem(f'experiment {name}', '', str(error), known)) from None
        return ExperimentResult(module(**values), lambda: None)
    settings = _checked(module.Settings, values)
    if plot is not None:
        check_plot_file(plot)
    try:
        rows = module.run(settings, tick)
    except ValueError as error:  # a combination of settings that is not valid, e.g. a load too large for the wheel
        problem, _, allowed = str(error).partition('; allowed: ')
        raise InputError(Problem(f'experiment {name}', '', problem, allowed or 'other settings')) from None
    alone = isinstance(rows, list) and len(rows) == 1 and not _is_sweep(settings)
    return ExperimentResult(
        rows[0] if alone else rows, lambda: None if plot is None else write_plot(module, settings, rows, plot)
    )


def _is_sweep(settings: Any) -> bool:
    """Return whether several rows were requested. A sweep may stop within its first row."""
    for name, field in type(settings).model_fields.items():
        marks = [*field.metadata, *(m for option in get_args(field.annotation) for m in _marks(option))]
        value = getattr(settings, name)
        if SWEEP in marks and isinstance(value, tuple) and len(value) > 1:
            return True
    return False


def _marks(option: Any) -> tuple[Any, ...]:
    """Return the annotations of an annotated member of a union."""
    return getattr(option, '__metadata__', ())


def _checked(model: Any, values: dict[str, Any]) -> Any:
    try:
        return validated(model, values, YamlSource.of(values, '--set'))
    except InputError as error:  # the message about several settings contains their names
        raise InputError(
            replace(problem, value=problem.value if problem.key else '') for problem in error.problems
        ) from None


def parsed_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return ``key=value`` settings as keyword arguments, with values read as YAML.

    Args:
        settings: Texts of the form ``key=value``.

    Raises:
        InputError: If a text has another form.
    """
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition('=')
        if not equals or not key.isidentifier():
            raise InputError(Problem(f'--set {setting}', '', 'is not a setting', 'name=value'))
        values[key] = _value(text, '--set', key)
    return values


def flag_settings(arguments: Sequence[str]) -> dict[str, Any]:
    """Return ``--key value`` or ``--key=value`` flags as keyword arguments. A repeated key gives a list of its values.

    Args:
        arguments: Command line arguments.

    Raises:
        InputError: If an argument has another form.
    """
    given: dict[str, list[Any]] = {}
    rest = list(arguments)
    while rest:
        flag, equals, text = rest.pop(0).partition('=')
        key = flag.removeprefix('--').replace('-', '_')
        if not flag.startswith('--') or not key.isidentifier():
            raise InputError(Problem(f'experiment {flag}', '', 'is not a setting', '--name value'))
        if not equals:
            if not rest:
                raise InputError(Problem(f'experiment {flag}', '', 'has no value', '--name value'))
            text = rest.pop(0)
        given.setdefault(key, []).append(_value(text, f'experiment {flag}', key))
    return {key: values[0] if len(values) == 1 else values for key, values in given.items()}


def _value(text: str, option: str, key: str) -> Any:
    """Return the value of a setting. An empty value is refused, because YAML would read it as null."""
    if not text.strip():
        raise InputError(Problem(option, key, 'is empty', 'a value; null for none'))
    return parse_yaml_value(text, option, key)


def _plugin(group: str, name: str, where: str, unknown: str, more: tuple[str, ...] = ()) -> Any:
    """Return the target of an entry point.

    Args:
        group: Entry point group.
        name: Name of the entry point.
        where: Name of the command, for error messages.
        unknown: Message for an unknown name.
        more: Additional allowed names.

    Raises:
        InputError: If the name is unknown, or its target cannot be loaded.
    """
    points = {point.name: point for point in entry_points(group)}
    if name not in points:
        raise InputError(Problem(where, '', unknown, allowed_names([*more, *points], name), name))
    try:
        return load_plugin(points[name])
    except PluginError as error:
        others = allowed_names(other for other in points if other != name)
        raise InputError(Problem(f'{where} {name}', '', str(error), others)) from None
