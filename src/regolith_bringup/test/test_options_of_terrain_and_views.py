# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every option of commands for terrain, radios and views reaches what does the work, and the line printed has the numbers of the response."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from noted_calls import DOMAIN, Noted

pytestmark = pytest.mark.ros


# -- ground ---------------------------------------------------------------------------------------------------------


def test_import_hands_on_all_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from regolith_terrain.elevation.grid import StoredValues
    from regolith_terrain.elevation.import_model import ImportRequest

    done = Noted(returns={'a': 1})
    monkeypatch.setattr('regolith_terrain.elevation.import_model.import_elevation_model', done)
    file, out = tmp_path / 'x.tif', tmp_path / 'out'
    out.mkdir()
    (out / 'b').touch()
    (out / 'a').touch()
    assert say('terrain', 'import', file, '--out', out)[:2] == (0, f'{out}/a\n{out}/b\n')
    assert done.calls.pop()[1][:2] == (
        ImportRequest(file, None, None, None, 'true', None, 'highland', 0, StoredValues(None, None, 0.0)),
        out,
    )
    words = '--center -3.5,12 --size 40 --upsample 0.25 --preset polar --post-spacing 5 --nodata -1 --height-scale 0.5 --height-offset 7 --north grid --seed 9'
    assert json.loads(say('terrain', 'import', file, '--out', out, *words.split(), '--json')[1]) == {
        'folder': str(out),
        'a': 1,
    }
    values = StoredValues(-1.0, 0.5, 7.0)
    assert done.calls.pop()[1][:2] == (
        ImportRequest(file, (-3.5, 12.0), 40.0, 5.0, 'grid', 0.25, 'polar', 9, values),
        out,
    )


def test_make_hands_on_all_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from regolith_terrain.elevation.terrain_files import GridWindow
    from regolith_terrain.lunar.presets import load_preset

    rocks, written, ground = Noted(), Noted(returns={'a': 1}), Noted(returns={'heights': 'a', 'hillshade': 'b'})
    monkeypatch.setattr('regolith_terrain.lunar.field.LunarField', lambda seed, preset: (seed, preset))
    monkeypatch.setattr('regolith_terrain.lunar.rocks.RockField', lambda field: rocks(field))
    monkeypatch.setattr('regolith_terrain.elevation.terrain_files.write_lunar_ground', written)
    monkeypatch.setattr('regolith_bringup.commands.terrain_files.write_ground', ground)

    def asked() -> tuple[Any, ...]:
        _, given, named = written.calls.pop()
        return (rocks.of(''), *given[1:], named['least_rock_m'], rocks.calls.clear())[:-1]

    monkeypatch.chdir(tmp_path)
    (tmp_path / 'terrain').mkdir()
    assert say('terrain', 'make', '--preset', 'mare')[0] == 0
    assert asked() == (((0, load_preset('mare')),), GridWindow.around((0.0, 0.0), 1000.0, 1.0), Path('terrain'), 0.2)
    words = '--seed 4 --size 60 --spacing 0.5 --center -3,8 --min-rock-diameter 0.75 --json'
    assert json.loads(say('terrain', 'make', '--preset', 'polar', '--out', tmp_path / 'o', *words.split())[1])['a'] == 1
    assert asked() == (((4, load_preset('polar')),), GridWindow.around((-3.0, 8.0), 60.0, 0.5), tmp_path / 'o', 0.75)
    assert say('terrain', 'make', 'two_rovers')[:2] == (0, 'terrain/a\nterrain/b\n')
    scenario, *others = ground.calls.pop()[1]
    assert (scenario.name, scenario.seed, *others) == ('two_rovers', 1, Path('terrain'), 0.1, None, (0.0, 0.0))
    say(
        'terrain',
        'make',
        'two_rovers',
        '--out',
        tmp_path / 'o',
        '--spacing',
        0.5,
        '--seed',
        6,
        '--set',
        'terrain.map_size_m=8',
        '--size',
        6,
        '--center=-1,2',
    )
    scenario, *others = ground.calls.pop()[1]
    assert (scenario.seed, scenario.terrain.map_size_m, *others) == (6, 8.0, tmp_path / 'o', 0.5, 6.0, (-1.0, 2.0))
    code, _, err = say('terrain', 'make', 'two_rovers', '--min-rock-diameter', 0.5)
    assert code == 2 and '--min-rock-diameter: applies to presets' in err and not ground.calls


def test_ground_of_a_scenario_is_described_and_written_the_right_way_up(
    say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A plane that rises by 0.3 to the east and by 0.1 to the north: height, slope and places of the posts."""
    import numpy as np
    import rasterio

    x, y = np.meshgrid(np.arange(-6.0, 6.5, 0.5), np.arange(-6.0, 6.5, 0.5))
    np.save(tmp_path / 'plane.npy', (0.3 * x + 0.1 * y)[::-1])
    file = tmp_path / 'plane.yaml'
    file.write_text(
        'terrain: {source: plane.npy, post_spacing_m: 0.5, map_size_m: 10.0, detail: none}\nobjects: {rock: {type: rigid_body, position: [0, 0, 3], shape: {kind: sphere, size_m: [0.1]}, mass_kg: 1.0}}\n'
    )
    found = json.loads(say('terrain', 'info', file)[1])
    slope = math.degrees(math.atan(math.hypot(0.3, 0.1)))
    assert (found['size_m'], found['post_m'], found['source']) == (10.0, 0.02, f'{tmp_path}/plane.npy')
    assert (found['lowest_m'], found['highest_m']) == (pytest.approx(-2.0), pytest.approx(2.0))
    assert (found['median_slope_deg'], found['slope_99_percent_deg']) == (
        pytest.approx(slope, abs=1e-6),
        pytest.approx(slope, abs=1e-6),
    )
    # Variance of a uniform distribution on n posts over a side s: s^2 / 12 (n + 1) / (n - 1).
    rms = math.sqrt((3.0**2 + 1.0**2) / 12.0 * 502.0 / 500.0)
    assert found['rms_height_m'] == pytest.approx(rms, rel=1e-6) and found['soil']['name'] == 'lunar_nominal'
    assert say('terrain', 'make', file, '--spacing', 0.5, '--out', tmp_path / 'o')[0] == 0
    with rasterio.open(tmp_path / 'o' / 'plane.tif') as raster:
        assert raster.shape == (21, 21) and raster.xy(0, 0) == (-5.0, 5.0) and raster.xy(20, 20) == (5.0, -5.0)
        heights = raster.read(1)
    assert (
        heights[0, 0] == pytest.approx(-1.0)
        and heights[0, 20] == pytest.approx(2.0)
        and heights[20, 0] == pytest.approx(-2.0)
    )
    made = say(
        'terrain', 'make', file, '--spacing', 1.0, '--size', 4, '--center', '1,-2', '--json', '--out', tmp_path / 'q'
    )
    assert json.loads(made[1])['size_m'] == 4.0 and json.loads(made[1])['center'] == [1.0, -2.0]
    with rasterio.open(tmp_path / 'q' / 'plane.tif') as raster:
        assert raster.shape == (5, 5) and raster.xy(0, 0) == (-1.0, 0.0) and raster.xy(4, 4) == (3.0, -4.0)
        # 0.3 x + 0.1 y at the north-western post
        assert raster.read(1)[0, 0] == pytest.approx(-0.3)
    code, out, err = say(
        'terrain', 'make', file, '--spacing', 0.01, '--set', 'terrain.map_size_m=100', '--out', tmp_path / 'p'
    )
    assert (
        (code, out) == (2, '')
        and '--spacing: 10001 x 10001 posts over 100 m are too many' in err
        and not (tmp_path / 'p').exists()
    )


# -- radios ---------------------------------------------------------------------------------------------------------


def test_coverage_and_graph_hand_on_all_their_options(
    say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mapped, drawn, paired, written = (
        Noted(returns='map'),
        Noted(),
        Noted(returns=('graph', 'grid')),
        Noted(returns=('a.dot', 'a.dat')),
    )
    plot = Noted()
    drawn._answers['returns'] = plot
    for name, fake in (
        ('coverage.coverage_map', mapped),
        ('plots.coverage_plot', drawn),
        ('plots.graph_plot', drawn),
        ('plots.height_map', Noted()),
        ('links.tile_graph_builder.height_map', lambda config, site: 'heights'),
        ('links.tile_graph_builder.build_from_config', paired),
        ('links.tile_graph_builder.write_graph_files', written),
    ):
        monkeypatch.setattr(f'regolith_comms.{name}', fake, raising=False)
    out = tmp_path / 'o'
    given = (
        '--out',
        out,
        '--breadcrumb',
        '1.5,-2',
        '--breadcrumb',
        '-3,4',
        '--bytes',
        700,
        '--set',
        'comms.tile_size_m=7',
        '--seed',
        5,
    )
    assert say('comms', 'coverage', 'comms_ridge', '--transmitter', 'lander', *given) == (
        0,
        f'{out}/comms_ridge_lander_coverage.png\n',
        '',
    )
    config, site, sender, places, size = mapped.calls.pop()[1]
    assert (config.tile_size_m, site.seed, sender, places, size) == (7.0, 5, 'lander', [(1.5, -2.0), (-3.0, 4.0)], 700)
    assert drawn.calls.pop()[1] == ('map',) and plot.calls.pop() == (
        'savefig',
        (out / 'comms_ridge_lander_coverage.png',),
        {'dpi': 130},
    )
    monkeypatch.chdir(tmp_path)
    assert (
        say('comms', 'coverage', 'comms_ridge', '--transmitter', 'amber')[1] == 'comms/comms_ridge_amber_coverage.png\n'
    )
    assert mapped.calls.pop()[1][2:] == ('amber', [], 100)
    code, printed, _ = say(
        'comms', 'build-graph', 'comms_ridge', '--out', out, '--set', 'comms.tile_size_m=7', '--seed', 5
    )
    assert (code, printed) == (0, f'a.dot\na.dat\n{out}/comms_ridge_graph.png\n')
    config, site, _ = paired.calls.pop()[1]
    assert (config.tile_size_m, config.graph, config.grid, site.seed) == (7.0, None, None, 5)
    assert written.calls.pop()[1] == ('graph', 'grid', out, 'comms_ridge') and drawn.calls.pop()[1][:2] == (
        'heights',
        'graph',
    )
    assert say('comms', 'build-graph', 'comms_ridge')[1] == 'a.dot\na.dat\ncomms/comms_ridge_graph.png\n'


# -- by hand, and looked at -----------------------------------------------------------------------------------------


def test_teleop_hands_on_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    command, pad, keys = Noted(), Noted(), Noted()
    command._answers['returns'] = command
    monkeypatch.setattr('regolith_bringup.run.teleop.VehicleCommand', command)
    monkeypatch.setattr('regolith_bringup.run.teleop.Gamepad', pad)
    monkeypatch.setattr('regolith_bringup.run.teleop.Keyboard', keys)
    assert (
        say(
            'teleop',
            'amber',
            '--linear',
            1.5,
            '--angular',
            0.75,
            '--gamepad',
            tmp_path / 'js0',
            *DOMAIN,
            '--namespace',
            'e',
        )[0]
        == 0
    )
    assert command.calls[0] == ('', ('amber', '17', 'e'), {}) and pad.calls[0] == (
        '',
        (tmp_path / 'js0', 1.5, 0.75),
        {},
    )
    assert command.of('follow') == (pad,) and not keys.calls
    monkeypatch.setattr('sys.stdin', SimpleNamespace(isatty=lambda: True))
    assert say('teleop', 'amber')[0] == 0
    assert keys.calls[0] == ('', (0.3, 0.5), {}) and command.calls[-2][1] == (keys,)
    monkeypatch.setattr('sys.stdin', SimpleNamespace(isatty=lambda: False))
    code, _, err = say('teleop', 'amber')
    assert code == 2 and 'stdin is not a terminal' in err


def test_view_of_a_running_world_gets_all_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = Noted(returns=None)
    monkeypatch.setattr('regolith_bringup.run.live_view.show_live', shown)
    save = tmp_path / 'a.rrd'
    topics = ('--topic', '/a', '--topic', '/b')
    assert say('view', '--live', '--save', save, *topics, '--update-period', 2.5, *DOMAIN, '--namespace', 'e')[0] == 0
    assert shown.calls.pop() == (
        '',
        ('17', 'e'),
        {'web': False, 'save': save, 'connect': None, 'topics': ('/a', '/b'), 'every_s': 2.5},
    )
    assert say('view', '--live', '--web')[0] == 0
    assert shown.calls.pop() == (
        '',
        (None, ''),
        {'web': True, 'save': None, 'connect': None, 'topics': (), 'every_s': None},
    )
    address = 'rerun+http://h:9876/proxy'
    assert say('view', '--live', '--connect', address)[0] == 0 and shown.calls.pop()[2]['connect'] == address


def test_view_of_a_run_gets_all_options(
    say: Any, monkeypatch: pytest.MonkeyPatch, run_dir: Path, tmp_path: Path
) -> None:
    drawn = Noted(returns=None)

    def draw(tools: Any, run: Path, branch: int, end: Any, file: Path | None, address: Any, *, following: bool) -> None:
        drawn(run, branch, end, address, following=following)
        if file is not None:
            file.write_bytes(b'rrd')

    take = Noted(returns=None)
    monkeypatch.setattr('regolith_bringup.commands.view._draw', draw)
    monkeypatch.setattr('regolith_bringup.view.viewer.screenshot', take)
    monkeypatch.setattr('regolith_bringup.view.headless_browser.require_browser', lambda: None)
    save, screenshot = tmp_path / 'a.rrd', tmp_path / 'a.png'
    assert (
        say('view', run_dir, '--save', save, '--end', 0, '--branch', 2) == (0, f'{save}\n', '')
        and save.read_bytes() == b'rrd'
    )
    assert drawn.calls.pop() == ('', (run_dir, 2, 0.0, None), {'following': False}) and not take.calls
    assert say('view', run_dir, '--save', save, '--screenshot', screenshot, '--size', '300x8192') == (
        0,
        f'{save}\n{screenshot}\n',
        '',
    )
    assert drawn.calls.pop() == ('', (run_dir, 0, None, None), {'following': True})
    assert take.calls.pop()[1][1:] == (screenshot, (300, 8192))
    assert say('view', run_dir, '--screenshot', screenshot)[0] == 0 and take.calls.pop()[1][2] == (1600, 1000)
    address = 'rerun+http://h:9876/proxy'
    assert say('view', run_dir, '--connect', address) == (0, '', '')
    assert drawn.calls.pop()[1] == (run_dir, 0, None, address)


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        ('', 'no run is given; allowed: either a run folder or --live'),
        ('RUN --live', 'RUN and --live'),
        ('RUN --web --save a.rrd', '--web and --save; allowed: one of them'),
        ('RUN --screenshot a.png --connect rerun://a', '--screenshot and --connect'),
        ('RUN --web --save a --screenshot b', '--web and --save and --screenshot'),
        ('--live --screenshot a.png', '--screenshot: does not apply to a running simulation'),
        ('RUN --connect http://a', 'is not the address of a viewer'),
        ('RUN --update-period 1 --web', '--update-period: does not apply to a recorded run'),
        ('RUN --topic /a --web', '--topic: does not apply to a recorded run'),
        ('RUN --domain 3 --web', '--domain: does not apply to a recorded run'),
        ('RUN --save /nope/a.rrd', 'its folder does not exist'),
        ('RUN --save /tmp', 'is a folder'),
        *(
            (f'RUN --save a.rrd --size {size}', 'is not a size; allowed: WIDTHxHEIGHT, each from 200 to 8192')
            for size in ('199x300', '300x199', '8193x300', '300x8193', '300', '300x300x300', 'axb', '-300x300')
        ),
    ],
)
def test_what_view_refuses(
    say: Any, run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = say('view', *(run_dir if word == 'RUN' else word for word in words.split()))
    assert (code, out) == (2, '') and said in err and not list(tmp_path.iterdir())
