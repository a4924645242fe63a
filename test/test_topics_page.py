# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page of topics and services."""

from __future__ import annotations

import sys

import pytest
import yaml
from harness import ROOT

sys.path.insert(0, str(ROOT / 'tools'))
import make_topics_page as tool


def _page_rows() -> list[tool.Endpoint]:
    return sorted(tool.rows_of(tool.PAGE.read_text(encoding='utf-8')))


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(540)
def test_topics_page_lists_what_nodes_create() -> None:
    """The page has exactly the topics, services and actions of the nodes of a run, with types and QoS."""
    assert _page_rows() == tool.current()


def test_topics_page_rows_survive_writing_and_reading() -> None:
    texts = yaml.safe_load(tool.TEXTS.read_text(encoding='utf-8'))
    rows = _page_rows()
    assert sorted(tool.rows_of('\n'.join(tool.tables(rows, texts)))) == rows


@pytest.mark.parametrize('name', ['/NAME/unknown', '/NAME/odom'])
def test_name_without_sentence_or_sentence_without_name_is_refused(name: str) -> None:
    texts = yaml.safe_load(tool.TEXTS.read_text(encoding='utf-8'))
    rows = [row for row in _page_rows() if row.name != name]
    if name not in texts['topics']:
        rows.append(tool.Endpoint('/NAME/agent', 'publishes', name, 'std_msgs/Empty', 'reliable, volatile, 1'))
    with pytest.raises(SystemExit, match=name):
        tool.tables(rows, texts)
