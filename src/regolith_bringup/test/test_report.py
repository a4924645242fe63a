# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of arrays, plots, summary and report of a run folder, against the closed form of a synthetic run."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import synthetic_run as made
from matplotlib.figure import Figure

from regolith_bringup.bag.recorder import BagWriter, qos_profile
from regolith_bringup.bag.recover import RecoverError
from regolith_bringup.report.changed_terrain import ChangedTerrain
from regolith_bringup.report.page import write_report
from regolith_bringup.report.page_figures import MOST_POINTS, PageFigures, decimated
from regolith_bringup.report.plots import cycle_timing, energy, gear_histories, track_map
from regolith_bringup.report.plots import rut_sections as rut_section_plot
from regolith_bringup.report.provenance import write_provenance
from regolith_bringup.report.run_data import Charge, CycleTiming, RunData, VehicleTrack, read_run
from regolith_bringup.report.rut_sections import rut_sections
from regolith_bringup.report.summary import build_summary, write_summary
from regolith_bringup.report.terrain_map import crossing, driven_bounds, terrain_map
from regolith_files import NoRecordingError
from regolith_world.numerics.rotation import from_rpy_deg


def test_tracks(run_dir: Path) -> None:
    run = read_run(run_dir)
    amber = run.tracks['amber']
    assert amber.position.shape == (61, 3)
    # Sixty steps of 0.3 m/s times 20 ms, summed: rounding only.
    assert amber.distance == pytest.approx(60 * 0.02 * made.SPEED, rel=1e-12)
    assert np.all(run.tracks['basalt'].position[:, 1] == 1.0)
    assert amber.wheels == ('front_left', 'front_right', 'rear_left', 'rear_right')
    assert amber.sinkage_incremental.shape == (61, 4)
    np.testing.assert_allclose(amber.sinkage_incremental[:, 2], 0.3 * made.RUT_M)
    np.testing.assert_allclose(amber.orientation[0], [0.0, 0.0, 0.0, 1.0])


def test_cycles_distinguish_committed_and_discarded(run_dir: Path) -> None:
    cycles = read_run(run_dir).cycles
    assert len(cycles.time) == 61
    assert np.flatnonzero(~cycles.committed).tolist() == [made.DISCARDED_CYCLE]
    assert cycles.time[-1] == pytest.approx(59 * 0.02)
    # The made-up wall clock runs four times as fast as the simulated one.
    assert cycles.wall[-1] == pytest.approx(59 * 0.005)


def test_ground_holds_committed_updates_only(run_dir: Path) -> None:
    changed_terrain = read_run(run_dir).changed_terrain
    assert len(changed_terrain.i) == 2 * 60 * made.NODES_PER_CYCLE
    assert set(changed_terrain.j.tolist()) == {0, 50}
    assert np.all(changed_terrain.level == -made.RUT_M), 'a discarded attempt dug deeper'


def test_ground_map_places_the_ruts(run_dir: Path) -> None:
    run = read_run(run_dir)
    bounds = driven_bounds(run, margin=1.0)
    image = terrain_map(run, bounds)
    assert image.pixel == pytest.approx(0.02)
    west, _, south, _ = image.extent
    row, column = np.nonzero(np.isfinite(image.rut_depth))
    x = west + (column + 0.5) * image.pixel
    y = south + (row + 0.5) * image.pixel
    assert sorted(set(np.round(y, 6))) == [0.0, 1.0]
    assert x.min() >= -1e-9
    np.testing.assert_allclose(image.rut_depth[row, column], made.RUT_M, atol=1e-12)
    # Pixels of blocks of nodes must show the same ruts.
    coarse = terrain_map(run, bounds, max_pixels=40)
    assert coarse.pixel > 0.02
    assert np.nanmax(coarse.rut_depth) == pytest.approx(made.RUT_M)


def test_each_running_gear_is_plotted_by_its_telemetry(tmp_path: Path) -> None:
    """Wheels by what they measure; a gear of any package by its GearState, in units that are read easily."""
    run = read_run(made.make_run(tmp_path / 'run', 20, bands=True))
    amber, basalt = run.tracks['amber'], run.tracks['basalt']
    assert [h.name for h in amber.histories] == ['incremental sinkage', 'slip ratio'] and not amber.telemetry
    assert [(h.name, h.unit, h.parts) for h in basalt.histories] == [
        ('slip ratio', '', ('left', 'right')),
        ('band tension', 'N', ('left', 'right')),
    ]
    np.testing.assert_allclose(basalt.histories[0].values[:, 1], 0.001 * np.arange(21))
    np.testing.assert_allclose(basalt.histories[1].time, amber.wheel_time)
    wheels, bands = gear_histories(run)
    labels = [[panel.get_ylabel() for panel in figure.axes] for figure in (wheels, bands)]
    assert labels[0] == ['incremental sinkage [mm]', 'slip ratio, mean of 9 [-]', 'forward speed [m/s]']
    assert labels[1] == ['slip ratio, mean of 9 [-]', 'band tension [kN]', 'forward speed [m/s]']
    drawn = {line.get_label(): line.get_ydata() for line in bands.axes[1].get_lines()}
    np.testing.assert_allclose(drawn['left'], 9.0)


def test_cycles_are_drawn_in_milliseconds_discarded_ones_too(run_dir: Path) -> None:
    run = read_run(run_dir)
    lengths, speeds = cycle_timing(run).axes
    assert (lengths.get_ylabel(), lengths.get_xlabel()) == ('cycle length [ms]', 'simulated time [s]')
    drawn = {str(line.get_label()).partition(':')[0]: line.get_xydata() for line in lengths.get_lines()}
    for label, some in (('committed', run.cycles.committed), ('discarded', ~run.cycles.committed)):
        assert some.any()
        expected = np.stack((run.cycles.time[some], run.cycles.length[some] * 1e3), axis=1)
        np.testing.assert_allclose(drawn[label], expected)
    assert drawn['committed'][:, 1] == pytest.approx(20.0)
    assert speeds.get_ylabel() == 'simulated s per wall s'
    # The made-up wall clock runs four times as fast as the simulated one.
    (mean,) = (line for line in speeds.get_lines() if str(line.get_label()).startswith('mean'))
    assert mean.get_label() == 'mean 4.00' and float(mean.get_ydata()[0]) == pytest.approx(4.0, rel=0.01)


def straight(name: str, start: tuple[float, float], step: tuple[float, float], count: int = 200) -> VehicleTrack:
    position = np.zeros((count, 3))
    position[:, :2] = np.array(start) + np.arange(count)[:, None] * np.array(step)
    none = np.zeros((0, 0))
    still = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    return VehicleTrack(name, np.arange(count) * 0.02, position, still, np.zeros(count), (), np.zeros(0), *(none,) * 5)


def test_crossing_is_where_tracks_meet_squarely(run_dir: Path) -> None:
    scenario = read_run(run_dir).scenario
    nothing = CycleTiming(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool))
    empty = np.zeros(0, dtype=np.int64)
    tracks = {'a': straight('a', (0.0, 0.0), (0.05, 0.0)), 'b': straight('b', (4.0, -5.0), (0.0, 0.05))}
    changed_terrain = ChangedTerrain(0.02, empty, empty, np.zeros(0))
    found = crossing(RunData(run_dir, scenario, tracks, nothing, changed_terrain))
    # Tracks are looked at every fifth sample, 0.25 m apart, and meet within 0.2 m.
    assert found == pytest.approx((4.0, 0.0), abs=0.25)
    tracks['b'] = straight('b', (-3.0, 0.0), (0.05, 0.0))
    assert crossing(RunData(run_dir, scenario, tracks, nothing, changed_terrain)) is None, 'one follows the other'


def test_summary_has_the_stable_keys(run_dir: Path) -> None:
    summary = build_summary(run_dir)
    assert {
        'scenario',
        'simulated_s',
        'wall_s',
        'real_time_factor',
        'cycles',
        'discarded_cycles',
        'forced_cycles',
        'state_hash',
        'processes',
        'vehicles',
        'terrain',
        'sensors',
        'comms',
        'bag',
    } <= set(summary)
    assert set(summary['vehicles']) == {'amber', 'basalt'}
    assert summary['vehicles']['amber']['distance_m'] == pytest.approx(0.36)
    assert set(summary['vehicles']['amber']) == {'distance_m', 'mean_slip', 'max_sinkage_m', 'final_pose', 'battery'}
    assert summary['terrain'] == {
        'modified_nodes': 1200,
        'max_rut_depth_m': made.RUT_M,
        'conflicts': 60,
        'mass_balance': None,
    }
    assert summary['bag']['lost'] == 0
    assert summary['bag']['messages'] == sum(read_run(run_dir).topics.values())
    assert Path(summary['bag']['path'], 'metadata.yaml').is_file()
    assert summary['comms'] == {'sent': 0, 'delivered': 0, 'dropped': {}, 'links': {}}


def test_rates_are_per_simulated_second(run_dir: Path, tmp_path: Path) -> None:
    """Four previews in 1.2 s simulated, which took 0.3 s; of topics of a sensor's type, and of no others."""
    run = made.make_run(tmp_path / 'seen', previews=4)
    summary = build_summary(run)
    assert summary['simulated_s'] == pytest.approx(1.2) and summary['wall_s'] == pytest.approx(0.3)
    assert summary['sensors'] == {'/amber/eye/preview': {'messages': 4, 'rate_hz': pytest.approx(4 / 1.2)}}
    assert build_summary(run_dir)['sensors'] == {}


def test_what_participants_report_stands_under_its_own_key(run_dir: Path, tmp_path: Path) -> None:
    """All values differ, so none can be confused with another. Events are ordered by time, then by name."""
    shutil.copytree(run_dir, run := tmp_path / 'run')
    world = json.loads((run / 'world_summary.json').read_text())
    world |= {'scenario': 'a', 'simulated_s': 2.5, 'wall_s': 5.0, 'real_time_factor': 0.5, 'cycles': 7}
    world |= {'discarded_cycles': 8, 'forced_cycles': 9, 'state_hash': 'cd', 'processes': 'one', 'failure': 'it broke'}

    def event(t_s: float, kind: str) -> dict[str, object]:
        return {'t_s': t_s, 'kind': kind, 'source': 'ground_truth'}

    own = {
        'distance_m': 1.0,
        'mean_slip': 2.0,
        'max_sinkage_m': 3.0,
        'final_pose': {},
        'battery': {'initial_state_of_charge': 0.5, 'drawn_wh': 3.0, 'returned_wh': 1.0},
    }
    world['participant_summaries']['amber'] = json.dumps({**own, 'events': [event(1.0, 'stuck'), event(2.0, 'tipped')]})
    world['participant_summaries']['basalt'] = json.dumps({**own, 'distance_m': 4.0, 'events': [event(1.0, 'slid')]})
    links = {'a->b': {'sent': 3}}
    world['participant_summaries']['comms'] = json.dumps(
        {'sent': 5, 'delivered': 6, 'dropped': {'no_link': 7}, 'links': links}
    )
    (run / 'world_summary.json').write_text(json.dumps(world))
    (run / 'recorder.json').write_text(json.dumps({'lost': 11, 'failure': 'disk full'}))
    summary = build_summary(run)
    for key in (
        'simulated_s',
        'wall_s',
        'real_time_factor',
        'cycles',
        'discarded_cycles',
        'forced_cycles',
        'state_hash',
        'processes',
        'scenario',
    ):
        assert summary[key] == world[key], key
    assert summary['vehicles'] == {'amber': own, 'basalt': {**own, 'distance_m': 4.0}}
    assert [(e['t_s'], e['vehicle'], e['kind']) for e in summary['events']] == [
        (1.0, 'amber', 'stuck'),
        (1.0, 'basalt', 'slid'),
        (2.0, 'amber', 'tipped'),
    ]
    assert summary['comms'] == {'sent': 5, 'delivered': 6, 'dropped': {'no_link': 7}, 'links': links}
    assert summary['bag']['lost'] == 11 and summary['bag']['complete'] is True
    # The first failure, not the later message of the recorder.
    assert summary['failure'] == 'it broke'
    world['failure'] = ''
    (run / 'world_summary.json').write_text(json.dumps(world))
    assert build_summary(run)['failure'] == 'disk full'
    assert summary['bag']['recordings'] == ['bag']
    for branch in (10, 1, 2):  # after rewinds
        shutil.copytree(run / 'bag', run / f'bag_{branch}')
    assert build_summary(run)['bag']['recordings'] == ['bag', 'bag_1', 'bag_2', 'bag_10']
    (run / 'bag' / 'metadata.yaml').unlink()
    assert build_summary(run)['bag']['complete'] is False


def test_summary_of_a_run_that_went_wrong(run_dir: Path, tmp_path: Path) -> None:
    shutil.copy(run_dir / 'scenario.yaml', tmp_path)
    with pytest.raises(NoRecordingError, match=r'world_summary\.json'):
        build_summary(tmp_path)
    world = json.loads((run_dir / 'world_summary.json').read_text())
    del world['participant_summaries']['basalt']
    (tmp_path / 'world_summary.json').write_text(json.dumps(world))
    summary = write_summary(tmp_path)
    assert summary['vehicles']['basalt']['distance_m'] is None
    assert summary['bag'] == {'path': None, 'recordings': [], 'messages': 0, 'lost': 0, 'complete': True}
    assert json.loads((tmp_path / 'summary.json').read_text()) == summary
    with pytest.raises(RecoverError):
        write_report(tmp_path)


@pytest.mark.slow
def test_run_whose_world_failed_is_reported_from_its_bag(run_dir: Path, tmp_path: Path) -> None:
    """Neither results of the world nor an index of the bag, whose last chunk is cut: all data before it counts."""
    run, whole = tmp_path / 'run', build_summary(run_dir)
    shutil.copytree(run_dir, run)
    for name in ('world_summary.json', 'bag/metadata.yaml'):
        (run / name).unlink()
    bag = run / 'bag' / 'bag_0.mcap'
    with bag.open('r+b') as stream:
        stream.truncate(int(bag.stat().st_size * 0.8))
    summary = write_summary(run)
    assert summary['bag']['complete'] is False and 0 < summary['bag']['messages'] <= whole['bag']['messages']
    assert 0.0 < summary['simulated_s'] <= whole['simulated_s'] and 0 < summary['cycles'] <= whole['cycles']
    amber = summary['vehicles']['amber']
    assert 0.0 < amber['distance_m'] <= whole['vehicles']['amber']['distance_m'] + 1e-9
    assert amber['mean_slip'] is None and len(amber['final_pose']['position']) == 3
    assert summary['state_hash'] is None and 'from the bag' in summary['failure']
    assert 'It ended early' in write_report(run).read_text()


@pytest.fixture(scope='module')
def page(run_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a run without sensors, in a folder with a space, with a description that is HTML."""
    run = tmp_path_factory.mktemp('reported') / 'a run'
    shutil.copytree(run_dir, run)
    write_provenance(run)
    scenario = (run / 'scenario.yaml').read_text()
    changed, count = re.subn(r'description: [^\n]*(\n  [^\n]*)*', 'description: <script>x</script>', scenario, count=1)
    assert count == 1
    (run / 'scenario.yaml').write_text(changed)
    return write_report(run)


@pytest.mark.seconds
@pytest.mark.slow
def test_report_stands_by_itself_and_repeats(page: Path) -> None:
    run, text = page.parent, page.read_text()
    pictures = re.findall(r'src="data:image/(png|webp);base64,([^"]+)"', text)
    assert len(pictures) == 4
    signs = {'png': (0, b'\x89PNG\r\n\x1a\n'), 'webp': (8, b'WEBPVP8 ')}
    for kind, data in pictures:
        at, sign = signs[kind]
        assert base64.b64decode(data)[at : at + 8] == sign
    assert 'src="http' not in text and len(text) < 1.5e6
    # What else there is lies beside it.
    files = re.findall(r'href="([^"]*)"', text)
    assert len(files) == 8 and {f'report/{path.name}' for path in (run / 'report').iterdir()} == {*files}
    for part in ('two_rovers', 'amber', 'basalt', 'ab' * 32, '0.36 m', '30.0 mm', '1,200'):
        assert part in text
    assert '$' not in text, 'a placeholder was left'
    assert write_report(run).read_text() == text


def test_a_cross_section_shows_the_rut(run_dir: Path) -> None:
    run = read_run(run_dir)
    sections = rut_sections(run)
    assert [section.name for section in sections] == ['amber', 'basalt']
    # The synthetic ruts are ten nodes of 0.03 m below the ground, right below the path, and level beside it.
    for section in sections:
        assert section.depth == pytest.approx(made.RUT_M, abs=1e-9)
        beside = np.abs(np.abs(section.across) - 0.5) < 0.4  # the other track is 1 m away
        np.testing.assert_array_equal(section.final[beside], section.undisturbed[beside])
        assert section.traveled == pytest.approx(0.5 * run.tracks[section.name].distance)


def test_plots_write_their_data(tmp_path: Path) -> None:
    figure = Figure()
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.set(title='Upper', ylabel='speed [m/s]')
    upper.plot([0.0, 1.0], [2.0, 3.5], label='amber')
    upper.axhline(7.0)
    lower.scatter([1.0], [4.0], label='basalt')
    lower.bar([2.0], [5.0], label='cobalt')
    lower.set(xlabel='time [s]', ylabel='count')
    figures = PageFigures(tmp_path / 'page.html')
    first, second = (figures.show(figure, 'Two panels', 'a & b') for _ in range(2))
    assert 'alt="a &amp; b"' in first and 'page/two_panels.csv' in first and 'page/two_panels_2.png' in second
    assert (tmp_path / 'page' / 'two_panels.csv').read_text().splitlines() == [
        'panel,series,of x,of y,x,y',
        'Upper,amber,time [s],speed [m/s],0,2',
        'Upper,amber,time [s],speed [m/s],1,3.5',
        'panel 2,basalt,time [s],count,1,4',
        'panel 2,cobalt,time [s],count,2,5',
    ]


def test_thinned_curves_keep_their_peaks_and_gaps() -> None:
    x = np.arange(100_003.0)
    y = np.random.default_rng(2).normal(size=len(x))
    y[31_415], y[92_653], y[50_000:51_000] = 9.0, -9.0, np.nan
    some_x, some_y = decimated(x, y)
    assert len(some_x) < 1.2 * MOST_POINTS and (np.diff(some_x) > 0.0).all()
    np.testing.assert_array_equal(y[some_x.astype(int)], some_y)
    assert {31_415.0, 92_653.0, 0.0, 100_002.0} <= {*some_x} and np.isnan(some_y).any()
    assert decimated(x[:20], y[:20])[0].tolist() == x[:20].tolist()


@pytest.mark.seconds
def test_report_states_the_command_to_repeat_the_run(page: Path) -> None:
    text = page.read_text()
    assert f'./regolith run &#x27;{page.parent}/scenario.yaml&#x27;' in text
    for name in ('numpy', 'mujoco', 'regolith_world'):
        assert f'<td>{name}</td><td>{version(name)}</td>' in text
    assert 'processor' in text


@pytest.mark.seconds
def test_report_escapes_what_people_write(page: Path) -> None:
    assert '&lt;script&gt;x' in page.read_text() and '<script>' not in page.read_text()


@pytest.mark.seconds
def test_report_shows_previews_and_says_what_is_missing(page: Path, tmp_path: Path) -> None:
    seen = made.make_run(tmp_path / 'seen', previews=4)
    text = write_report(seen).read_text()
    assert 'Data of /amber/eye over the run' in text
    missing = re.search(r'Not recorded: ([^.]*)\.', text)
    assert missing is not None and missing[1] == '/amber/eye/image_raw, /amber/lidar/points'
    assert '--set recording.sensors=true' in text
    # A few small images: one row of four.
    sheet = re.search(r'Data of /amber/eye over the run" src="data:image/png;base64,([^"]*)"', text)
    assert sheet is not None and len(base64.b64decode(sheet[1])) < 200_000
    assert 'No vehicle has a sensor' in page.read_text()


def test_batteries_are_drawn_in_percent_and_watts(run_dir: Path) -> None:
    """Of every vehicle that has one, against its own times."""
    run = read_run(run_dir)
    assert energy(run) is None
    charges = {
        'amber': Charge(np.array([0.0, 1.0]), np.array([0.9, 0.5]), np.array([40.0, -10.0])),
        'basalt': Charge(np.array([0.0, 2.0]), np.array([1.0, 0.25]), np.array([5.0, 15.0])),
    }
    tracks = {name: replace(track, charge=charges[name]) for name, track in run.tracks.items()}
    drawn = energy(replace(run, tracks=tracks))
    assert drawn is not None
    share, power = drawn.axes
    assert (share.get_ylabel(), power.get_ylabel()) == ('charge [%]', 'power drawn [W]')
    for panel, factor, part in ((share, 100.0, 'share'), (power, 1.0, 'power')):
        for line, charge in zip(panel.get_lines(), charges.values(), strict=True):
            np.testing.assert_allclose(
                line.get_xydata(), np.stack((charge.time, factor * getattr(charge, part)), axis=1)
            )
    assert [line.get_label() for line in share.get_lines()] == list(charges)


def test_small_changes_have_whole_numbers_at_the_axis(run_dir: Path) -> None:
    """Without an offset such as +9.999e1 above the axis."""
    run = read_run(run_dir)
    charge = Charge(np.array([0.0, 1.0]), np.array([0.99999, 0.99995]), np.array([40.0, 40.0]))
    drawn = energy(replace(run, tracks={name: replace(t, charge=charge) for name, t in run.tracks.items()}))
    assert drawn is not None
    drawn.draw_without_rendering()
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert drawn.axes[0].yaxis.get_offset_text().get_text() == '' and all(
        each.startswith('99.99') for each in labels[1:-1]
    )


def test_track_plot_draws_tracks_and_ruts_where_they_are_in_millimeters(run_dir: Path) -> None:
    """Two tracks along x that lie side by side: the plot is longer along x, and its ruts are under the tracks."""
    run = read_run(run_dir)
    # One of them turned to the left, pitched and rolled, and went there, so that both axes of a track count.
    turned = run.tracks['basalt'].position.copy()
    turned[:, 1] += 0.5 * (turned[:, 0] - turned[0, 0])
    quarter = np.tile(from_rpy_deg((20.0, -30.0, 90.0)), (len(turned), 1))
    run = replace(
        run, tracks={**run.tracks, 'basalt': replace(run.tracks['basalt'], position=turned, orientation=quarter)}
    )
    main = track_map(run).axes[0]
    drawn = {str(line.get_label()).partition(',')[0]: np.transpose(line.get_data()) for line in main.lines}
    for name, track in run.tracks.items():
        np.testing.assert_allclose(drawn[name], track.position[:, :2])
    # Triangles of three corners, the first of which points along the heading: up is a quarter turn.
    heads = [
        (line.get_marker()[2], *np.ravel(line.get_data()))
        for line in main.lines
        if isinstance(line.get_marker(), tuple)
    ]
    assert heads == [
        (pytest.approx(-90.0), *run.tracks['amber'].position[-1, :2]),
        (pytest.approx(0.0, abs=1e-9), *turned[-1, :2]),
    ]
    shade, ruts = main.images
    west, east, south, north = ruts.get_extent()
    assert shade.get_extent() == ruts.get_extent() and ruts.origin == 'lower'
    depth = np.ma.filled(ruts.get_array(), 0.0)
    rows, columns = np.nonzero(depth)
    x = west + (columns + 0.5) / depth.shape[1] * (east - west)
    y = south + (rows + 0.5) / depth.shape[0] * (north - south)
    assert depth.max() == ruts.get_clim()[1] == pytest.approx(1e3 * made.RUT_M, rel=0.05)
    # Ruts of one node 20 mm wide at y = 0 and 1, over all that was dug.
    assert np.minimum(np.abs(y), np.abs(y - 1.0)).max() < 0.06 and min(y) < 0.1 and max(y) > 0.9
    along = 0.02 * (60 * made.NODES_PER_CYCLE - 1)
    assert x.min() == pytest.approx(max(0.0, west), abs=0.06) and x.max() == pytest.approx(min(along, east), abs=0.06)
    assert (main.get_xlabel(), main.get_ylabel()) == ('x, east [m]', 'y, north [m]')
    # Pixels reach half a soil node beyond the frame.
    assert (*main.get_xlim(), *main.get_ylim()) == pytest.approx((west, east, south, north), abs=0.011)


def test_rut_section_plot_is_in_millimeters_about_the_ground_before(run_dir: Path) -> None:
    run = read_run(run_dir)
    sections = rut_sections(run)
    panels = rut_section_plot(run, sections).axes
    for panel, section in zip(panels, sections, strict=False):
        before, after = (np.asarray(line.get_ydata()) for line in panel.lines)
        np.testing.assert_array_equal(panel.lines[1].get_xdata(), section.across)
        assert before == pytest.approx(np.zeros(len(before)), abs=1e-9)
        assert after.min() == pytest.approx(-1e3 * made.RUT_M) and panel.get_ylabel() == 'height [mm]'
        assert panel.get_title('left').startswith(f'{section.name}, {section.traveled:.1f} m along, at (')


def test_a_run_that_ended_at_once_has_simulated_nothing(run_dir: Path, tmp_path: Path) -> None:
    """Neither nothing nor null nor an absent value is a second."""
    from regolith_bringup.report.summary import FinishedRun

    for text in ('{"simulated_s": 0.0}', '{"simulated_s": null}', '{}'):
        (tmp_path / 'world_summary.json').write_text(text)
        assert FinishedRun(tmp_path).simulated_s == 0.0
    (tmp_path / 'world_summary.json').write_text('{"simulated_s": 2.5}')
    assert FinishedRun(tmp_path).simulated_s == 2.5


@pytest.mark.parametrize('command', [('report',), ('render', '--vehicle', 'amber'), ('replay',)])
def test_run_without_a_cycle_is_refused_by_every_command(
    run_dir: Path, tmp_path: Path, command: tuple[str, ...], say: Callable[..., tuple[int, str, str]]
) -> None:
    """Its world was terminated before the first cycle: the bag is readable, but has no cycle."""
    shutil.copy(run_dir / 'scenario.yaml', tmp_path)
    with BagWriter(tmp_path / 'bag') as bag:
        word = b'\x00\x01\x00\x00\x02\x00\x00\x00a\x00'
        bag.write(bag.add_topic('/talk', 'std_msgs/msg/String', [qos_profile()]), word, 0, 0)
    code, _, told = say(command[0], tmp_path, *command[1:])
    assert code == 2 and 'world_summary.json: missing' in told and len(told.strip().splitlines()) == 1
