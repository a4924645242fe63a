# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the scenario and startup timeout for remote nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')

from regolith_world.ros.remote_nodes import RemoteNodes


class Link:
    """A node that counts the publishers of startup notices."""

    def __init__(self) -> None:
        self.publishers: list[str] = []

    def create_publisher(self, message_type: Any, topic: str, depth: int) -> str:
        self.publishers.append(topic)
        return topic

    def destroy_publisher(self, publisher: str) -> None:
        self.publishers.remove(publisher)


def test_remote_scenario_has_no_paths_in_the_run_folder(tmp_path: Path) -> None:
    run = tmp_path / 'run'
    content = {
        'name': 'ridge',
        'terrain': {'source': '/data/dem.tif', 'profiles': [str(run), f'{run}_2/kept.csv']},
        'comms': {'graph': f'{run}/comms/ridge.dot', 'stations': {'base': [1.0, 2.0]}},
        'seed': 3,
    }
    file = tmp_path / 'scenario.yaml'
    file.write_text(yaml.safe_dump(content))
    told = yaml.safe_load(RemoteNodes(Link(), [''], file, str(run)).scenario_yaml())  # type: ignore[arg-type]
    assert told == {**content, 'comms': {**content['comms'], 'graph': None}}
    assert yaml.safe_load(RemoteNodes(Link(), [], file, '').scenario_yaml()) == content  # type: ignore[arg-type]


def test_startup_timeouts_wait_for_remote_nodes(tmp_path: Path) -> None:
    link = Link()
    there = RemoteNodes(link, ['terrain', 'basalt'], tmp_path / 'none', '')  # type: ignore[arg-type]
    assert there.names == ('basalt', 'terrain') and link.publishers == ['starting']
    assert 'regolith join basalt terrain' in there.wait_for({'amber', 'basalt', 'terrain'})
    assert 'regolith join basalt)' in there.wait_for({'amber', 'basalt'})
    assert link.publishers == ['starting']
    assert there.wait_for({'amber'}) == '' and not link.publishers
    nobody = RemoteNodes(link, [''], tmp_path / 'none', '')  # type: ignore[arg-type]
    assert nobody.names == () and not link.publishers and nobody.wait_for({'amber'}) == ''
