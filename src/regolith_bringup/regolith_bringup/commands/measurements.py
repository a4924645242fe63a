# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands ``bench`` and ``experiment``: run a plug-in and print its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import JsonOption
from regolith_bringup.run.printing import print_json, print_status
from regolith_files import InputError, Problem, allowed_names, entry_points, extension_points
from regolith_world import run_policy


def _names_of(group: str) -> Callable[[str], list[str]]:
    """Return a function that lists entry points of a group with a prefix, for shell completion."""
    return lambda incomplete: [point.name for point in entry_points(group) if point.name.startswith(incomplete)]


HelpOption = Annotated[
    bool, typer.Option('--help', help='Show this message, or after NAME the help of that plug-in, and exit.')
]


def bench(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of a benchmark, or 'all'. Default: list them.",
            autocompletion=_names_of(extension_points.BENCHMARKS),
        ),
    ] = None,
    as_json: JsonOption = False,
    help_requested: HelpOption = False,
) -> None:
    """Run a benchmark and print its results as JSON."""
    from regolith_bringup.commands.plugins import benchmark, benchmarks

    if help_requested:
        from regolith_bringup.commands.plugin_help import benchmark_help

        _help(context, benchmark_help(name) if name not in (None, 'all') else '')
        return
    if name is None:
        _list_names(benchmarks(), as_json)
        return
    chosen = benchmarks() if name == 'all' else {name: benchmark(name)}
    results = {}
    for key, measure in chosen.items():
        print_status(f'bench {key} …')
        try:
            results[key] = measure()
        except RuntimeError as error:
            print_status(str(error))
            raise typer.Exit(run_policy.NODE_FAILED) from None
    print_json(results if name == 'all' else results[name])


def experiment(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help='Name of an experiment. Default: list them.', autocompletion=_names_of(extension_points.EXPERIMENTS)
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option('--set', metavar='KEY=VALUE', help='Set one key of the experiment, e.g. gravity_mps2=1.62.'),
    ] = None,
    as_json: JsonOption = False,
    plot: Annotated[Path | None, typer.Option(metavar='FILE', help='Plot the results: .png, .svg or .pdf.')] = None,
    help_requested: HelpOption = False,
) -> None:
    """Run a virtual experiment and print its results as JSON; experiment NAME --help lists its settings."""
    from regolith_bringup.commands.plugins import experiments, flag_settings, parsed_settings, run_experiment
    from regolith_bringup.run.progress import progress

    if help_requested:
        from regolith_bringup.commands.plugin_help import ABOUT_SETTINGS, experiment_help

        context.command.help = f'{context.command.help}\n\nInstalled: {", ".join(experiments())}.\n\n{ABOUT_SETTINGS}'
        _help(context, experiment_help(name) if name is not None else '')
        return
    known = experiments()
    if name is None:
        _list_names(known, as_json)
        return
    if name not in known:
        raise InputError(Problem('experiment', '', 'no such experiment', allowed_names(known, name), name))
    values = {**parsed_settings(settings or ()), **flag_settings(context.args)}
    with progress(name) as show:
        show(0, 0)
        outcome = run_experiment(name, values, show, plot)
    result = outcome.result
    if not as_json:
        print_status(f'{name}:')
    print_json(result)
    try:
        outcome.draw()
    except OSError as error:
        problems = [f'--plot: {plot}: cannot be written: {error.strerror or error}']
    else:
        problems = []
    rows = [row for row in (result if isinstance(result, list) else [result]) if isinstance(row, dict)]
    problems += [f'experiment {name}: {row["problem"]}' for row in rows if 'problem' in row][:1]
    for problem in problems:
        print_status(problem)
    for row in rows:
        if 'checkpoint' in row:
            print_status(f'interrupted; to continue: ./regolith experiment {name} --resume {row["checkpoint"]}')
            raise typer.Exit(run_policy.INTERRUPTED)
    if problems:
        raise typer.Exit(run_policy.NODE_FAILED)


def _help(context: typer.Context, of_one: str) -> None:
    """Print the help of a plug-in, or of the command."""
    print(of_one or context.get_help())


def _list_names(names: Iterable[str], as_json: bool) -> None:
    if as_json:
        print_json(list(names))
    else:
        print('\n'.join(names))
