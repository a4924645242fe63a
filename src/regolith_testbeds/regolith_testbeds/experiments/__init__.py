# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual experiments: ``./regolith experiment NAME``.

An experiment is a module with ``Settings``, ``run`` and ``draw``. ``Settings`` is the schema of ``--set``.
``run(settings, tick)`` calls ``tick(done, total)`` during the run and returns rows for JSON. ``draw(settings, rows,
axes)`` plots the rows. A long experiment is a sweep of resumable runs (:mod:`regolith_testbeds.resumable_runs`). Ctrl-C
stops it, and a checkpoint continues it.
"""
