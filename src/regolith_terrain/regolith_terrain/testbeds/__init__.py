# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual testbeds of terrain and running gear: ``./regolith experiment NAME``.

A testbed is a module with ``Settings``, ``run`` and ``draw``. ``Settings`` is the schema of ``--set``. ``run(settings,
tick)`` calls ``tick(done, total)`` during the run and returns rows for JSON. ``draw(settings, rows, axes)`` plots the
rows. A long testbed is a sweep of resumable runs (:mod:`regolith_terrain.testbeds.resumable_runs`). Ctrl-C stops it,
and a checkpoint continues it.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.testbeds.settings import SeveralNumbers as SeveralNumbers
    from regolith_terrain.testbeds.settings import SweptNumbers as SweptNumbers
    from regolith_terrain.testbeds.settings import Tick as Tick
    from regolith_terrain.testbeds.settings import WheelBenchSettings as WheelBenchSettings
    from regolith_terrain.testbeds.settings import known_name as known_name
    from regolith_terrain.testbeds.settings import number_within as number_within

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'settings': (
            'SeveralNumbers',
            'SweptNumbers',
            'Tick',
            'WheelBenchSettings',
            'known_name',
            'number_within',
        ),
    },
)
