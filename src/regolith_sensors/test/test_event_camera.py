# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Event camera: events of ramps, sinusoids, moving edges and noise against their closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_sensors.arrays import Floats
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.event_camera.event_camera import EventCamera
from regolith_sensors.event_camera.event_pixels import EventPixels, Events

SECOND = 1_000_000_000
IDEAL: dict[str, Any] = {
    'width': 8,
    'height': 4,
    'pixel_size_m': 1e-5,
    'focal_length_m': 1e-2,
    'threshold_stddev': 0.0,
    'cutoff_hz': None,
    'refractory_s': 0.0,
    'leak_rate_hz': 0.0,
    'shot_rate_hz': 0.0,
}
QUIET = Events(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int8))


def config(**changes: Any) -> EventCameraConfig:
    return EventCameraConfig.model_validate({**IDEAL, **changes})


def brightness(level: Any, of: EventCameraConfig) -> Floats:
    """Return the image whose levels ln(I + I0) are given, shape (height, width)."""
    found: Floats = np.exp(np.broadcast_to(level, (of.height, of.width))) - of.dark_level
    return found


def seen(pixels: EventPixels, levels: list[tuple[int, Any]]) -> Events:
    """Return the events of images with given levels at given times [ns]."""
    pixels.reset(levels[0][0], brightness(levels[0][1], pixels.config))
    parts = [pixels.advance(t, brightness(level, pixels.config), QUIET) for t, level in levels[1:]]
    return Events(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def test_a_ramp_gives_events_at_equal_times() -> None:
    """Row (a): L = r t gives events at t_k = k C / r, floor(dL / C) of them. Times are rounded up to 1 ns."""
    of = config(threshold_on=0.25, threshold_off=0.25)
    rate, base = 1.3, -2.0
    for sign in (1, -1):
        events = seen(EventPixels(of, 1, 'a'), [(0, base), (SECOND, base + sign * rate)])
        times = np.arange(1, math.floor(rate / 0.25) + 1) * 0.25 / rate
        for pixel in range(of.width * of.height):
            mine = events.pixel == pixel
            assert np.abs(events.t_ns[mine] - times * 1e9).max() < 2.0
            assert (events.polarity[mine] == sign).all()
    # The time is that of the whole ramp, however many images it has.
    parts = seen(EventPixels(of, 1, 'a'), [(k * SECOND // 7, base + rate * (k * SECOND // 7) / 1e9) for k in range(8)])
    assert np.abs(np.unique(parts.t_ns) - times * 1e9).max() < 3.0


def test_a_sinusoid_gives_the_events_of_its_amplitude() -> None:
    """Row (b): amplitude a gives floor(2 a / C) events per half period, +-1 by the phase of the reference."""
    of, amplitude = config(threshold_on=0.2, threshold_off=0.2), 0.75
    steps = 4000
    levels = [
        (k * SECOND // steps, -2.0 + amplitude * math.sin(8.0 * math.pi * k / steps)) for k in range(2 * steps + 1)
    ]
    events = seen(EventPixels(of, 1, 'a'), levels)
    mine = events.pixel == 0
    half = np.floor((events.t_ns[mine] * 1e-9 - 1.0 / 16.0) * 8.0).astype(int)  # from extreme to extreme
    for n in range(0, 14):
        assert abs(int((half == n).sum()) - math.floor(2.0 * amplitude / 0.2)) <= 1
        assert len(set(events.polarity[mine][half == n].tolist())) == 1


def test_a_moving_edge_gives_its_contrast() -> None:
    """Row (c): an edge of contrast c that moves at v px/s gives floor(ln(c) / C) events per pixel, spread over 1 / v."""
    of = config(width=24, height=2, threshold_on=0.2, threshold_off=0.2)
    contrast, speed, dark = 5.0, 40.0, 0.1
    column = np.arange(of.width)
    pixels, parts = EventPixels(of, 1, 'a'), []
    pixels.reset(0, np.full((2, of.width), dark))
    for k in range(1, 401):
        covered = np.clip(speed * k / 500.0 - column, 0.0, 1.0)  # a pixel averages over its area
        parts.append(
            pixels.advance(k * SECOND // 500, np.tile(dark + dark * (contrast - 1.0) * covered, (2, 1)), QUIET)
        )
    events = Events(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    levels = math.log((dark * contrast + of.dark_level) / (dark + of.dark_level))
    for pixel in range(of.width):
        mine = events.t_ns[events.pixel == pixel] * 1e-9
        assert len(mine) == math.floor(levels / 0.2)
        # Each pixel is crossed from pixel / v to (pixel + 1) / v. Images are 2 ms apart.
        assert mine.min() > pixel / speed - 2e-3 and mine.max() < (pixel + 1) / speed + 2e-3
        last = (math.exp(len(mine) * 0.2) * (dark + of.dark_level) - of.dark_level - dark) / (dark * (contrast - 1.0))
        assert mine.max() - pixel / speed == pytest.approx(last / speed, abs=2e-3)


def test_thresholds_differ_among_pixels() -> None:
    """Row (d): mean and standard deviation of 10^4 pixels, within 3 sigma of their sampling errors."""
    pixels = EventPixels(config(width=100, height=100, threshold_stddev=0.03, threshold_off=0.4), 3, 'a')
    for thresholds, mean in ((pixels.on, 0.2), (pixels.off, 0.4)):
        assert thresholds.mean() == pytest.approx(mean, abs=3.0 * 0.03 / 100.0)
        assert thresholds.std() == pytest.approx(0.03, abs=3.0 * 0.03 / math.sqrt(2e4))
    assert abs(np.corrcoef(pixels.on, pixels.off)[0, 1]) < 3.0 / 100.0
    least = EventPixels(config(width=100, height=100, threshold_stddev=0.1), 3, 'a')
    assert least.on.min() == 0.01


@pytest.mark.parametrize(('level', 'share'), [(0.0, 1.0), (0.5, 0.625), (2.0, 0.25)])
def test_noise_has_its_rates(level: float, share: float) -> None:
    """Row (e): a scene at rest gives leak events (ON) and shot noise (ON and OFF alike), within 3 sigma of Poisson."""
    of = config(width=64, height=64, leak_rate_hz=0.5, shot_rate_hz=2.0, rate_hz=1.0)
    camera = EventCamera(of, 4, 'a')
    image = np.full((64, 64), level)
    parts = [camera.events(n, n * SECOND, (n + 1) * SECOND, lambda _: image) for n in range(4)]
    events = Events(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    exposure = 4.0 * 64 * 64
    bright, dark = int((events.polarity > 0).sum()), int((events.polarity < 0).sum())
    for count, rate in ((bright, 0.5 + share), (dark, share)):
        assert abs(count - rate * exposure) < 3.0 * math.sqrt(rate * exposure)
    per_pixel = np.bincount(events.pixel, minlength=64 * 64)
    assert per_pixel.var() == pytest.approx(per_pixel.mean(), rel=3.0 * math.sqrt(2.0 / 4096) + 0.03)
    assert (np.diff(events.t_ns) >= 0).all() and camera.images == 6  # one at the start, one after the shortest step


def test_a_refractory_time_limits_the_rate() -> None:
    """Row (f): 5 ms allow at most 200 events per second, and the reference is the level at the end of that time."""
    of = config(refractory_s=5e-3, threshold_on=0.1)
    events = seen(EventPixels(of, 1, 'a'), [(k * SECOND // 100, -3.0 + 0.9 * k) for k in range(101)])
    mine = events.t_ns[events.pixel == 5]
    # A threshold takes 0.1 / 90 s, so events are 5 + 1.111 ms apart.
    assert np.abs(np.diff(mine) - (5e6 + 1e9 * 0.1 / 90.0)).max() < 3.0
    assert len(mine) == 164
    fast = seen(EventPixels(of, 1, 'a'), [(0, -3.0), (SECOND, 60.0)])
    assert int((fast.pixel == 5).sum()) == math.floor((1.0 - 0.1 / 63.0) / (5e-3 + 0.1 / 63.0)) + 1 < 200


def test_events_add_up_to_the_change_of_the_level() -> None:
    """Row (g): the sum of polarities times C is the change of the level, to C; each pixel with its own thresholds."""
    of = config(width=40, height=30, threshold_stddev=0.03, threshold_off=0.25)
    random = np.random.default_rng(5)
    levels = np.cumsum(random.normal(0.0, 0.2, (60, 30, 40)), axis=0) + 3.0
    pixels = EventPixels(of, 1, 'a')
    events = seen(pixels, [(k * SECOND // 100, level) for k, level in enumerate(levels)])
    steps = np.where(events.polarity > 0, pixels.on[events.pixel], -pixels.off[events.pixel])
    rebuilt = np.bincount(events.pixel, steps, 1200)
    change = (levels[-1] - levels[0]).ravel()
    assert ((change - rebuilt < pixels.on) & (rebuilt - change < pixels.off)).all()
    assert len(events.t_ns) > 20_000


def test_the_low_pass_filter_lags_a_ramp_by_its_time_constant() -> None:
    """A first-order filter follows L = r t at r (t - tau), with tau = 1 / (2 pi f) and f = 300 (I + 20) / 275 Hz."""
    of = config(cutoff_hz=300.0, threshold_on=5.0)
    pixels = EventPixels(of, 1, 'a')
    rate, start = 0.02, math.log(0.5 + of.dark_level)
    pixels.reset(0, brightness(start, of))
    for k in range(1, 201):
        pixels.advance(k * SECOND // 1000, brightness(start + rate * k * 1e-3, of), QUIET)
    constant = 1.0 / (2.0 * math.pi * 300.0 * (255.0 * 0.5 + 20.0) / 275.0)
    lag = (start + rate * 0.2 - pixels._level[0]) / rate
    assert lag == pytest.approx(constant, rel=0.01)  # the brightness rises by 0.4 % in 0.2 s


def test_images_are_rendered_where_brightness_changes() -> None:
    """A pixel changes by at most half a threshold between images, unless they are at the largest rate; else few."""
    of = config(rate_hz=10.0, max_image_rate_hz=1000.0)
    camera = EventCamera(of, 1, 'a')
    times: list[int] = []

    def look(t_ns: int) -> Floats:
        times.append(t_ns)
        t = t_ns * 1e-9
        return brightness(-3.0 + (10.0 * max(0.0, min(t - 0.25, 0.1)) + (2.0 if t > 0.52 else 0.0)), of)

    for n in range(8):
        camera.events(n, n * SECOND // 10, (n + 1) * SECOND // 10, look)
    images = np.array(sorted(set(times))) * 1e-9
    assert len(images) == len(times) == camera.images
    level = -3.0 + 10.0 * np.clip(images - 0.25, 0.0, 0.1) + 2.0 * (images > 0.52)
    step = np.diff(images)
    assert ((np.abs(np.diff(level)) <= 0.1 + 1e-9) | (step < 2e-3)).all() and step.min() >= 1e-3 - 1e-9
    assert len(images) < 60  # 8 messages, 10 images of the ramp, some to find its ends and the jump


def test_messages_continue_each_other_and_repeat() -> None:
    """Two messages give the events of one; after a gap the camera starts again; it repeats bit for bit."""
    of = config(threshold_stddev=0.03, leak_rate_hz=1.0, shot_rate_hz=1.0, refractory_s=1e-4, cutoff_hz=300.0)

    def look(t_ns: int) -> Floats:
        return brightness(-2.0 + np.sin(3.0 * t_ns * 1e-9 + 0.1 * np.arange(8)), of)

    runs = []
    for _ in range(2):
        camera = EventCamera(of, 1, 'a')
        runs.append([camera.events(n, n * SECOND // 10, (n + 1) * SECOND // 10, look) for n in (0, 1, 2, 7)])
    for first, second in zip(*runs, strict=True):
        assert all((a == b).all() for a, b in zip(first, second, strict=True))
    quiet = config()

    def ramp(t_ns: int) -> Floats:
        return brightness(-2.0 + t_ns * 1e-9, quiet)

    camera, whole = EventCamera(quiet, 1, 'a'), EventCamera(quiet, 1, 'a')
    parts = [camera.events(n, n * SECOND // 4, (n + 1) * SECOND // 4, ramp) for n in range(4)]
    joined = Events(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    once = whole.events(0, 0, SECOND, ramp)
    assert (joined.pixel == once.pixel).all() and np.abs(joined.t_ns - once.t_ns).max() < 100
    after = camera.events(9, 9 * SECOND, 9 * SECOND + SECOND // 10, ramp)  # 5 s later: no event for the gap
    assert len(after.t_ns) == 0


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'threshold_on': 0.0}, 'threshold_on'),
        ({'threshold_off': math.nan}, 'threshold_off'),
        ({'width': 4096, 'height': 4096}, 'allowed: 4000000'),
        ({'max_image_rate_hz': 50.0}, 'allowed: at least 100'),
        ({'refractory_s': -1.0}, 'refractory_s'),
        ({'full_scale': 0.0}, 'full_scale'),
        ({'distortion': {'coefficients': [5.0, 5.0]}}, 'wrong number'),
        (
            {'width': 640, 'height': 480, 'focal_length_m': 1e-3, 'distortion': {'coefficients': [-9.0, 0.0, 0.0]}},
            'allowed: coefficients of a lens that sees the whole image',
        ),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config(**changes)
