# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith pause``, ``resume``, ``step``, ``rtf``: a world that runs, from another terminal."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption, parse_real_time_factor


def pause(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Let the running world stand between two cycles; /clock goes on telling the time."""
    _set_pause(True, domain, namespace)


def resume(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Let a world that was paused go on."""
    _set_pause(False, domain, namespace)


def _set_pause(standing: bool, domain: str | None, namespace: str) -> None:
    from regolith_bringup.run.running_simulation import RunningSimulation, status_line

    with RunningSimulation(domain, namespace) as world:
        print(status_line(world.pause(standing)))


def step(
    cycles: Annotated[int, typer.Argument(metavar='CYCLES', help='Number of cycles.', min=1, max=10**9)] = 1,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Advance a paused world by whole cycles; a cycle is a heartbeat long unless something touches."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        answer = world.step(cycles)
        print(f'at {answer.t_ns * 1e-9:.3f} s, state hash {answer.state_hash[:16]}')


def rtf(
    value: Annotated[
        str | None, typer.Argument(metavar='X|max', help='Cap on simulated s per wall s; none: say how fast it is.')
    ] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Cap the speed of the running world, or say how fast it is."""
    from regolith_bringup.run.running_simulation import RunningSimulation, status_line

    pace = parse_real_time_factor(value, 'real_time_factor') if value is not None else None
    cap = 0.0 if pace == math.inf else pace  # the world's parameter has no infinity
    with RunningSimulation(domain, namespace) as world:
        if cap is not None:
            world.set_real_time_factor(cap)
            print(f'speed: {"as fast as it goes" if cap == 0.0 else f"at most {cap:g}"}')
        else:
            print(status_line(world.known))
