# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith join``: start remote nodes of a run whose world is on another machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption
from regolith_files import InputError, Problem


def join(
    names: Annotated[
        list[str] | None, typer.Argument(metavar='[NAMES]...', help='Participants to start. Default: all remote ones.')
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='New folder. Default: runs/NAME_NNN.')] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
    network: Annotated[
        bool, typer.Option('--network', help='Listen on all network interfaces, not only on this machine.')
    ] = False,
) -> None:
    """Start the remote nodes of a run that another machine starts with --remote.

    Waits for the run, receives its scenario, ends with it, and prints the folder of the logs.
    """
    from regolith_bringup.run.ros_graph import parse_domain, parse_namespace

    base_namespace = parse_namespace(namespace)
    if domain == 'auto':
        raise InputError(Problem('--domain', '', 'is not the domain of a run', 'the number of its domain', domain))
    if domain is not None:
        os.environ['ROS_DOMAIN_ID'] = str(parse_domain(domain))
    from regolith_bringup.run.remote_nodes import join_run

    raise typer.Exit(join_run(names or (), namespace=base_namespace, network=network, out=out))
