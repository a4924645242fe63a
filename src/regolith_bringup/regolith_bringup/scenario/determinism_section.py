# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scenario can keep what its ``world.determinism`` promises."""

from __future__ import annotations

from collections.abc import Iterator

from regolith_bringup.scenario.schema import Scenario
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_vehicles.config import ExternalDriverConfig
from regolith_world.determinism import unpinnable_reason

KEY: KeyPath = ('world', 'determinism')


def check_determinism(scenario: Scenario, source: YamlSource) -> None:
    """Refuse a promise that cannot be kept.

    What plug-ins do cannot be seen here; ``./regolith verify`` finds it.

    Raises:
        InputError: naming the promise, what stands against it, and what is allowed
    """
    level = scenario.world.determinism
    if level is None:
        return
    for reason, instead in _reasons(scenario):
        raise source.error(KEY, f'cannot be promised: {reason}', f'{instead}; or null, which promises nothing', level)
    missing = unpinnable_reason() if level == 'cross_machine' else ''
    if missing:
        raise source.error(KEY, f'cannot be promised: nothing pins {missing}', 'cross_process on this machine', level)


def _reasons(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield what lets runs differ, and what does not."""
    for name, entry in sorted(scenario.vehicles.items()):
        if isinstance(entry.driver, ExternalDriverConfig):
            yield (
                f'vehicles.{name}.driver is external, and its commands take effect when they arrive',
                'a driver of the scenario (replayed commands repeat, too)',
            )
    world = scenario.world
    if world.input_barrier is not None:
        topic = world.input_barrier.topic
        yield f'world.input_barrier waits for {topic} no longer than a wall time', 'no input_barrier'
    if world.on_failure == 'drop':
        yield 'world.on_failure drops who answers late by the clock on the wall', 'stop or wait'
