# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Command line ``./regolith COMMAND``.

Exit codes: 0 success (also after Ctrl-C in a run, which is complete up to there); 2 invalid input; 3 a node or a case
of an experiment failed, or its plot could not be written; 130 Ctrl-C before the first step or within an experiment.
With ``--json``, stdout contains one JSON value and nothing else. Human-readable messages go to stderr. Each command
imports only what it uses.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from regolith_bringup.commands.command_context import CliCommandContext
from regolith_bringup.commands.measurements import bench, experiment
from regolith_bringup.commands.options import JsonOption
from regolith_bringup.commands.ros2_commands import APPS as ROS_APPS
from regolith_bringup.commands.terrain import terrain_app
from regolith_bringup.commands.usage import usage_message
from regolith_bringup.plugin_calls import as_command, command, command_names
from regolith_bringup.run.printing import print_json, print_status
from regolith_files import (
    InputError,
    NoRecordingError,
    PluginError,
    Problem,
    counted_noun,
    extension_points,
    flush_output,
    load_plugins,
)
from regolith_world import check_middleware, run_policy
from regolith_world.numerics import kernel_cache

UsageError: Any = typer.BadParameter.__base__
"""Usage error of the command-line library, which has no public name for it."""


class _Commands(TyperGroup):
    """Commands of this module, followed by those of packages, which are imported on use."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in load_plugins(extension_points.COMMANDS, as_command) if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in command_names():
            return own
        try:
            return _added(cmd_name, command(cmd_name))
        except PluginError as error:
            raise InputError(Problem(cmd_name, '', str(error), 'the commands listed by regolith --help')) from None


def _added(name: str, target: Any) -> Any:
    """Return a command of a package as a command of the command-line library."""
    if isinstance(target, typer.Typer):
        target.rich_markup_mode = None
        made: Any = get_group(target)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name)(target)
        made = get_command(alone)
    made.name = name
    return made


app = typer.Typer(
    name='regolith',
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # It would take [m/s] in a help text for markup.
    context_settings={'max_content_width': 120},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f'regolith {importlib.metadata.version("regolith_bringup")}')
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option('--version', callback=_show_version, is_eager=True, help='Print the version and exit.')
    ] = False,
) -> None:
    """Lunar and off-road rovers on deformable terrain with persistent ruts and compaction."""


app.add_typer(terrain_app, name='terrain')
for _ros_app in ROS_APPS:
    app.add_typer(_ros_app)


def _scenario_names(incomplete: str) -> list[str]:
    """Return the scenario names with a prefix, for shell completion."""
    from regolith_bringup.scenario.library import find_scenarios

    return [name for name in find_scenarios() if name.startswith(incomplete)]


ScenarioArgument = Annotated[
    str,
    typer.Argument(help='Path of a scenario file, or name of a shipped scenario.', autocompletion=_scenario_names),
]


RunArgument = Annotated[Path, typer.Argument(metavar='RUN', help='Run folder.')]
SetOption = Annotated[
    list[str] | None,
    typer.Option('--set', metavar='KEY=VALUE', help='Set one key of the scenario, e.g. terrain.spacing_m=0.05.'),
]
SeedOption = Annotated[int | None, typer.Option('--seed', metavar='N', help='Seed of all random numbers.')]


@app.command()
def run(
    scenario: ScenarioArgument,
    duration: Annotated[float | None, typer.Option(metavar='S', help='Stop at this simulated time [s].')] = None,
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='New run folder. Default: runs/NAME_NNN.')] = None,
    rtf: Annotated[
        str | None,
        typer.Option('--rtf', '--real-time-factor', metavar='X|max', help='Upper limit of the real-time factor.'),
    ] = None,
    processes: Annotated[
        str,
        typer.Option(metavar='one|many|auto|N', help='Use one process, one per vehicle (many), or N for all vehicles.'),
    ] = 'many',
    seed: SeedOption = None,
    settings: SetOption = None,
    no_record: Annotated[bool, typer.Option('--no-record', help='Write no bag and no report.')] = False,
    no_report: Annotated[
        bool, typer.Option('--no-report', help='Write no report; `report RUN` writes one later.')
    ] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar='DIR', help='Continue from this checkpoint folder.')
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(metavar='N|auto', help='ROS domain of the run; auto: a free one. Default: ROS_DOMAIN_ID.'),
    ] = None,
    namespace: Annotated[
        str, typer.Option(metavar='NAME', help='Namespace of all names of the run, /clock and /tf included.')
    ] = '',
    network: Annotated[bool, typer.Option('--network', help='Allow nodes on other machines.')] = False,
    remote: Annotated[
        str,
        typer.Option(metavar='NAMES', help='Participants that `join` starts on other machines, separated by commas.'),
    ] = '',
    dry_run: Annotated[bool, typer.Option('--dry-run', help='List the nodes of the run; start nothing.')] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a scenario; print the run folder last."""
    from regolith_bringup.run.environment_pinning import restart_pinned
    from regolith_bringup.run.node_plan import parse_remote_nodes
    from regolith_bringup.run.process_allocation import parse_processes
    from regolith_bringup.run.ros_graph import ReservedDomain, parse_domain, parse_namespace
    from regolith_bringup.run.run_folder import check_checkpoint, check_run_folder
    from regolith_bringup.scenario.loading import load_scenario

    spread = parse_processes(processes)
    resolved = load_scenario(
        scenario,
        settings or (),
        seed=seed,
        duration_s=duration,
        real_time_factor=rtf,
        record=False if no_record else None,
    )
    restart_pinned(resolved.scenario)
    for line in resolved.notices:
        print_status(line)
    if out is not None:
        check_run_folder(out)
    if checkpoint is not None:
        check_checkpoint(checkpoint, resolved.scenario)
    base_namespace = parse_namespace(namespace)
    remote_nodes = parse_remote_nodes(remote, resolved.scenario, spread)
    if dry_run:
        if domain not in (None, 'auto'):
            parse_domain(domain)
        from regolith_bringup.commands.dry_run import list_nodes

        list_nodes(
            resolved.scenario, spread, out, checkpoint, base_namespace, remote_nodes, print_json if as_json else None
        )
        return
    held = parse_domain(domain) if domain is not None else None
    if held is not None:
        os.environ['ROS_DOMAIN_ID'] = str(held.number if isinstance(held, ReservedDomain) else held)
    if isinstance(held, ReservedDomain):
        print_status(f'ROS_DOMAIN_ID={held.number}')
    from regolith_bringup.run.supervisor import run_scenario

    code = run_scenario(
        resolved,
        processes=spread,
        out=out,
        as_json=as_json,
        report=not no_report,
        restore_from=checkpoint,
        namespace=base_namespace,
        network=network,
        remote_nodes=remote_nodes,
    )
    raise typer.Exit(code)


@app.command()
def check(scenario: ScenarioArgument, settings: SetOption = None, seed: SeedOption = None) -> None:
    """Check a scenario and all files that it names; start nothing, write nothing."""
    from regolith_bringup.scenario.loading import load_scenario
    from regolith_bringup.scenario.participant_sections import sections
    from regolith_bringup.scenario.particle_section import particle_costs
    from regolith_sensors import describe_sensor_costs, sensor_costs
    from regolith_sensors.config import scenario_sensors

    resolved = load_scenario(scenario, settings or (), seed=seed)
    for line in resolved.notices:
        print_status(line)
    s = resolved.scenario
    vehicles = ', '.join(f'{name} ({entry.model})' for name, entry in sorted(s.vehicles.items())) or 'no vehicles'
    parts = [f'{s.duration_s:g} s', vehicles, f'soil {s.terrain.soil_name}', f'ground {s.terrain.source}']
    for count, what in ((len(s.terrain.regions), 'region'), (len(s.objects), 'object')):
        if count:
            parts.append(f'{count} {what}{"s" if count > 1 else ""}')
    parts += [str(cost) for cost in particle_costs(s)]
    print(f'{resolved.file}: ok; {", ".join([*parts, *sections(s)])}')
    costs = sensor_costs(scenario_sensors(s))
    if costs:
        print(describe_sensor_costs(costs))


@app.command()
def verify(
    scenario: ScenarioArgument,
    duration: Annotated[float | None, typer.Option(metavar='S', help='Stop at this simulated time [s].')] = None,
    settings: SetOption = None,
    seed: SeedOption = None,
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='New folder in which the runs are kept.')] = None,
    cpu_variants: Annotated[
        bool, typer.Option('--cpu-variants', help='Also run with the instruction sets of other processors.')
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a scenario twice in many processes and once in one; report whether all states are bit-identical.

    If they are not, the first cycle, object and field that differ are printed, and the exit code is 3. With
    world.determinism cross_machine or --cpu-variants it also runs with the instruction sets of other processors.
    """
    from regolith_bringup.commands.verify import RunFailed
    from regolith_bringup.commands.verify import verify as repeat
    from regolith_bringup.run.run_folder import check_run_folder
    from regolith_bringup.scenario.loading import load_scenario

    resolved = load_scenario(scenario, settings or (), seed=seed, duration_s=duration)
    if out is not None:
        check_run_folder(out)
    options = [argument for setting in settings or () for argument in ('--set', setting)]
    for name, value in (('--duration', duration), ('--seed', seed)):
        options += [] if value is None else [name, str(value)]
    try:
        found = repeat(scenario, options, print_status, out, resolved.scenario.world.determinism, cpu_variants)
    except RunFailed as error:
        print_status(str(error))
        raise typer.Exit(run_policy.NODE_FAILED) from None
    if as_json:
        print_json(found)
    elif found['repeats']:
        print(f'{scenario}: is deterministic: all state hashes are equal')
    if not found['repeats']:
        promise = found['promises'] or 'null, which is checked as cross_process is'
        print_status(f'{scenario}: violates world.determinism: {promise}')
        raise typer.Exit(run_policy.NODE_FAILED)


@app.command()
def scenarios(as_json: JsonOption = False) -> None:
    """List the shipped scenarios, with their descriptions."""
    from regolith_bringup.scenario.library import find_scenarios
    from regolith_files import YamlSource

    def described(path: Path) -> str:
        try:
            return str(YamlSource(path, what='a scenario').data.get('description', ''))
        except InputError as error:
            return f'(invalid: {error})'

    found = {name: {'file': str(path), 'description': described(path)} for name, path in find_scenarios().items()}
    if as_json:
        print_json(found)
    else:
        for name, about in found.items():
            print(f'{name:<24} {about["description"]}')


@app.command()
def report(run_dir: RunArgument) -> None:
    """Write report.html into a run folder, and summary.json if it is missing; print the path of the report."""
    from regolith_bringup.commands.recordings import open_recording
    from regolith_bringup.report.page import write_report
    from regolith_bringup.report.summary import write_summary

    open_recording('report', run_dir)
    with _RunFolderErrors(run_dir):
        if not (run_dir / 'summary.json').exists():
            write_summary(run_dir)
        print(write_report(run_dir))


@app.command()
def cite(
    what: Annotated[str, typer.Argument(metavar='RUN|SCENARIO', help='Run folder, or path or name of a scenario.')],
) -> None:
    """Print BibTeX entries of the models that a run uses."""
    from regolith_bringup.plugin_calls import citations
    from regolith_bringup.run.run_folder import check_finished_run
    from regolith_bringup.scenario.loading import load_scenario

    if os.path.isdir(what):
        check_finished_run('cite', Path(what))
        what = str(Path(what) / 'scenario.yaml')
    scenario = load_scenario(what).scenario
    print('\n\n'.join(citations(scenario).values()))


@app.command()
def recover(run_dir: RunArgument) -> None:
    """Repair the bag of a run from its readable part, after a killed recorder or a damaged disk."""
    from regolith_bringup.bag.recover import recover as rebuild
    from regolith_bringup.run.progress import progress
    from regolith_files import refuse_url

    allowed = 'a run folder, or its bag'
    refuse_url(run_dir, allowed)
    if not os.path.isdir(run_dir):
        problem = 'is not a folder' if os.path.exists(run_dir) else 'no such folder'
        raise InputError(Problem('recover', '', problem, allowed, str(run_dir)))
    with _RunFolderErrors(run_dir), progress('recover') as tick:
        result = rebuild(run_dir, tick)
    state = 'rebuilt' if result.rebuilt else 'complete'
    lost = f'; {counted_noun(result.lost_chunks, "damaged chunk")} lost' if result.lost_chunks else ''
    print(f'{result.path}: {state}; {counted_noun(result.messages, "message")}{lost}')


class _RunFolderErrors:
    """Convert errors about a run folder to messages and exit code 2."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        from regolith_bringup.bag.recover import RecoverError

        if isinstance(error, OSError) and error.strerror:
            where = str(error.filename or self._folder)
            raise InputError(Problem(where, '', error.strerror, 'a readable and writable disk with free space'))
        if isinstance(error, (RecoverError, OSError)):
            print_status(str(error))
            raise typer.Exit(run_policy.BAD_INPUT)


_ANY_ARGUMENTS = {'allow_extra_args': True, 'ignore_unknown_options': True}
app.command(add_help_option=False)(bench)
app.command(context_settings=_ANY_ARGUMENTS, add_help_option=False)(experiment)


@app.command('exec', context_settings=_ANY_ARGUMENTS)
def execute(
    context: typer.Context,
    command: Annotated[str, typer.Argument(metavar='CMD...', help='Program and its arguments.')],
) -> None:
    """Run a command in this environment, e.g. ./regolith exec python3 my_node.py."""
    try:
        os.execvp(command, [command, *context.args])
    except OSError as error:
        problem = f'cannot be run: {error.strerror}'
        raise InputError(Problem('exec', '', problem, 'a program on PATH, or the path of a program', command)) from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its exit code."""
    kernel_cache.configure()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] not in (['doctor'], ['exec']) and '--help' not in words:
            check_middleware(os.environ)
        code = app(
            args=words,
            prog_name='regolith',
            standalone_mode=False,
            obj=CliCommandContext(print_json),
        )
        flush_output()
    except InputError as error:
        print_status(str(error))
        sys.exit(run_policy.BAD_INPUT)
    except NoRecordingError as error:  # a run that ended before its first cycle
        print_status(str(error))
        sys.exit(run_policy.BAD_INPUT)
    except UsageError as error:
        if error.format_message().startswith('Usage:'):  # a command without arguments: its help
            print(error.format_message(), file=sys.stderr)
        else:
            print_status(usage_message(error))
        sys.exit(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(run_policy.INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)
