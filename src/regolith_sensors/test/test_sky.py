# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of Earth, stars and ephemeris: reference points and values of light_and_heat.md section 6."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import astronomy
import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.ephemeris import earth_over, sub_earth_point, subsolar_point
from regolith_sensors.light import SUN_BANDS, Sun
from regolith_sensors.moon_axis import local_from_moon, moon_from_celestial, precise_points
from regolith_sensors.night_sky import (
    EARTH_RADIUS_M,
    EARTH_TINT,
    Sky,
    earth_irradiance,
    sky_over,
    solid_angles,
    star_irradiance,
    star_table,
    temperature,
)
from regolith_sensors.rays.camera_rays import CameraRays
from regolith_sensors.scene.scene import Scene
from regolith_terrain import MOON_RADIUS_M
from regolith_world.numerics import rotation

WHEN = datetime(2026, 11, 21, 12, tzinfo=UTC)
POINTS = (
    (datetime(2024, 1, 1, tzinfo=UTC), (-1.5542, -55.8609, 0.984833), (-4.6846, 0.0407, 404668.0)),
    (WHEN, (-1.5394, 35.3851, 0.989752), (-5.1511, -6.7845, 374687.0)),
    (datetime(2030, 6, 1, tzinfo=UTC), (0.1768, -177.7535, 1.011254), (-1.0508, -0.6147, 406278.0)),
)


@pytest.mark.parametrize(('when', 'sun', 'earth'), POINTS)
def test_precise_points_are_those_of_the_reference_ephemeris(
    when: datetime, sun: tuple[float, float, float], earth: tuple[float, float, float]
) -> None:
    """Section 6: DE421 with its librations; the worst differences over ten years are 0.0032 and 0.0042 degrees."""
    found_sun, found_earth = precise_points(when)
    assert np.degrees(found_sun[:2]) == pytest.approx(sun[:2], abs=0.0042)
    assert found_sun[2] == pytest.approx(sun[2], abs=1e-5)
    assert np.degrees(found_earth[:2]) == pytest.approx(earth[:2], abs=0.0042)
    # 1e-4 of the distance.
    assert found_earth[2] / 1e3 == pytest.approx(earth[2], abs=20.0)


def test_precise_sun_is_near_that_of_the_series() -> None:
    """Section 6: the series of Meeus differ by up to 0.041 degrees, and by 9e-5 au."""
    for week in range(0, 520, 13):
        when = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(weeks=week)
        one, other = subsolar_point(when), precise_points(when)[0]
        assert abs(math.remainder(one[1] - other[1], 2.0 * math.pi)) < math.radians(0.045)
        assert one[0] == pytest.approx(other[0], abs=math.radians(0.042))
        assert one[2] == pytest.approx(other[2], abs=1e-4)
    section = {'sun': {'latitude_deg': -89.0, 'longitude_deg': 10.0, 'utc': WHEN.isoformat()}}
    series, precise = (
        LightConfig.model_validate({**section, 'ephemeris': name}).sun_at(0) for name in ('meeus', 'astronomy_engine')
    )
    assert series is not None and precise is not None
    assert 0.0 < abs(series.elevation - precise.elevation) < math.radians(0.06)


def test_axis_of_the_moon_is_that_of_astronomy_engine() -> None:
    """Both use the report of 2009; predicted terrestrial time differs by seconds, in which the Moon turns by 2e-4 degrees each."""
    for when, _, _ in POINTS:
        axis = astronomy.RotationAxis(astronomy.Body.Moon, astronomy.Time.Make(*when.timetuple()[:6]))
        ours = moon_from_celestial(when)
        assert ours[2] == pytest.approx((axis.north.x, axis.north.y, axis.north.z), abs=1e-6)
        node = np.array([-math.sin(math.radians(15.0 * axis.ra)), math.cos(math.radians(15.0 * axis.ra)), 0.0])
        prime = (ours @ node)[:2]
        assert math.degrees(math.atan2(-prime[1], prime[0])) == pytest.approx(
            math.remainder(axis.spin, 360.0), abs=3e-3
        )


@pytest.mark.parametrize(
    ('magnitude', 'ascension_h', 'declination_deg'), [(-1.088, 6.7525, -16.7161), (-0.554, 6.3992, -52.6957)]
)
def test_directions_of_stars_are_those_of_astronomy_engine(
    magnitude: float, ascension_h: float, declination_deg: float
) -> None:
    """Section 6: Sirius and Canopus from a place near the south pole, within 0.02 degrees."""
    time = astronomy.Time.Make(2026, 11, 21, 12, 0, 0.0)
    astronomy.DefineStar(astronomy.Body.Star1, ascension_h, declination_deg, 100.0)
    to_star = astronomy.HelioVector(astronomy.Body.Star1, time)
    way = np.array([to_star.x, to_star.y, to_star.z])
    axis = astronomy.RotationAxis(astronomy.Body.Moon, time)
    # Latitude and west-east angle of the star over the Moon from its axis, independent of our matrices.
    pole = np.array([axis.north.x, axis.north.y, axis.north.z])
    node = np.array([-math.sin(math.radians(15.0 * axis.ra)), math.cos(math.radians(15.0 * axis.ra)), 0.0])
    way /= np.linalg.norm(way)
    latitude = math.asin(way @ pole)
    longitude = math.atan2(way @ np.cross(pole, node), way @ node) - math.radians(axis.spin)
    sky = sky_over(-1.5, 0.4, 0.3, WHEN, Sun(0.0, 0.1), True, True, False)
    number = {-1.088: 0, -0.554: 1}[magnitude]
    flat = math.cos(latitude)
    expected = local_from_moon(-1.5, 0.4, 0.3) @ (
        flat * math.cos(longitude),
        flat * math.sin(longitude),
        math.sin(latitude),
    )
    assert math.degrees(math.acos(min(sky.stars[number] @ expected, 1.0))) < 0.02


def test_earth_is_where_the_ephemeris_has_it() -> None:
    azimuth, elevation = earth_over(-1.5, 0.4, WHEN)
    sky = sky_over(-1.5, 0.4, 0.3, WHEN, Sun(0.0, 0.1), True, True, False)
    assert sky.earth is not None
    assert math.asin(sky.earth[2]) == pytest.approx(elevation, abs=1e-9)
    assert math.atan2(sky.earth[0], sky.earth[1]) % math.tau == pytest.approx((azimuth - 0.3) % math.tau, abs=1e-9)


def test_size_of_the_earth() -> None:
    """Section 6: 1.803 to 2.058 degrees from the near side, over the range of distances."""
    widths = []
    for day in range(0, 730):
        when = datetime(2029, 1, 1, tzinfo=UTC) + timedelta(days=day)
        latitude, longitude, _ = sub_earth_point(when)
        widths.append(2.0 * sky_over(latitude, longitude, 0.0, when, Sun(0.0, 0.1), False, True, False).earth_radius)
    # Days miss the extreme distances by a little.
    assert math.degrees(min(widths)) == pytest.approx(1.803, abs=0.004)
    assert math.degrees(max(widths)) == pytest.approx(2.058, abs=0.012)


@pytest.mark.parametrize(
    ('phase_deg', 'total'), [(0, 0.162), (30, 0.143), (60, 0.099), (90, 0.052), (120, 0.018), (150, 0.002)]
)
def test_earthshine(phase_deg: float, total: float) -> None:
    """Section 6: irradiance of the whole spectrum at the mean distance, to the printed digits."""
    radius = math.asin(EARTH_RADIUS_M / 384_400e3)
    found = earth_irradiance(math.radians(phase_deg), radius, np.full(3, 1361.0)) / EARTH_TINT
    assert found == pytest.approx(np.full(3, total), abs=6e-4)


def test_light_of_stars() -> None:
    """Section 6: temperatures of color indices, and the bands of a star of magnitude 0 that is colored like the sun."""
    assert temperature(np.array([0.65, 0.0, 1.5])) == pytest.approx((5778.0, 10125.0, 3794.0), abs=1.0)
    # B-V 0.6513 gives 5772 K, the temperature of the sun's bands.
    found = star_irradiance(np.array([0.0]), np.array([0.6523]))[0]
    assert found == pytest.approx((3.04e-9, 3.44e-9, 3.38e-9), rel=2e-3)
    assert found[1] / SUN_BANDS[1] == pytest.approx(1.977e-11, rel=1e-3)


def test_table_of_stars() -> None:
    """5000 rows, brightest first; the last has magnitude 6.08, and 1471 are brighter than 5 and 4559 than 6."""
    ways, light = star_table()
    assert ways.shape == light.shape == (5000, 3)
    assert np.linalg.norm(ways, axis=1) == pytest.approx(np.ones(5000), abs=1e-12)
    magnitude = -26.76 - 2.5 * np.log10(light[:, 1] / SUN_BANDS[1])
    assert np.all(np.diff(magnitude) > -1e-9)
    assert magnitude[-1] == pytest.approx(6.08, abs=0.005)
    assert (np.count_nonzero(magnitude < 5.0 + 1e-9), np.count_nonzero(magnitude < 6.0 + 1e-9)) == (1471, 4559)


def camera(width: int = 96, focal_px: float = 120.0, **changed: Any) -> Camera:
    values = {
        'width': width,
        'height': width,
        'pixel_size_m': 5e-6,
        'focal_length_m': focal_px * 5e-6,
        'f_number': 4.0,
        'focus_distance_m': 3.0,
        'exposure_s': 1e-3,
        'color': 'rgb',
        'edge_samples': 0,
        **changed,
    }
    return Camera(CameraConfig.model_validate(values), 1, 'sky')


def looking(way: np.ndarray, height: float = 2.0) -> CameraPose:
    yaw, pitch = math.atan2(way[1], way[0]), -math.asin(way[2])
    turn = np.array([0.0, math.sin(pitch / 2), 0.0, math.cos(pitch / 2)])
    about = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)])
    return CameraPose(np.array([0.0, 0.0, height]), rotation.product(about, turn))


def empty(sun: np.ndarray, **kept: Any) -> Sky:
    values: dict[str, Any] = {
        'earth': None,
        'earth_radius': math.radians(0.95),
        'sun': sun,
        'sunlight': np.array(SUN_BANDS),
        'stars': np.zeros((0, 3)),
        'starlight': np.zeros((0, 3)),
    }
    return Sky(**{**values, **kept})


def radiance_of(sky: Sky, eye: Camera, pose: CameraPose, scene: Scene | None) -> tuple[np.ndarray, CameraRays]:
    """Return the radiance of a night with this sky; without a scene the whole image is sky."""
    rays = eye.view(np.zeros(3), pose)
    if scene is None:
        radiance = np.zeros((*rays.rays.shape[:2], 3), np.float32)
        eye._add_sky(_Frame(radiance), sky, rays, (0.0, 0.0))  # type: ignore[arg-type]
        return radiance, rays
    scene.center(pose.position)
    night = Sun(0.0, math.radians(-30.0), sky=sky)
    return eye.expose(scene.commit(), scene.origin, lambda _: pose, night).radiance.copy(), rays


class _Frame:
    def __init__(self, radiance: np.ndarray) -> None:
        self.radiance, self.depth = radiance, np.full(radiance.shape[:2], np.inf, np.float32)


def energy(radiance: np.ndarray, rays: CameraRays) -> np.ndarray:
    """Return the irradiance normal to the rays that an image receives [W/m^2], per band."""
    i, j = (a.ravel() for a in np.indices(radiance.shape[:2]))
    around = solid_angles(rays.rays, i, j).reshape(radiance.shape[:2])
    total: np.ndarray = np.sum(radiance.astype(np.float64) * around[:, :, None], axis=(0, 1))
    return total


@pytest.mark.parametrize('phase_deg', [0.0, 60.0, 120.0])
def test_light_of_the_disc_is_the_earthshine(phase_deg: float) -> None:
    """The radiance of the disc, over its solid angle, is the irradiance of the phase function; 2 % are pixels."""
    earth = np.array([0.6, 0.0, 0.8])
    turn = math.radians(180.0 - phase_deg)
    sun = math.cos(turn) * earth + math.sin(turn) * np.array([0.0, 1.0, 0.0])
    sky = empty(sun, earth=earth)
    radiance, rays = radiance_of(sky, camera(160, 3000.0), looking(earth), None)
    expected = earth_irradiance(math.radians(phase_deg), sky.earth_radius, sky.sunlight)
    assert energy(radiance, rays) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize('distortion', [(), (-0.16, 0.05, 0.0, 0.0, -0.01)])
def test_flux_of_a_star(distortion: tuple[float, ...]) -> None:
    """Section 6: the light of one star, summed over its pixels, is its irradiance, within 1e-3."""
    eye = camera(96, 120.0, distortion={'coefficients': distortion})
    ahead = np.array([0.6, 0.0, 0.8])
    for aside in (0.0, 0.13, -0.21):
        star = ahead + aside * np.array([0.0, 1.0, 0.0]) + 0.3 * aside * np.array([0.8, 0.0, -0.6])
        star /= np.linalg.norm(star)
        sky = empty(ahead, stars=star[None, :], starlight=np.array([[1e-9, 2e-9, 3e-9]]))
        radiance, rays = radiance_of(sky, eye, looking(ahead), None)
        assert energy(radiance, rays) == pytest.approx((1e-9, 2e-9, 3e-9), rel=1e-3)
        assert 1 <= np.count_nonzero(radiance[..., 1]) <= 4
        # The brightest pixel looks at the star.
        at = np.unravel_index(np.argmax(radiance[..., 1]), radiance.shape[:2])
        assert np.arccos(min(1.0, rays.rays[at] @ (star @ rays.rotation))) < rays.pixel_angle


def test_every_star_is_shown() -> None:
    """Section 6: six cameras around see all 5000."""
    ways, light = star_table()
    seen = np.zeros(3)
    for axis in (*np.eye(3), *-np.eye(3)):
        pose = looking(axis if abs(axis[2]) < 1.0 else axis * (1.0 - 1e-12))
        sky = empty(np.array([0.0, 0.0, -1.0]), stars=ways, starlight=light)
        radiance, rays = radiance_of(sky, camera(301, 150.0), pose, None)
        seen += energy(radiance, rays)
    # A camera of 90 degrees and half a pixel; stars at its edges are in two images, or in part of one.
    assert seen == pytest.approx(light.sum(axis=0), rel=0.01)


def test_ground_and_earth_hide_stars(flat_scene: Any) -> None:
    """Section 6: stars behind the ground or the Earth are not seen; those above the horizon are."""
    low, high = np.array([math.cos(-0.2), 0.0, math.sin(-0.2)]), np.array([math.cos(0.2), 0.0, math.sin(0.2)])
    behind = np.array([math.cos(0.1), 0.0, math.sin(0.1)])
    sun = -behind
    light = np.array([[1e-9, 1e-9, 1e-9]])
    for stars, kept in ((low, 0.0), (high, 1e-9), (behind, 0.0)):
        sky = empty(sun, stars=stars[None, :], starlight=light, earth=behind)
        without = empty(sun, earth=behind)
        pictures = [radiance_of(s, camera(), looking(np.array([1.0, 0.0, 0.0])), flat_scene()) for s in (sky, without)]
        one, other = (energy(*picture) for picture in pictures)
        assert one[1] - other[1] == pytest.approx(kept, rel=2e-3, abs=2e-12)


def test_earthshine_lights_the_night(flat_scene: Any) -> None:
    """White ground below the full Earth at the zenith has the radiance E / pi; without earthshine it is black."""
    up = np.array([0.0, 0.0, 1.0])
    down = looking(np.array([0.0, 0.0, -1.0 + 1e-12]))
    for shine in (True, False):
        sky = empty(-up, earth=up, earthshine=shine)
        radiance, _ = radiance_of(sky, camera(32), down, flat_scene())
        expected = earth_irradiance(0.0, sky.earth_radius, sky.sunlight) / math.pi * shine
        assert radiance[8, 8] == pytest.approx(expected, rel=2e-3)
    below = empty(up, earth=-up, earthshine=True)
    assert below.lamps(np.zeros(3)) == []


def test_moon_hides_no_stars_by_its_radius() -> None:
    """The direction to the Earth from the near side is closer by the Moon's radius: 1.6 % of the distance."""
    latitude, longitude, distance = sub_earth_point(WHEN)
    near = sky_over(latitude, longitude, 0.0, WHEN, Sun(0.0, 0.1), False, True, False).earth_radius
    assert math.sin(near) == pytest.approx(EARTH_RADIUS_M / (distance - MOON_RADIUS_M), rel=1e-9)


@pytest.mark.parametrize(
    'light',
    [
        {'sky': {}, 'sun': None},
        {'sky': {}, 'sun': {'azimuth_deg': 0.0, 'elevation_deg': 10.0}},
        {'sky': {'stars': 3}, 'sun': {'utc': '2026-11-21T12:00:00Z'}},
        {'sky': {'moon': True}, 'sun': {'utc': '2026-11-21T12:00:00Z'}},
        {'ephemeris': 'de421'},
        {'sun': {'utc': '9999-12-31T23:59:59Z'}},
        {'sun': {'utc': '0001-01-01T00:00:00Z'}},
        {'sun': {'utc': '1899-12-31T23:59:59Z'}},
    ],
)
def test_bad_settings_are_refused(light: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LightConfig.model_validate(light)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('regolith_sensors.config.lighting.has_astronomy_engine', lambda: False)
    with pytest.raises(ValidationError, match='needs the Python package astronomy-engine, which is not installed'):
        LightConfig.model_validate({'ephemeris': 'astronomy_engine'})
