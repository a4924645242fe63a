# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import signal
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from regolith_world.ros.gc_settings import freeze_garbage_collector


def pytest_configure() -> None:
    """Take SIGINT again where the shell ignores it, as it does for what it starts in the background.

    Processes inherit that a signal is ignored, so the nodes that tests interrupt would never stop.

    Garbage is collected seldom, as in the nodes: compilation of kernels makes many objects, of which few are garbage.
    """
    freeze_garbage_collector()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW_TIMEOUT_S = 1800
"""Timeout of a slow test that has none of its own [s]. The default is for quick tests."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give slow tests time, and spread the files that start nodes where several processes share the tests.

    A test that starts nodes leaves processors idle while it waits for them. Beside tests that compute, none is idle.
    """
    for item in items:
        if item.get_closest_marker('slow') and not item.get_closest_marker('timeout'):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT_S))
    if not hasattr(config, 'workerinput'):
        return
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    kinds: tuple[list[list[pytest.Item]], ...] = ([], [])
    for tests in files.values():
        kinds[any(test.get_closest_marker('ros') for test in tests)].append(tests)
    spread = [((k + 0.5) / len(kind), tests) for kind in kinds for k, tests in enumerate(kind)]
    items[:] = [test for _, tests in sorted(spread, key=itemgetter(0)) for test in tests]


@pytest.fixture
def small_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw plots small and without fitting their parts together, for tests that look at none: a third of the time."""
    from matplotlib.figure import Figure

    save = Figure.savefig

    def saved(figure: Figure, *arguments: Any, **options: Any) -> None:
        figure.set_layout_engine('none')
        save(figure, *arguments, **{**options, 'dpi': 20})

    monkeypatch.setattr(Figure, 'savefig', saved)
