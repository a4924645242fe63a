# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith pause``, ``resume``, ``step``, ``speed``: a world that runs, from another terminal."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from regolith_bringup.commands.options import DomainOption, NamespaceOption, pace_named


def pause(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Let the running world stand between two cycles; /clock goes on telling the time."""
    _set_pause(True, domain, namespace)


def resume(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Let a world that was paused go on."""
    _set_pause(False, domain, namespace)


def _set_pause(standing: bool, domain: str | None, namespace: str) -> None:
    from regolith_bringup.run.live_world import LiveWorld, in_words

    with LiveWorld(domain, namespace) as world:
        print(in_words(world.pause(standing)))


def step(
    cycles: Annotated[int, typer.Argument(metavar='CYCLES', help='Number of cycles.', min=1, max=10**9)] = 1,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Advance a paused world by whole cycles; a cycle is a heartbeat long unless something touches."""
    from regolith_bringup.run.live_world import LiveWorld

    with LiveWorld(domain, namespace) as world:
        answer = world.step(cycles)
        print(f'at {answer.t_ns * 1e-9:.3f} s, state hash {answer.state_hash[:16]}')


def speed(
    value: Annotated[
        str | None, typer.Argument(metavar='X|max', help='Cap on simulated s per wall s; none: say how fast it is.')
    ] = None,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Cap the speed of the running world, or say how fast it is."""
    from regolith_bringup.run.live_world import LiveWorld, in_words

    pace = pace_named(value, 'speed') if value is not None else None
    cap = 0.0 if pace == math.inf else pace  # the world's parameter has no infinity
    with LiveWorld(domain, namespace) as world:
        if cap is not None:
            world.set_speed(cap)
            print(f'speed: {"as fast as it goes" if cap == 0.0 else f"at most {cap:g}"}')
        else:
            print(in_words(world.known))
