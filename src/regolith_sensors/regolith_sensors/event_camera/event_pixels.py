# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixels of an event camera: events from a sequence of images.

The level of a pixel is L = ln(I + I0), with its brightness I and the dark level I0, after a low-pass filter of first
order. A pixel keeps a reference level. When L exceeds it by the ON threshold or falls below it by the OFF threshold,
the pixel reports an event, and its reference moves by that threshold. With a refractory time the pixel is reset after
each event instead: no events in this time, and the reference is the level at its end.

Between two images the level is linear in time. So the times of events are exact for that.

Noise is a Poisson process. Leakage makes ON events; shot noise makes ON and OFF events at a rate that falls linearly to
a quarter at full scale. Such an event sets the reference to the level.

Simplifications: the level is linear between images also behind the filter; no events by junction temperature; no limit
of the readout bus.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Longs
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.noise import normals
from regolith_world.numerics import kernel
from regolith_world.random import generator, stream_key

Signs = NDArray[np.int8]

LEAST_THRESHOLD = 0.01
"""Smallest threshold of a pixel [-]."""
SHOT_NOISE_AT_FULL_SCALE = 0.25
"""Rate of shot noise at full scale relative to that in the dark [-]."""
_CUTOFF_OFFSET, _CUTOFF_SUM, _FULL = 20.0, 275.0, 255.0
"""Constants of the cut-off frequency, for brightness from 0 to 255."""
_BRIGHTEST = 1e60
_NEVER = -1


class Events(NamedTuple):
    """Events in the order of their times, then of their pixels."""

    t_ns: Longs
    """Simulated times [ns], shape (n,)."""
    pixel: Longs
    """Index of the pixel, row * width + column, shape (n,)."""
    polarity: Signs
    """1: brighter, -1: darker, shape (n,)."""


class EventPixels:
    """State of all pixels of an event camera.

    Source: lichtsteiner2008; hu2021v2e, section 3 (thresholds, low-pass filter, noise); rebecq2018 (linear level).
    Checked by: test_event_camera.py::test_a_ramp_gives_events_at_equal_times,
    test_event_camera.py::test_events_add_up_to_the_change_of_the_level.
    """

    def __init__(self, config: EventCameraConfig, seed: int, name: str) -> None:
        """Make the pixels; :meth:`reset` sets their levels.

        Args:
            config: Model of the camera.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config, self._seed, self._name = config, seed, name
        count = config.width * config.height
        self.on, self.off = (
            np.maximum(mean + config.threshold_stddev * self._fixed(what, count), LEAST_THRESHOLD)
            for mean, what in ((config.threshold_on, 'threshold_on'), (config.threshold_off, 'threshold_off'))
        )
        self.t_ns = _NEVER
        """Time of the levels [ns]; -1: before the first image."""
        self._light = np.zeros(count)
        self._level, self._reference = np.zeros(count), np.zeros(count)
        self._blind_until = np.full(count, _NEVER, dtype=np.int64)

    def _fixed(self, what: str, count: int) -> Floats:
        return normals(stream_key(self._seed, self._name, what), 0, count).astype(np.float64)

    def light(self, brightness: Floats) -> Floats:
        """Return the logarithm of the brightness with the dark level, shape (n,)."""
        found: Floats = np.log(np.clip(brightness, 0.0, _BRIGHTEST).ravel() + self.config.dark_level)
        return found

    def reset(self, t_ns: int, brightness: Floats) -> None:
        """Set levels and references of all pixels to those of an image.

        Args:
            t_ns: Time of the image [ns].
            brightness: Brightness, 1 at full scale [-], shape (height, width).
        """
        self.t_ns = t_ns
        self._light = self.light(brightness)
        self._level, self._reference = self._light.copy(), self._light.copy()
        self._blind_until[:] = _NEVER

    def change(self, brightness: Floats) -> float:
        """Return the largest change of a pixel from the last image to another, relative to the mean thresholds."""
        change = self.light(brightness) - self._light
        return max(float(change.max()) / self.config.threshold_on, -float(change.min()) / self.config.threshold_off)

    def advance(self, t_ns: int, brightness: Floats, noise: Events) -> Events:
        """Return the events up to an image.

        Args:
            t_ns: Time of the image [ns], later than that of the last one.
            brightness: Brightness, 1 at full scale [-], shape (height, width).
            noise: Events of :meth:`noise`, of which those up to this image are used.
        """
        if t_ns <= self.t_ns:
            raise ValueError(f't_ns = {t_ns}: is not later than {self.t_ns}')
        light = self.light(brightness)
        level = self._filtered(light, (t_ns - self.t_ns) * 1e-9)
        due = (noise.t_ns > self.t_ns) & (noise.t_ns <= t_ns)
        t, pixel, sign = (each[due] for each in noise)
        order = np.lexsort((t, pixel))
        furthest = np.maximum(np.abs(level - self._reference), np.abs(self._level - self._reference))
        steps = np.where(self._blind_until < 0, furthest, furthest + np.abs(level - self._level))
        most = int((steps / np.minimum(self.on, self.off)).astype(np.int64).sum())
        # A reset by noise or at the end of a refractory time may add a crossing.
        size = 2 * most + 2 * len(t) + len(level)
        out_t, out_pixel, out_sign = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int8)
        used = _cross(
            self._level,
            level,
            self.t_ns,
            t_ns,
            self._reference,
            self._blind_until,
            self.on,
            self.off,
            round(self.config.refractory_s * 1e9),
            t[order],
            pixel[order],
            sign[order],
            out_t,
            out_pixel,
            out_sign,
        )
        self.t_ns, self._light, self._level = t_ns, light, level
        return in_order(out_t[:used], out_pixel[:used], out_sign[:used])

    def _filtered(self, light: Floats, duration: float) -> Floats:
        """Return the filtered levels after a linear change of the light: the exact response of a filter of first order.

        Source: hu2021v2e, section 3.
        Checked by: test_event_camera.py::test_the_low_pass_filter_lags_a_ramp_by_its_time_constant.
        """
        if self.config.cutoff_hz is None:
            return light
        bright = np.clip(np.exp(0.5 * (light + self._light)) - self.config.dark_level, 0.0, 1.0) * _FULL
        cutoff = self.config.cutoff_hz * (bright + _CUTOFF_OFFSET) / _CUTOFF_SUM
        time_constant = 1.0 / (2.0 * math.pi * cutoff)
        lag = (light - self._light) / duration * time_constant
        found: Floats = light - lag + (self._level - self._light + lag) * np.exp(-duration / time_constant)
        return found

    def noise(self, n: int, start_ns: int, end_ns: int) -> Events:
        """Return the noise events of message n, from after ``start_ns`` to ``end_ns``.

        They depend on seed, sensor, n and the brightness of the last image only.

        Source: hu2021v2e, section 3.
        Checked by: test_event_camera.py::test_noise_has_its_rates.
        """
        config, count = self.config, len(self._level)
        random = generator(self._seed, self._name, 'events', n)
        duration = (end_ns - start_ns) * 1e-9
        leaks, shots = (random.poisson(rate * count * duration) for rate in (config.leak_rate_hz, config.shot_rate_hz))
        total = leaks + shots
        t = start_ns + 1 + random.integers(0, end_ns - start_ns, total)
        pixel = random.integers(0, count, total)
        sign = np.where(np.arange(total) < leaks, 1, 2 * random.integers(0, 2, total) - 1).astype(np.int8)
        bright = np.clip(np.exp(self._light[pixel]) - config.dark_level, 0.0, 1.0)
        share = 1.0 - (1.0 - SHOT_NOISE_AT_FULL_SCALE) * bright
        kept = (np.arange(total) < leaks) | (random.random(total) < share)
        return in_order(t[kept], pixel[kept], sign[kept])


def in_order(t: Longs, pixel: Longs, sign: Signs) -> Events:
    """Return events in the order of their times, then of their pixels."""
    order = np.lexsort((pixel, t))
    return Events(t[order], pixel[order], sign[order])


@kernel
def _cross(
    level_0: Floats,
    level_1: Floats,
    t_0: int,
    t_1: int,
    reference: Floats,
    blind_until: Longs,
    on: Floats,
    off: Floats,
    refractory: int,
    noise_t: Longs,
    noise_pixel: Longs,
    noise_sign: Signs,
    out_t: Longs,
    out_pixel: Longs,
    out_sign: Signs,
) -> int:
    """Write the events between two images, pixel by pixel; return their number.

    Args:
        level_0: Levels at ``t_0``, shape (n,).
        level_1: Levels at ``t_1``, shape (n,).
        t_0: Time of the first image [ns].
        t_1: Time of the second one [ns].
        reference: Reference levels, updated, shape (n,).
        blind_until: End of the refractory time [ns], or -1, updated, shape (n,).
        on: ON thresholds, shape (n,).
        off: OFF thresholds, shape (n,).
        refractory: Refractory time [ns].
        noise_t: Times of noise events after ``t_0``, up to ``t_1``, in the order of pixels, then times [ns].
        noise_pixel: Their pixels.
        noise_sign: Their polarities.
        out_t: Receives times [ns].
        out_pixel: Receives pixels.
        out_sign: Receives polarities.
    """
    used, k = 0, 0
    span = float(t_1 - t_0)
    for p in range(len(level_0)):
        begin, slope = level_0[p], (level_1[p] - level_0[p]) / span
        t = t_0
        while True:
            if blind_until[p] >= 0:
                if blind_until[p] > t_1:
                    break
                t = max(t, blind_until[p])
                reference[p] = begin + slope * (t - t_0)
                blind_until[p] = -1
            while k < len(noise_t) and noise_pixel[k] == p and noise_t[k] < t:
                k += 1
            # Times are rounded up: at the time of an event the level has reached the threshold.
            crossing, sign = t_1 + 1, 0
            if slope > 0.0 and level_1[p] >= reference[p] + on[p]:
                crossing, sign = t_0 + int(math.ceil((reference[p] + on[p] - begin) / slope)), 1
            elif slope < 0.0 and level_1[p] <= reference[p] - off[p]:
                crossing, sign = t_0 + int(math.ceil((reference[p] - off[p] - begin) / slope)), -1
            crossing = max(crossing, t)
            noisy = k < len(noise_t) and noise_pixel[k] == p and noise_t[k] < crossing
            if noisy:
                t, sign = noise_t[k], noise_sign[k]
                k += 1
            elif sign != 0:
                t = min(crossing, t_1)
            else:
                break
            out_t[used], out_pixel[used], out_sign[used] = t, p, sign
            used += 1
            if refractory > 0:
                blind_until[p] = t + refractory
            elif noisy:
                reference[p] = begin + slope * (t - t_0)
            else:
                reference[p] += on[p] if sign > 0 else -off[p]
        while k < len(noise_t) and noise_pixel[k] == p:  # within a refractory time
            k += 1
    return used
