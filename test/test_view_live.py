# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A running world, seen from outside: by Rerun's view, and by programs that know markers and frames."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import LiveRun, command, environment, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytest.importorskip('rerun', reason='Rerun is not installed')

pytestmark = [pytest.mark.ros, pytest.mark.slow]
TILE = 32
BOX = {'kind': 'box', 'size_m': [0.1, 0.1, 1.0]}


def test_a_late_view_and_markers_show_the_world_as_it_is(tmp_path: Path) -> None:
    """A viewer that starts late sees existing ruts and objects, and what is added until the world ends."""
    from regolith_msgs.msg import Cycle
    from tf2_msgs.msg import TFMessage
    from visualization_msgs.msg import MarkerArray

    scenario = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.4)},
        duration_s=600.0,
        view={'markers': True, 'rate_hz': 5.0},
        objects={'post': {'type': 'static_body', 'position': [0.0, 3.0, 1.0], 'shapes': [BOX]}},
    )
    file = tmp_path / 'live.rrd'
    with LiveRun(tmp_path, scenario, '--rtf', 2, processes='one') as live:
        live.come_to(1.0)
        viewing = subprocess.Popen(
            command('view', '--live', '--save', file), env=environment(live.domain), stderr=subprocess.PIPE, text=True
        )
        ground, frames = live.subscribe(MarkerArray, '/regolith/view/terrain'), live.subscribe(TFMessage, '/tf')
        live.wait_for(lambda: {m.id for each in ground for m in each.markers} and len(ground) > 3, 120.0, 'the ground')
        found = live.wait_for(
            lambda: [t for m in frames for t in m.transforms if t.header.frame_id == 'world'], 120.0, 'tf'
        )
        assert found[-1].child_frame_id == 'amber/odom'
        first = ground[0].markers
        assert min(p.z for m in first for p in m.points if m.ns == 'ground') < -0.005, 'ruts of before are not there'
        cycles = live.subscribe(Cycle, '/regolith/cycle')
        live.wait_for(
            lambda: 'post' in {v.name for c in cycles for v in c.visuals}, 60.0, 'visuals for a late observer'
        )
        for part in (b'ground/soil', b'post'):
            live.wait_for(lambda: file.is_file() and part in file.read_bytes(), 120.0, f'the view of {part!r}')  # noqa: B023
        live.spin(3.0)
        live.interrupt()
        run = live.finish().run_dir
        _, errors = viewing.communicate(timeout=120)
        assert viewing.returncode == 0, errors
    compare(file, run)


def compare(file: Path, run: Path) -> None:
    """Compare the last ground and pose of a view with the recording, which has all of them."""
    from rerun.chunk import RrdReader

    drawn: dict[str, dict[str, tuple[int, Any]]] = {}
    for chunk in RrdReader(file).stream():
        path = str(chunk.entity_path)
        for row in chunk.to_record_batch().to_pylist():
            t_ns = 0 if chunk.is_static else int(row['sim_time'].total_seconds() * 1e9 + 0.5)
            for key, value in row.items():
                if ':' in key and value is not None:
                    name = key.partition(':')[2]
                    if t_ns >= drawn.setdefault(path, {}).get(name, (-1, None))[0]:
                        drawn[path][name] = (t_ns, value)
    bag = Bag(run)
    level: dict[tuple[int, int], float] = {}
    for message in bag.messages('/regolith/terrain/committed'):
        nodes = message.content.nodes
        heights = np.asarray(nodes.values).reshape(len(nodes.fields), -1)[list(nodes.fields).index('level')]
        level |= {(int(i), int(j)): float(z) for i, j, z in zip(nodes.x, nodes.y, heights, strict=True)}
    assert len(level) > 100
    side = TILE + 1
    for (i, j), z in level.items():
        tile = drawn[f'/world/ground/soil/{i // TILE}_{j // TILE}']
        shown = np.array(tile['vertex_positions'][1])[: side * side, 2].reshape(side, side)[i % TILE, j % TILE]
        assert shown == pytest.approx(z, abs=1e-6), (i, j)  # single precision
    t_ns, place = drawn['/world/vehicles/amber/base_link']['translation']
    near = min(
        bag.messages('/amber/ground_truth/odom'),
        key=lambda m: abs(m.content.header.stamp.sec * 10**9 + m.content.header.stamp.nanosec - t_ns),
    )
    p = near.content.pose.pose.position
    np.testing.assert_allclose(place[0], [p.x, p.y, p.z], atol=1e-6)
