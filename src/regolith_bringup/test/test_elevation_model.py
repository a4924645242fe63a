# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of elevation models and meshes in scenarios: what check refuses, warns of and writes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS
from rasterio.transform import from_origin
from rasterio.warp import transform as warp

from regolith_bringup.cli import main
from regolith_bringup.scenario.elevation_model import needed
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.lighting import HorizonConfig
from regolith_sensors.inertial.gnss import Gnss
from regolith_sensors.light import Sun
from regolith_terrain.elevation.grid import local_frame
from regolith_terrain.elevation.open_model import open_elevation_model
from regolith_terrain.elevation.raster import RasterField

MOON = CRS.from_proj4('+proj=stere +lat_0=-90 +R=1737400 +units=m')
EARTH = CRS.from_epsg(32633)
LOCAL = CRS.from_wkt('LOCAL_CS["local metric grid",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]')  # term: WKT


def hills(count: int, spacing: float) -> np.ndarray:
    i, j = np.mgrid[0:count, 0:count]
    return (1500.0 + 0.5 * spacing * np.sin(0.2 * j) * np.cos(0.25 * i)).astype(np.float32)


def write(path: Path, rows: np.ndarray, crs: CRS | None, spacing: float) -> Path:
    half = 0.5 * spacing * len(rows)
    profile = {
        'driver': 'GTiff',
        'count': 1,
        'dtype': rows.dtype,
        'height': rows.shape[0],
        'width': rows.shape[1],
        'crs': crs,
        'transform': from_origin(500000.0 - half, 5e6 + half, spacing, spacing),
    }
    if crs == MOON:
        profile['transform'] = from_origin(157000.0, 91000.0, spacing, spacing)
    if crs == LOCAL:
        profile['transform'] = from_origin(-half, half, spacing, spacing)
    with rasterio.open(path, 'w', **profile) as file:
        file.write(rows, 1)
    return path


def scenario(folder: Path, terrain: str, more: str = '') -> Path:
    path = folder / 'site.yaml'
    vehicle = 'rover: {model: viper, position: [0.0, 0.0], driver: {type: constant, speed_mps: 0.2}}'
    path.write_text(f'duration_s: 5.0\nterrain: {{source: model.tif{terrain}}}\nvehicles:\n  {vehicle}\n{more}')
    return path


@pytest.mark.parametrize(
    ('crs', 'gravity', 'lunar'),
    [
        (MOON, 1.62, True),
        (MOON, 9.81, True),
        (EARTH, 9.81, False),
        (EARTH, 1.62, False),
        (LOCAL, 1.62, True),
        (LOCAL, 9.81, False),
        (None, 9.81, False),
    ],
)
def test_lunar_detail_is_added_to_lunar_maps_and_said(
    tmp_path: Path, crs: CRS | None, gravity: float, lunar: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / 'model.tif', hills(40, 2.0), crs, 2.0)
    path = scenario(tmp_path, '', f'world: {{gravity_mps2: {gravity}}}\n')
    resolved = load_scenario(path)
    assert resolved.scenario.terrain.has_rocks is lunar
    assert (resolved.scenario.terrain.detail == 'none') is not lunar
    notes = [line for line in resolved.notices if "lunar detail of 'highland' is added" in line]
    assert len(notes) == int(lunar) and all(line.startswith(f'{path}:2: note: terrain.source') for line in notes)
    with pytest.raises(SystemExit) as ended:
        main(['check', str(path)])
    assert ended.value.code == 0
    assert (notes[0] in capsys.readouterr().err) if lunar else True
    # Set explicitly, it is added to any map, and reported in the same words.
    wanted = load_scenario(path, ['terrain.detail={preset: mare}'])
    assert wanted.scenario.terrain.has_rocks
    assert len([line for line in wanted.notices if "lunar detail of 'mare' is added between the posts" in line]) == 1
    # A map of one body with the gravity of another one is warned of.
    (found,) = [line for line in resolved.notices if 'gravity' in line] or ['']
    earthly = 'is the gravity of the Earth, but terrain.source is a map of the Moon' in found
    lunar_one = 'is the gravity of the Moon, but terrain.source is a map of the Earth' in found
    assert (earthly, lunar_one) == ((crs, gravity) == (MOON, 9.81), (crs, gravity) == (EARTH, 1.62))


def test_large_model_is_read_where_vehicles_and_sensors_reach(tmp_path: Path) -> None:
    """Of 2100 x 2100 posts the square around the vehicle is read; heights in it are those of the whole model."""
    write(tmp_path / 'model.tif', hills(2100, 5.0), MOON, 5.0)
    path = scenario(tmp_path, ', detail: none')
    resolved = load_scenario(path)
    window = resolved.scenario.terrain.window
    assert window is not None and any('2100 x 2100 posts are read' in line for line in resolved.notices)
    # size_m 100, 1 m of driving, 100 m beyond.
    assert (*window.low, *window.high) == needed(resolved.scenario) == (-150.0, -150.0, 150.0, 150.0)
    from regolith_terrain.height_field_builder import build_height_field

    part = build_height_field(resolved.scenario.terrain, 0)
    whole = build_height_field(resolved.scenario.terrain.model_copy(update={'window': None}), 0)
    assert part.posts.shape < (100, 100) and whole.posts.shape == (2100, 2100)
    x, y = np.random.default_rng(0).uniform(-150.0, 150.0, (2, 500))
    np.testing.assert_allclose(part.heights(x, y), whole.heights(x, y), atol=1e-9)
    # A camera sees a kilometer; a window of the user's holds whatever is needed.
    seeing = load_scenario(path, ['vehicles.rover.sensors={eye: {model: navcam}}']).scenario.terrain.window
    assert seeing is not None and seeing.high == (1050.0, 1050.0)
    own = load_scenario(path, ['terrain.window={low: [-40, -30], high: [50, 60]}'])
    assert own.scenario.terrain.window.low == (-40.0, -30.0) and len(own.notices) == 1
    # On this projection of the south pole the convergence is the longitude of the center.
    turn_deg = np.degrees(np.arctan2(157000.0 + 2100 * 2.5, 91000.0 - 2100 * 2.5))
    assert f'are turned by {turn_deg:.1f} degrees' in own.notices[0] and 'terrain.north: grid' in own.notices[0]
    assert not load_scenario(path, ['terrain.window={low: [-40, -30], high: [50, 60]}', 'terrain.north=grid']).notices
    with pytest.raises(InputError, match='is outside the elevation model'):
        load_scenario(path, ['terrain.window={low: [-400, -300], high: [-200, -60]}'])
    with pytest.raises(InputError, match='off the map'):
        load_scenario(path, ['terrain.window={low: [9000, 9000], high: [9900, 9900]}'])


def test_large_models_are_one_file_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second reader maps the first one's copy; a changed file makes another."""
    from regolith_terrain.elevation import open_model, shared_heights
    from regolith_terrain.elevation.raster import RasterField

    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    path = write(tmp_path / 'model.tif', hills(600, 2.0), MOON, 2.0)
    first = RasterField.from_file(path)
    copies = list((tmp_path / 'cache/regolith/elevation').glob('*'))
    assert len(copies) == 1 and copies[0].stat().st_size == pytest.approx(8 * 600 * 600, abs=200)
    with monkeypatch.context() as patch:
        patch.setattr(open_model, 'check_heights', lambda *_, **__: pytest.fail('read again'))
        second = RasterField.from_file(path)
    assert second.fingerprint() == first.fingerprint() and np.array_equal(second.posts, first.posts)
    base = second.posts.base
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    write(path, hills(600, 2.0) + np.float32(1.0), MOON, 2.0)
    assert RasterField.from_file(path).fingerprint() != first.fingerprint()
    # An unusable folder is no obstacle.
    monkeypatch.setattr(shared_heights, 'cache_folder', lambda: None)
    assert RasterField.from_file(path).posts.shape == (600, 600)


def test_sites_narrower_than_a_vehicle_are_refused(tmp_path: Path) -> None:
    write(tmp_path / 'model.tif', hills(60, 0.01), LOCAL, 0.01)
    with pytest.raises(InputError, match=r'site\.yaml:2: .* site of 0\.6 x 0\.6 m, narrower than a vehicle; allowed'):
        load_scenario(scenario(tmp_path, ''))


def test_steep_models_are_warned_of(tmp_path: Path) -> None:
    rows = hills(60, 2.0)
    rows[:, 40:] += np.float32(70.0)
    write(tmp_path / 'model.tif', rows, LOCAL, 2.0)
    (warning,) = load_scenario(scenario(tmp_path, ', detail: none')).notices
    assert (
        'site.yaml:2: warning: terrain.source' in warning
        and 'fix: set terrain.nodata' in warning
        and 'terrain.height_scale' in warning
    )


@pytest.mark.parametrize('window', ['', ', window: {low: [-20.0, -41.0], high: [41.0, 15.0]}'])
def test_steps_that_are_warned_of_are_named_by_row_and_column_of_the_file(tmp_path: Path, window: str) -> None:
    """Ground that is 31 m lower from row 40 on, 30 m beside column 34; read as a whole, and without the first rows."""
    rows = np.zeros((60, 60), np.float32)
    rows[40:], rows[40:, 34] = -30.0, -31.0
    write(tmp_path / 'model.tif', rows, LOCAL, 2.0)
    (warning,) = (n for n in load_scenario(scenario(tmp_path, f', detail: none{window}')).notices if 'step by' in n)
    assert '(row 39, column 34)' in warning


def test_keys_of_models_are_refused_without_one(tmp_path: Path) -> None:
    for key, value in (('nodata', -9999), ('height_scale', 2.0), ('height_offset_m', 3.0)):
        with pytest.raises(InputError, match=rf'terrain\.{key} = .*: applies only to elevation models'):
            load_scenario('two_rovers', [f'terrain.{key}={value}'])


def tetrahedron(path: Path, side: float) -> None:
    corners = side * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = ((1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4))
    lines = [f'v {x} {y} {z}' for x, y, z in corners] + [f'f {a} {b} {c}' for a, b, c in faces]
    path.write_text('\n'.join(lines) + '\n')


def test_meshes_of_unlikely_size_are_refused_or_warned_of_where_their_scale_is_stated(tmp_path: Path) -> None:
    for side, more, told in (
        (600.0, '', 'refused'),
        (60.0, '', 'warned'),
        (6.0, '', ''),
        (60.0, ', scale: 1.0', ''),
        (600.0, ', scale: 1.0', 'warned'),
        (101.0, ', scale: 1', 'warned'),
        (600.0, ', scale: 0.001', ''),
        (0.02, ', scale: 1.0', 'small'),
    ):
        name = f'part_{side:g}.obj'  # MuJoCo keeps what it read of a name in the last second
        tetrahedron(tmp_path / name, side)
        path = tmp_path / 'a.yaml'
        path.write_text(
            'terrain: {source: flat}\nobstacles:\n'
            f'  part: {{type: mesh, path: {name}, position: [700.0, 700.0]{more}}}\n'
            'vehicles:\n  rover: {model: viper, position: [0.0, 0.0]}\n'
        )
        if told == 'refused':
            with pytest.raises(InputError, match=r'a\.yaml:3: .* the mesh is 600 m wide; allowed: .*fix: set .*scale'):
                load_scenario(path)
            continue
        if told == 'small':
            with pytest.raises(
                InputError, match=r'piece of the mesh is 0\.02 m wide; allowed: 0\.03 to .*; fix: set scale'
            ):
                load_scenario(path)
            continue
        notices = load_scenario(path).notices
        assert bool(notices) is (told == 'warned')
        assert all('warning: obstacles.part.path' in line and f'{side:g} m wide' in line for line in notices)
        assert all('scale: 0.001 if the file is in mil' in line for line in notices if 'scale' in more)


RECEIVER = 'vehicles.rover.sensors={gnss: {model: gnss_lunanet}}'


def receiver(path: Path, *settings: str) -> GnssConfig:
    model = load_scenario(path, [RECEIVER, *settings]).scenario.vehicles['rover'].sensors['gnss']['model']
    return GnssConfig.model_validate(model)


def test_receivers_take_the_place_of_the_elevation_model(tmp_path: Path) -> None:
    """Fixes of places on a map are their own latitudes and longitudes, with axes to the north or along the map."""
    rows = hills(60, 5.0)
    write(tmp_path / 'model.tif', rows, MOON, 5.0)
    path, degrees = scenario(tmp_path, ', detail: none'), CRS.from_proj4('+proj=longlat +R=1737400 +no_defs')
    for north in ('true', 'grid'):
        config = receiver(path, f'terrain.north={north}')
        quiet = {f'{kind}_{way}_m': 0.0 for kind in ('noise', 'drift') for way in ('horizontal', 'vertical')}
        gnss = Gnss(config.model_copy(update=quiet), 1, 'g')
        # A post 25 columns east and 20 rows north of the middle on the map, which lies between posts.
        x, y = 157000.0 + 5.0 * (29.5 + 0.5 + 25), 91000.0 - 5.0 * (29.5 + 0.5 - 20)
        (lon,), (lat,) = warp(MOON, degrees, [x], [y])
        field = RasterField.from_file(tmp_path / 'model.tif', north=north)
        frame = local_frame(open_elevation_model(tmp_path / 'model.tif'), None, north)
        local = np.linalg.solve(np.array(frame.jacobian).reshape(2, 2), [x - frame.x, y - frame.y])
        found = gnss.fix(0, (*local, float(field.heights(*local))))
        # 160 m from the origin the plane frame is off by d^2 tan(lat) / R = 0.14 m, 5e-6 degrees of latitude and ten
        # times that of longitude.
        assert found[0] == pytest.approx(lat, abs=1e-5) and found[1] == pytest.approx(lon, abs=1e-4)
        height = float(field.heights(*local)) + field.datum
        assert found[2] == pytest.approx(height, abs=1e-9) and 1490.0 < height < 1510.0


def test_receivers_without_a_place_are_refused(tmp_path: Path) -> None:
    write(tmp_path / 'model.tif', hills(40, 2.0), LOCAL, 2.0)
    path = scenario(tmp_path, ', detail: none')
    for settings in ([RECEIVER], [RECEIVER, 'terrain={source: flat}']):
        with pytest.raises(
            InputError, match=r'sensors\.gnss\.model: .*altitude_m unknown; allowed: .*fix: set terrain'
        ):
            load_scenario(path, settings)
    site = 'terrain.site={latitude_deg: -85.0, longitude_deg: 200.0, altitude_m: 12.0}'
    found = receiver(path, site)
    assert (found.latitude_deg, found.longitude_deg, found.altitude_m) == (-85.0, -160.0, 12.0)
    # What the receiver's model states stays.
    own = receiver(path, site, 'vehicles.rover.sensors.gnss.model={type: gnss, latitude_deg: 3.0}')
    assert (own.latitude_deg, own.longitude_deg) == (3.0, -160.0)
    with pytest.raises(InputError, match='body: moon, but the origin is on body: earth'):
        receiver(path, site, 'terrain.site.body=earth')


def test_receiver_on_another_body_is_refused_plainly(tmp_path: Path) -> None:
    write(tmp_path / 'mars.tif', hills(40, 2.0), CRS.from_proj4('+proj=eqc +R=3396190 +units=m'), 2.0)
    path = scenario(tmp_path, '').read_text().replace('model.tif', 'mars.tif')
    (tmp_path / 'mars.yaml').write_text(path)
    with pytest.raises(InputError, match='positions exist on the Moon and the Earth only') as error:
        receiver(tmp_path / 'mars.yaml')
    assert 'body: other' not in str(error.value)
    with pytest.raises(InputError, match=r'which is another one; allowed: no terrain.site'):
        load_scenario(tmp_path / 'mars.yaml', ['terrain.site={latitude_deg: 3.0, longitude_deg: 4.0}'])


@pytest.mark.parametrize('latitude', [-90.0, 90.0])
def test_poles_are_places_of_a_site(tmp_path: Path, latitude: float) -> None:
    """A receiver there gives fixes beside the pole, not beyond it."""
    flat = tmp_path / 'flat.yaml'
    flat.write_text('terrain: {source: flat}\nvehicles:\n  rover: {model: viper, position: [0.0, 0.0]}\n')
    config = receiver(flat, f'terrain.site={{latitude_deg: {latitude}, longitude_deg: 0.0}}')
    found = Gnss(config, 1, 'g').fix(0, (3.0, 40.0, 0.0))
    assert 0.0 < 90.0 - abs(found[0]) < 0.01 and abs(found[1]) <= 180.0


def test_the_sun_stands_over_the_elevation_model_whichever_way_its_axes_lie(tmp_path: Path) -> None:
    """Shadows fall the same way on the map; the place is the model's unless the section states one."""
    write(tmp_path / 'model.tif', hills(60, 5.0), MOON, 5.0)
    path = scenario(tmp_path, ', detail: none')

    def sun(*settings: str) -> Sun:
        found = load_scenario(path, ['light.sun={utc: 2026-11-21T12:00:00Z}', *settings]).scenario.light.sun_at(0)
        assert found is not None
        return found

    shadows = []
    for north in ('true', 'grid'):
        jacobian = np.array(local_frame(open_elevation_model(tmp_path / 'model.tif'), None, north).jacobian).reshape(
            2, 2
        )
        along = jacobian @ sun(f'terrain.north={north}').direction[:2]
        shadows.append(along / np.linalg.norm(along))
    # The frame along the map's axes leaves the map's own turn within the site out: 1e-6 at its center.
    assert shadows[0] == pytest.approx(shadows[1], abs=1e-6)
    assert sun('terrain.north=true').azimuth != pytest.approx(sun('terrain.north=grid').azimuth, abs=0.1)
    frame = local_frame(open_elevation_model(tmp_path / 'model.tif'), None, 'true')
    stated = f'light.sun={{latitude_deg: {frame.latitude_deg!r}, longitude_deg: {frame.longitude_deg!r}, '
    assert sun(stated + 'utc: 2026-11-21T12:00:00Z}') == sun()
    assert sun(stated + 'utc: 2026-11-21T12:00:00Z, north_deg: 90.0}').azimuth == pytest.approx(
        (sun().azimuth - np.pi / 2) % (2 * np.pi)
    )


def test_a_sun_without_a_place_is_refused(tmp_path: Path) -> None:
    write(tmp_path / 'model.tif', hills(40, 2.0), LOCAL, 2.0)
    path, when = scenario(tmp_path, ', detail: none'), 'light.sun={utc: 2026-11-21T12:00:00Z}'
    with pytest.raises(
        InputError, match=r'light\.sun: .*latitude_deg, longitude_deg unknown; allowed: .*fix: set them'
    ):
        load_scenario(path, [when])
    site = 'terrain.site={latitude_deg: -85.0, longitude_deg: 200.0, altitude_m: 12.0'
    with pytest.raises(InputError, match='a time over the Moon, but the origin is on the Earth'):
        load_scenario(path, [when, site + ', body: earth}'])
    assert load_scenario(path, [when, site + '}']).scenario.light.sun.longitude_deg == 200.0


@pytest.mark.parametrize(('crs', 'body', 'map_body'), [(MOON, 'earth', 'moon'), (EARTH, 'moon', 'earth')])
def test_a_site_on_another_body_than_its_map_is_refused(tmp_path: Path, crs: CRS, body: str, map_body: str) -> None:
    write(tmp_path / 'model.tif', hills(40, 2.0), crs, 2.0)
    path = scenario(tmp_path, ', detail: none')
    site = f'terrain.site={{latitude_deg: -85.0, longitude_deg: 200.0, altitude_m: 12.0, body: {body}}}'
    with pytest.raises(InputError) as caught:
        load_scenario(path, [site])
    assert (
        f'terrain.site.body = {body!r}: is not the body of the elevation model, {map_body}; allowed: {map_body}'
        in str(caught.value)
    )


@pytest.mark.parametrize('crs', [MOON, LOCAL])
def test_a_window_beside_the_vehicles_is_named_as_the_cause(tmp_path: Path, crs: CRS) -> None:
    write(tmp_path / 'model.tif', hills(60, 2.0), crs, 2.0)
    with pytest.raises(InputError) as caught:
        load_scenario(scenario(tmp_path, ', detail: none'), ['terrain.window={low: [10, 10], high: [20, 20]}'])
    said = str(caught.value)
    assert 'is outside the elevation model' in said and 'fix: set terrain.window around it' in said
    assert 'from 7' not in said


@pytest.mark.parametrize('speed', [2.0, -2.0])
def test_a_vehicle_that_backs_up_needs_as_much_ground(tmp_path: Path, speed: float) -> None:
    """At 2 m/s for 200 s either way: 400 m, and 100 m beyond."""
    write(tmp_path / 'model.tif', hills(40, 5.0), MOON, 5.0)
    resolved = load_scenario(
        scenario(tmp_path, ', detail: none'), [f'vehicles.rover.driver.speed_mps={speed}', 'duration_s=200.0']
    )
    assert needed(resolved.scenario) == (-500.0, -500.0, 500.0, 500.0)


@pytest.mark.parametrize(('position', 'beyond'), [([10, 0], 960), ([-12, 4], 962), ([4, 15], 965), ([4, -18], 968)])
def test_sight_beyond_the_nearest_side_of_a_model_is_noted(tmp_path: Path, position: list[int], beyond: int) -> None:
    """A model of 100 m about the origin, sight of 1 km: less what there is of it towards each of its sides."""
    write(tmp_path / 'model.tif', hills(101, 1.0), LOCAL, 1.0)
    sensors = 'vehicles.rover.sensors={eye: {model: navcam}}'
    resolved = load_scenario(
        scenario(tmp_path, ', detail: none, map_size_m: 20'),
        [sensors, f'vehicles.rover.position={position}', 'light.view_range_m=1000'],
    )
    notes = [line for line in resolved.notices if 'beyond the model' in line]
    assert len(notes) == 1 and f'up to {beyond} m beyond' in notes[0]


def test_horizon_has_the_place_of_the_elevation_model_and_models_that_reach_beyond_the_rays(tmp_path: Path) -> None:
    write(tmp_path / 'model.tif', hills(60, 5.0), MOON, 5.0)
    write(tmp_path / 'wide.tif', hills(60, 50.0), MOON, 50.0)
    path, wide = scenario(tmp_path, ', detail: none'), tmp_path / 'wide.tif'

    def horizon(*settings: str) -> HorizonConfig:
        found = load_scenario(path, [f'light.horizon={{models: [{wide}]}}', 'light.view_range_m=300', *settings])
        assert found.scenario.light.horizon is not None
        return found.scenario.light.horizon

    frame = local_frame(open_elevation_model(tmp_path / 'model.tif'), None, 'true')
    found = horizon()
    assert (found.latitude_deg, found.longitude_deg) == (frame.latitude_deg, frame.longitude_deg)
    assert found.models == (str(wide),) and found.north_deg == 0.0
    heights = open_elevation_model(tmp_path / 'model.tif').read(0, 60, 0, 60)
    assert heights.min() - 1.0 < (found.altitude_m or 0.0) < heights.max() + 1.0
    assert horizon(f'light.horizon={{models: [{wide}], altitude_m: 7.0}}').altitude_m == 7.0
    for settings, message in (
        (['light.view_range_m=9000'], 'within light.view_range_m = 9000 m; allowed: a wider model'),
        (['light.horizon={models: [none.tif]}'], r"light\.horizon\.models\.0 = 'none\.tif': no such file"),
        (
            [f'light.horizon={{models: [{wide}, {wide}]}}'],
            r'light.horizon.models.1 = .*allowed: above 50 m',
        ),
        (['light.horizon={models: []}'], 'light.horizon.models'),
        ([f'light.horizon={{models: [{wide}], azimuths: 0}}'], 'light.horizon.azimuths = 0'),
    ):
        with pytest.raises(InputError, match=message):
            horizon(*settings)
    with pytest.raises(InputError, match=r'light.horizon: a horizon needs a place: .*allowed: a known place'):
        load_scenario('two_rovers', [f'light.horizon={{models: [{wide}]}}'])
