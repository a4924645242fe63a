# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith pause``, ``resume``, ``step``, ``rtf``: control a running simulation from another terminal."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption, parse_real_time_factor


def pause(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Pause the running simulation after its current step. /clock continues to publish the time."""
    _set_pause(True, domain, namespace)


def resume(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Resume a paused simulation."""
    _set_pause(False, domain, namespace)


def _set_pause(paused: bool, domain: str | None, namespace: str) -> None:
    from regolith_bringup.run.running_simulation import RunningSimulation, status_line

    with RunningSimulation(domain, namespace) as world:
        print(status_line(world.pause(paused)))


def step(
    steps: Annotated[int, typer.Argument(metavar='STEPS', help='Number of steps.', min=1, max=10**9)] = 1,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Advance a paused simulation by a number of steps of at most world.max_step_s each."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        result = world.step(steps)
        print(f'at {result.t_ns * 1e-9:.3f} s, state hash {result.state_hash[:16]}')


def rtf(
    value: Annotated[
        str | None,
        typer.Argument(metavar='X|max', help='Upper limit, or max for none. Default: print the current factor.'),
    ] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Limit the real-time factor of the running simulation, or print it."""
    from regolith_bringup.run.running_simulation import RunningSimulation, status_line

    given = parse_real_time_factor(value, 'rtf') if value is not None else None
    limit = 0.0 if given == math.inf else given  # the parameter of the world node has no infinity
    with RunningSimulation(domain, namespace) as world:
        if limit is not None:
            world.set_real_time_factor(limit)
            print(f'real-time factor: {"no limit" if limit == 0.0 else f"at most {limit:g}"}')
        else:
            print(status_line(world.known))
