# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of the determinism level of a scenario (``world.determinism``)."""

from __future__ import annotations

from collections.abc import Iterator

from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.scenario.vehicle_section import follows_commands
from regolith_files import KeyPath, YamlSource
from regolith_vehicles import ExternalDriverConfig, load_vehicle_model
from regolith_world import determinism

KEY: KeyPath = ('world', 'determinism')


def check_determinism(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse a determinism level that the scenario cannot reach.

    The behavior of plug-ins is not checked here. ``./regolith verify`` detects differences caused by plug-ins.

    Args:
        scenario: Checked scenario.
        models: Vehicle models, see :func:`regolith_bringup.scenario.vehicle_section.resolved_models`.
        source: Scenario file, for error messages.

    Raises:
        InputError: If the level cannot be reached. The message states the reason and what is allowed.
    """
    level = scenario.world.determinism
    if level is None:
        return
    for reason, instead in _reasons(scenario, models):
        raise source.error(
            KEY, f'cannot be guaranteed: {reason}', f'{instead}; or null, which guarantees nothing', level
        )
    missing = determinism.unpinnable_reason() if level == 'cross_machine' else ''
    if missing:
        raise source.error(KEY, f'cannot be guaranteed: cannot pin {missing}', 'cross_process on this machine', level)


def _reasons(scenario: Scenario, models: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each cause of differences between runs, and the allowed alternative."""
    for name, entry in sorted(scenario.vehicles.items()):
        if isinstance(entry.driver, ExternalDriverConfig) and follows_commands(load_vehicle_model(models[name])[0]):
            yield (
                f'vehicles.{name}.driver is external, and its commands take effect when they arrive',
                'a driver of the scenario (replayed commands are also repeatable)',
            )
    world = scenario.world
    if world.input_barrier is not None:
        topic = world.input_barrier.topic
        yield f'world.input_barrier waits for {topic} at most for a wall time', 'no input_barrier'
    if world.on_failure == 'drop':
        yield 'world.on_failure drops participants that do not respond within a wall time', 'stop or wait'
