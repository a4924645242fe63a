# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every run cites the papers behind motion, contact and random numbers."""

from __future__ import annotations

from types import SimpleNamespace

from regolith_world.papers import papers


def test_every_run_cites_all_there_is() -> None:
    found = papers(SimpleNamespace())
    assert set(found.keys) == set(found.entries())
