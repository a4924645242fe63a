# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the citations of motion, contact and random numbers."""

from __future__ import annotations

from types import SimpleNamespace

from regolith_world.reporting.citations import citations


def test_every_run_has_all_citations() -> None:
    """Citations of joints are present if a scenario has joints."""
    every = citations(SimpleNamespace(objects={'cable': {'type': 'rope'}, 'tow': {'type': 'cable'}}))
    assert set(every.keys) == set(every.entries()) and len(set(every.keys)) == len(every.keys)
    plain = citations(SimpleNamespace(objects={'ball': {'type': 'rigid_body'}}))
    linked = citations(SimpleNamespace(objects={'cable': {'type': 'rope'}}))
    assert set(linked.keys) - set(plain.keys) == {'andersen1983', 'george1981', 'khatib1987'}
    coupled = citations(SimpleNamespace(objects={'clamp': {'type': 'joint'}}))
    assert set(coupled.keys) - set(plain.keys) == {'catto2011', 'featherstone2008', 'khatib1987', 'murty1974'}
