# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the single-pass camera readout against the stages one after another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera import stages
from regolith_sensors.camera.pipeline import Camera
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import BAND_WAVELENGTHS
from regolith_sensors.noise import normals
from regolith_sensors.rays.image import empty_frame
from regolith_world.random.philox import stream_key

# Odd sizes, so that rows begin inside blocks of four random numbers.
BASE: dict[str, Any] = {
    'width': 51,
    'height': 37,
    'pixel_size_m': 7e-6,
    'focal_length_m': 4e-3,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'color': 'rgb',
    'focus_distance_m': 3.0,
    'defocus_gain': 20.0,
    'vignetting_gain': 0.6,
    'iso': 150.0,
    'white_balance': 'none',
    'noise': {'dark_current': [10, 12, 14], 'read': [5, 4, 3], 'prnu': 0.02, 'dsnu': 2, 'row': 1, 'hot_fraction': 1e-2},
}


def individual_contact(device: Camera, frame: Any, n: int) -> Any:
    """Return the digital numbers by the reference stages, with an image after each."""
    c, on, pattern = device.config, device.config.stages, device._pattern
    channels = slice(0, 3) if c.color == 'rgb' else slice(1, 2)
    image = frame.radiance if c.color == 'rgb' else frame.radiance.mean(axis=2, keepdims=True)
    spot = stages.defocus_diameter(
        frame.depth, c.focal_length_m, c.f_number, c.pixel_size_m, c.focus_distance, c.defocus_gain
    )
    image = stages.defocus(image, spot, c.defocus_variant)
    if on.vignetting:
        image = stages.vignette(image, c.focal_length_m, c.pixel_size_m, c.vignetting_gain)
    gain = c.aggregator_gain or np.array([stages.physical_gain(c.transmission, w) for w in BAND_WAVELENGTHS])[channels]
    signal = stages.aggregate(
        image, gain, c.pixel_size_m, c.f_number, 1.0, c.quantum_efficiency[channels]
    ) * np.float32(c.exposure_s)
    signal = signal * pattern.gain if on.fixed_pattern else signal
    if on.noise:
        z = (normals(stream_key(5, 'cam', q), n, signal.size).reshape(signal.shape) for q in ('shot', 'read'))
        dark = pattern.dark if on.fixed_pattern else np.array(c.noise.dark_current[channels])
        signal = stages.add_noise(
            signal,
            dark,
            c.exposure_s,
            c.noise.gain[channels],
            c.noise.read[channels],
            *z,
            electrons=c.aggregator_gain is None,
        )
    signal = np.minimum(signal + pattern.offset if on.fixed_pattern else signal, np.float32(c.full_well))
    if not on.response or c.response.slope is None:
        iso = c.iso if on.response else 100.0
        return stages.quantize(stages.respond(signal, 'linear', 1.0 / (100.0 * c.full_well), 0.0, iso))
    r = c.response
    return stages.quantize(
        stages.respond(
            signal, r.kind, np.array(c.response.slope)[channels], np.array(r.offset)[channels], c.iso, r.gamma
        )
    )


@pytest.mark.parametrize(
    'changes',
    [
        {},
        {'color': 'mono'},
        {'stages': {'fixed_pattern': False, 'vignetting': False}},
        {'stages': {'noise': False, 'response': False}},
        {'response': {'kind': 'gamma', 'slope': (0.05, 0.06, 0.07), 'offset': (0.01, 0.0, 0.02), 'gamma': 0.9}},
        {
            'aggregator_gain': 1e12,
            'full_well': 1.0,
            'noise': {'dark_current': [1e-3] * 3, 'gain': [2e-3] * 3, 'read': [1e-4] * 3},
            'response': {'slope': (0.01, 0.02, 0.03), 'offset': (0.1, 0.2, 0.3)},
        },
    ],
    ids=['rgb', 'mono', 'no pattern', 'no noise', 'gamma', 'other units'],
)
def test_single_pass_equals_the_stages(changes: dict[str, Any]) -> None:
    """Bit-identical from deep shadow, where shot noise follows a Poisson distribution, to full wells."""
    config = CameraConfig.model_validate({**BASE, **changes})
    device, frame = Camera(config, 5, 'cam'), empty_frame(config.height, config.width)
    ramp = np.geomspace(1e-4, 60.0, config.height * config.width, dtype=np.float32).reshape(frame.depth.shape)
    frame.radiance[:] = ramp[:, :, None] * np.array([0.8, 1.0, 1.2], np.float32)
    frame.radiance[:4] = 0.0
    frame.depth[:] = np.linspace(0.5, 30.0, ramp.size).reshape(ramp.shape)
    expected = individual_contact(device, frame, 3)
    assert len(np.unique(expected)) > 500
    np.testing.assert_array_equal(
        device.process(frame, 3).image, expected[:, :, 0] if config.color == 'mono' else expected
    )


def test_poisson_numbers_of_dark_pixels_are_exact() -> None:
    """The shortcut for dark pixels changes no number, including at its limits."""
    for mean in (0.0, 1e-3, 0.02, 0.0200001, 0.1, 0.1000001):
        for z in (-6.0, 0.0, 1.27999, 1.28, 1.28001, 2.04999, 2.05, 2.05001, 3.5):
            light, draw = np.full((1, 1), mean), np.full((1, 1), z)
            got = stages.add_noise(light, 0.0, 1.0, 1.0, 0.0, draw, draw, electrons=True)[0, 0]
            probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
            count, total = 0, math.exp(-mean)
            while total < probability and count < 200:
                count += 1
                total += math.exp(-mean) * mean**count / math.factorial(count)
            assert got == count, (mean, z)
