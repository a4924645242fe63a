# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual test benches: ``./regolith experiment NAME``.

An experiment is a module with ``Settings``, a schema of what ``--set`` may say; ``run(settings, tick)``, which calls
``tick(done, total)`` as it goes and returns rows for JSON; and ``draw(settings, rows, axes)``. One that takes long is
a sweep of runs (:mod:`regolith_terrain.testbeds.resumable_runs`), which Ctrl-C stops and a checkpoint takes up again.
"""
