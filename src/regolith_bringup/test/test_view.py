# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The view of a recorded run: what is in the bag is in the file, at its time, where it was; errors are one line."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewed_run import CLOUD_POINTS, CYCLES, HEARTBEAT_NS, IMAGES, MOUNT_M, RADIUS_M, RUT_M, SPEED, make_viewed_run

pytest.importorskip('rerun', reason='Rerun is not installed')

from rerun.chunk import RrdReader

from regolith_bringup.bag.reading import Bag
from regolith_bringup.cli import main
from regolith_bringup.view import headless_browser
from regolith_bringup.view.terrain_mesh import TILE

END_NS = CYCLES * HEARTBEAT_NS


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_viewed_run(tmp_path_factory.mktemp('viewed') / 'run_001', branch=True)


@pytest.fixture(scope='module')
def recording(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    file = tmp_path_factory.mktemp('rrd') / 'run.rrd'
    assert call('view', str(run), '--save', str(file)) == 0
    return Recording(file)


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main([*words])
    return int(left.value.code or 0)


class Recording:
    """A file as Rerun reads it: rows by entity, those that are always so apart."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self.fixed: dict[str, dict[str, Any]] = {}
        for chunk in RrdReader(file).stream():
            batch = chunk.to_record_batch()
            path = str(chunk.entity_path).replace('\\', '').removeprefix('/')
            for row in batch.to_pylist():
                values = {k.partition(':')[2]: v for k, v in row.items() if ':' in k and v is not None}
                if chunk.is_static:
                    self.fixed.setdefault(path, {}).update(values)
                else:
                    self.rows.setdefault(path, []).append((_ns(row['sim_time']), values))
        for rows in self.rows.values():
            rows.sort(key=lambda each: each[0])

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.rows, *self.fixed}))

    def times(self, path: str, component: str = '') -> list[int]:
        """Return the times of an entity's rows [ns], or of those with a component."""
        return [t for t, values in self.rows[path] if not component or component in values]

    def last(self, path: str, component: str, until_ns: int = 2**62) -> np.ndarray:
        """Return a component as it is at a time."""
        found = [values[component] for t, values in self.rows[path] if t <= until_ns and component in values]
        return np.array(found[-1], dtype=np.float64)


def _ns(time: Any) -> int:
    return int(time.total_seconds() * 1e9 + 0.5) if hasattr(time, 'total_seconds') else int(time)


def test_the_file_opens_again(recording: Recording) -> None:
    """Rerun's own tool finds no fault with it, and both what is drawn and how it is laid out are in it."""
    from regolith_bringup.view.viewer import rerun_program

    done = subprocess.run(
        [rerun_program(), 'rrd', 'verify', str(recording.file)],
        capture_output=True,
        text=True,
        env={'CI': 'true', 'HOME': str(recording.file.parent)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reader = RrdReader(recording.file)
    assert len(reader.recordings()) == len(reader.blueprints()) == 1


def test_vehicles_are_where_they_were(recording: Recording) -> None:
    base, wheel = 'world/vehicles/amber/base_link', 'world/vehicles/amber/left'
    assert {'vertex_positions', 'vertex_normals', 'vertex_colors'} <= recording.fixed[base].keys()
    times = recording.times(base, 'translation')
    # 50 Hz are published; 20 Hz are drawn, each at the time of its own stamp.
    assert times[0] == 0 and set(np.diff(times)) <= {40_000_000, 60_000_000} and len(times) == 20 * 2 + 1
    for t_ns in (0, times[17], times[-1]):
        x = SPEED * t_ns * 1e-9
        np.testing.assert_allclose(recording.last(base, 'translation', t_ns), [[x, 0.0, 0.6]], atol=1e-6)
    # Single precision; a wheel that rolls 1 m has turned four times its half angle.
    half = 0.5 * SPEED * times[-1] * 1e-9 / RADIUS_M
    turn = recording.last(wheel, 'quaternion')[0]
    np.testing.assert_allclose(np.abs(turn), np.abs([0.0, np.sin(half), 0.0, np.cos(half)]), atol=1e-6)


def test_ruts_grow_where_and_when_the_soil_yields(recording: Recording, run: Path) -> None:
    side = TILE + 1

    def depth(i: int, t_ns: int) -> float:
        vertices = recording.last(f'world/ground/soil/{i // TILE}_0', 'vertex_positions', t_ns)
        return -float(vertices[: side * side, 2].reshape(side, side)[i % TILE, 0])

    passed_ns = round(20 * 0.02 / SPEED * 1e9)  # node 20 is 0.4 m from the start
    assert depth(20, passed_ns - 600_000_000) == 0.0
    # It is drawn every half second.
    assert depth(20, passed_ns + 600_000_000) == pytest.approx(RUT_M, abs=1e-7)
    changed = {int(x) for m in Bag(run / 'bag').messages('/regolith/terrain/committed') for x in m.content.nodes.x}
    assert all(depth(i, END_NS) == pytest.approx(RUT_M, abs=1e-7) for i in changed)
    tiles = {p for p in recording if p.startswith('world/ground/soil/')}
    # The rut is on the edge between two rows of tiles, and some of its nodes on that between two columns.
    assert tiles == {f'world/ground/soil/{(i - a) // TILE}_{-b}' for i in changed for a in (0, 1) for b in (0, 1)}
    # Triangles come once; then heights alone, of the tiles that changed.
    first = 'world/ground/soil/0_0'
    assert recording.times(first, 'triangle_indices') == [0]
    assert 2 <= len(recording.times(first, 'vertex_positions')) <= 4
    assert len(recording.times('world/ground/site', 'vertex_positions')) == 1


def test_images_clouds_and_plots_are_as_in_the_bag(recording: Recording, run: Path) -> None:
    images = [m.content for m in Bag(run / 'bag').messages('/amber/eye/image_raw')]
    assert len(recording.times('images/amber/eye/image_raw', 'blob')) == len(images) == IMAGES
    assert [t // HEARTBEAT_NS for t in recording.times('images/amber/eye/image_raw')] == [0, 25, 50, 75]
    cloud = 'world/vehicles/amber/base_link/eye/points'
    points = recording.last(cloud, 'positions')
    np.testing.assert_allclose(points, [[1.0 + k, 0.0, 0.0] for k in range(CLOUD_POINTS - 1)])
    assert recording.fixed[cloud]['translation'] == [[0.0, 0.0, MOUNT_M]]
    slip = recording.rows['plots/slip/amber']
    assert [t for t, _ in slip] == [100_000_000 * k for k in range(21)]
    np.testing.assert_allclose([values['scalars'][0] for _, values in slip], [0.001 * 5 * k for k in range(21)])
    assert recording.fixed['plots/slip/amber']['names'] == ['amber left']


def test_paths_end_where_the_vehicle_is(recording: Recording) -> None:
    strip = recording.rows['world/paths/amber'][-1][1]['strips'][0]
    # On the soil it stands in, 3 cm up, twice a second.
    np.testing.assert_allclose(strip[-1], [SPEED * 2.0, 0.0, 0.03 - RUT_M], atol=1e-6)
    assert len(strip) == 5


def test_an_end_and_a_branch_can_be_chosen(run: Path, tmp_path: Path) -> None:
    file = tmp_path / 'some.rrd'
    for end_s, end_ns in (('1.0', 10**9), ('0', 0)):
        assert call('view', str(run), '--save', str(file), '--end', end_s) == 0
        assert max(Recording(file).times('world/vehicles/amber/base_link')) == end_ns
    assert call('view', str(run), '--save', str(file), '--branch', '1') == 0
    branch = Recording(file)
    assert min(branch.times('world/vehicles/amber/base_link')) == END_NS // 2
    side = TILE + 1
    first = branch.last('world/ground/soil/0_0', 'vertex_positions')[: side * side, 2].reshape(side, side)
    # Before the rewind the ruts were deep, afterwards half as deep. What happened in between is discarded.
    assert first[5, 0] == pytest.approx(-RUT_M, abs=1e-7) and first[30, 0] == pytest.approx(-0.5 * RUT_M, abs=1e-7)


@pytest.mark.slow
def test_no_viewer_is_left_of_a_view_that_was_killed(run: Path) -> None:
    """It would keep gigabytes of what it was sent."""
    words = [sys.executable, '-m', 'regolith_bringup', 'view', str(run), '--web']
    view = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert view.stdout is not None
    try:
        assert view.stdout.readline().startswith('http://127.0.0.1:')
        (viewer,) = Path(f'/proc/{view.pid}/task/{view.pid}/children').read_text().split()
    finally:
        view.kill()
        view.wait()
    until = time.monotonic() + 10.0
    while (stat := Path(f'/proc/{viewer}/stat')).exists() and ') Z ' not in stat.read_text():
        assert time.monotonic() < until, 'the viewer still runs'
        time.sleep(0.05)


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('view',), 'view: no run is given; allowed: either a run folder or --live'),
        (('view', 'RUN', '--live'), 'RUN and --live'),
        (
            ('view', 'RUN', '--update-period', '3'),
            'view: --update-period: does not apply to a recorded run; allowed: --live instead of RUN',
        ),
        (('view', 'RUN', '--topic', '/amber/eye/image_raw'), 'view: --topic: does not apply to a recorded run'),
        (
            ('view', 'nowhere', '--save', 'a.rrd'),
            'view: nowhere: no such folder; allowed: a folder written by ./regolith run',
        ),
        (('view', 'EMPTY', '--save', 'a.rrd'), 'is not a run folder'),
        (('view', 'RUN', '--save', 'no/such/folder/a.rrd'), 'its folder does not exist'),
        (('view', 'RUN', '--web', '--save', 'a.rrd'), '--web and --save; allowed: one of them'),
        (('view', 'RUN', '--branch', '7', '--save', 'a.rrd'), '--branch = 7: does not exist; allowed: 0, 1'),
        (
            ('view', 'RUN', '--connect', 'localhost'),
            'is not the address of a viewer; allowed: rerun+http://HOST:PORT/proxy',
        ),
        (('view', 'RUN', '--screenshot', 'a.png', '--size', 'big'), '--size'),
        (('view', 'RUN'), 'no screen found'),
        (('view', 'BROKEN', '--save', 'a.rrd'), 'bag_0.mcap: is no MCAP file; allowed: a bag as it was written'),
        (('view', 'NO_METADATA', '--save', 'a.rrd'), 'bag_0.mcap: is no MCAP file; allowed: '),
        (('view', 'NO_BAG', '--save', 'a.rrd'), 'a recorded run'),
    ],
)
def test_input_error_is_reported_in_one_line(
    words: tuple[str, ...],
    said: str,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ('DISPLAY', 'WAYLAND_DISPLAY'):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / 'EMPTY').mkdir()
    for name in ('BROKEN', 'NO_METADATA', 'NO_BAG'):
        shutil.copytree(run, tmp_path / name)
    shutil.rmtree(tmp_path / 'NO_BAG' / 'bag')
    for bag in (*tmp_path.glob('BROKEN/bag*/*'), *tmp_path.glob('NO_METADATA/bag*/*')):
        bag.write_bytes(b'no bag')
    (tmp_path / 'NO_METADATA' / 'bag' / 'metadata.yaml').unlink()
    assert call(*(str(run) if word == 'RUN' else word for word in words)) == 2
    told = capsys.readouterr().err.strip()
    assert said in told.replace('\n', ' ') and 'Traceback' not in told
    assert len(told.splitlines()) == 1 or words[-1] == 'big'


def test_missing_program_is_reported_with_a_fix(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv(headless_browser.VARIABLE, raising=False)
    assert call('view', str(run), '--screenshot', str(tmp_path / 'a.png')) == 2
    assert 'no Chromium found; allowed: chromium on the PATH' in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, 'rerun', None)
    assert call('view', str(run), '--save', str(tmp_path / 'a.rrd')) == 2
    assert 'Rerun is not installed; allowed: pip install rerun-sdk' in capsys.readouterr().err


def test_a_graphics_card_shows_among_the_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from regolith_bringup.view.viewer import has_graphics_card

    monkeypatch.setattr('sys.platform', 'linux')
    (tmp_path / 'dri').mkdir()
    (tmp_path / 'dri' / 'card0').touch()  # a screen without anything that draws
    assert not has_graphics_card(tmp_path)
    (tmp_path / 'dri' / 'renderD128').touch()
    assert has_graphics_card(tmp_path)
