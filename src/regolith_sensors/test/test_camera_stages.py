# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the camera stages: reference vectors (data/README.md), laws of optics and photon statistics."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from regolith_sensors.camera import stages
from regolith_sensors.noise import normals, uniforms
from regolith_sensors.numerics.lens import LensError, directions, distort, undistort
from regolith_world.random.philox import stream_key

DATA = Path(__file__).parent / 'data'
P: dict[str, Any] = json.loads((DATA / 'camera_parameters.json').read_text())
# Doubles differ only by the order of operations.
EXACT = {'rtol': 1e-9, 'atol': 1e-15}


def stage(name: str) -> Any:
    return np.load(DATA / f'camera_{name}.npz')


def rows(name: str) -> list[dict[str, float]]:
    with open(DATA / name, newline='') as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def test_field_of_view() -> None:
    for row in rows('camera_fov.csv'):
        # Printed with nine digits.
        assert stages.field_of_view(row['sensor_width_m'], row['focal_length_m']) == pytest.approx(
            row['fov_rad'], rel=1e-8
        )


def test_distortion_and_its_inverse() -> None:
    s = stage('stage1_distortion')
    x, y = undistort(s['x_distorted'], s['y_distorted'], s['k'])
    np.testing.assert_allclose(x, s['x_undistorted'], **EXACT)
    np.testing.assert_allclose(y, s['y_undistorted'], **EXACT)
    np.testing.assert_allclose(directions(s['x_distorted'], s['y_distorted'], s['k']), s['ray_dir_cam'], **EXACT)
    xd, yd = stages.distort(x, y, s['k'])
    np.testing.assert_allclose(xd, s['x_distorted'], **EXACT)
    np.testing.assert_allclose(yd, s['y_distorted'], **EXACT)


def test_defocus() -> None:
    s = stage('stage2_defocus')
    diameter = stages.defocus_diameter(s['depth'], P['f'], P['N'], P['C'], P['U'], P['G_defocus'])
    np.testing.assert_allclose(diameter, s['diameter_px'], **EXACT)
    np.testing.assert_allclose(stages.defocus(s['irradiance'], diameter), s['blurred_normalised'], **EXACT)
    np.testing.assert_allclose(
        stages.defocus(s['irradiance'], diameter, 'paper'), s['blurred_paper_unnormalised'], **EXACT
    )
    single = stages.defocus(s['irradiance'].astype(np.float32), diameter)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, s['blurred_normalised'], rtol=1e-5)
    for row in rows('camera_defocus_diameter.csv'):
        got = stages.defocus_diameter(
            row['object_distance_m'],
            row['focal_length_m'],
            row['f_number'],
            row['pixel_size_m'],
            row['focus_distance_m'],
            row['gain'],
        )
        assert got == pytest.approx(row['diameter_px'], rel=1e-9)
    # The limit of a distant object, and a lens focused there.
    f, n, c, u = 0.012, 4.0, 3.45e-6, 10.0
    assert stages.defocus_diameter(np.inf, f, n, c, u) == pytest.approx(f * f / (n * c * (u - f)))
    assert stages.defocus_diameter(2.0, f, n, c, np.inf) == pytest.approx(f * f / (n * c * 2.0))


def test_vignetting_and_aggregation() -> None:
    s = stage('stage3_vignetting')
    pixel = float(s['pixel_size_used'])
    np.testing.assert_allclose(stages.vignetting(24, 32, P['f'], pixel, P['G_vignet']), s['gain'], **EXACT)
    np.testing.assert_allclose(
        stages.vignette(s['irradiance_in'], P['f'], pixel, P['G_vignet']), s['irradiance_out'], **EXACT
    )
    # A gain above 1 (Chrono's default is 2) would give negative light at 60 degrees; Regolith's is limited to zero.
    assert stages.vignetting(3, 201, 0.01, 2e-4, 2.0).min() == 0.0
    s = stage('stage4_aggregator')
    got = stages.aggregate(s['irradiance_in'], P['G_agg'], P['C'], P['N'], P['t'], P['QE'])
    np.testing.assert_allclose(got, s['signal_out'], **EXACT)


def test_noise_for_given_draws() -> None:
    s = stage('stage5_noise')
    got = stages.add_noise(s['signal_in'], P['D_dark'], P['t'], P['G_noise'], P['sigma_read'], s['z_shot'], s['z_read'])
    np.testing.assert_allclose(got, s['signal_out_given_z'], **EXACT)


def test_response_and_quantization() -> None:
    s = stage('stage6_crf')
    linear = stages.respond(s['signal_in'], 'linear', P['a_lin'], P['b_lin'], P['ISO'])
    sigmoid = stages.respond(s['signal_in'], 'sigmoid', P['a_sig'], P['b_sig'], P['ISO'])
    gamma = stages.respond(s['gamma_signal_in'], 'gamma', P['a_gam'], P['b_gam'], P['ISO'], P['gamma'])
    for name, image in (('linear', linear), ('sigmoid', sigmoid), ('gamma', gamma)):
        np.testing.assert_allclose(image, s[name], **EXACT)
        np.testing.assert_array_equal(stages.quantize(image), s[f'{name}_dn'])
    dark = np.array([[-1.0, 0.0, 1e-9]])
    for response in ('linear', 'gamma', 'sigmoid'):
        assert np.isfinite(stages.respond(dark, response, 1.0, 0.0, 100.0, 0.8)).all()
    with pytest.raises(ValueError, match=r'response .*; allowed: linear, gamma, sigmoid'):
        stages.respond(dark, 'film', 1.0, 0.0, 100.0)  # type: ignore[arg-type]
    assert stages.quantize(np.array([[-1.0, 0.5, 2.0]])).tolist() == [[0, 32768, 65535]]


def test_defocus_conserves_uniform_light_and_points() -> None:
    flat = np.full((40, 50, 3), 7.0, dtype=np.float32)
    diameter = np.linspace(0.0, 12.0, 2000).reshape(40, 50)
    np.testing.assert_allclose(stages.defocus(flat, diameter), flat, rtol=1e-6)
    point = np.zeros((41, 41))
    point[20, 20] = 5.0
    for d in (2.0, 5.0, 12.5):
        assert stages.defocus(point, d).sum() == pytest.approx(5.0, rel=1e-3)


@pytest.mark.parametrize(('gain', 'read', 'dark'), [(1.0, 3.0, 2.0), (0.6, 5.0, 0.0)])
def test_photon_transfer(gain: float, read: float, dark: float) -> None:
    """The variance is linear in the mean: slope Gn^2, intercept sigma^2, for both Poisson and Gaussian noise."""
    ramp = np.repeat(np.linspace(2.0, 400.0, 25), 40).reshape(25, 40)
    count = 1000
    shots, reads = (
        normals(stream_key(3, 'cam', q), 0, count * ramp.size).reshape(count, *ramp.shape) for q in ('shot', 'read')
    )
    frames = np.stack(
        [stages.add_noise(ramp, dark, 0.5, gain, read, z, r, electrons=True) for z, r in zip(shots, reads)]
    )
    mean, variance = frames.mean(axis=(0, 2)), frames.var(axis=0).mean(axis=1)
    slope, intercept = np.polyfit(mean, variance, 1, w=1.0 / variance)
    # 25 levels of 40 000 samples: 0.7 % per level, well below 1 % in the slope and 2 % in the intercept.
    assert slope == pytest.approx(gain**2, rel=0.03)
    assert intercept == pytest.approx(read**2, rel=0.03)
    # Four standard deviations of a mean of 40 000 samples.
    np.testing.assert_array_less(np.abs(mean - ramp[:, 0] - 0.5 * dark), 4.0 * np.sqrt(variance / 40_000))


def test_noise_of_few_electrons_is_poisson() -> None:
    z = normals(stream_key(1, 'c', 'shot'), 0, 200_000).reshape(400, 500)
    light = np.full(z.shape, 0.8)
    counts = stages.add_noise(light, 0.0, 1.0, 1.0, 0.0, z, z, electrons=True)
    for n, probability in [(0, 0.449329), (1, 0.359463), (2, 0.143785), (3, 0.038343)]:
        # Three standard deviations of 200 000 draws are 0.0033.
        assert np.mean(counts == n) == pytest.approx(probability, abs=0.0035)
    # In other units (such as full scale) eq. 6 is used as printed, for any gain.
    plain = stages.add_noise(light, 0.0, 1.0, 1.0, 0.0, z, z)
    np.testing.assert_allclose(plain, 0.8 + np.sqrt(0.8) * z, rtol=1e-6, atol=1e-6)


def test_noise_repeats_per_frame_and_differs_between_frames() -> None:
    """Equal keys give equal bits; other frames, quantities or seeds are uncorrelated."""
    key = stream_key(42, 'amber/navcam', 'shot')
    first = normals(key, 7, 100_001)
    assert first.tobytes() == normals(key, 7, 100_001).tobytes()
    assert first[:50].tobytes() == normals(key, 7, 50).tobytes()
    others = (
        normals(key, 8, 100_001),
        normals(stream_key(42, 'amber/navcam', 'read'), 7, 100_001),
        normals(stream_key(43, 'amber/navcam', 'shot'), 7, 100_001),
    )
    for other in others:
        # One standard deviation is 0.0032.
        assert abs(np.corrcoef(first, other)[0, 1]) < 0.01
    assert first.mean() == pytest.approx(0.0, abs=0.013) and first.std() == pytest.approx(1.0, abs=0.01)
    assert np.mean(first**4) == pytest.approx(3.0, abs=0.15)
    u = uniforms(key, 0, 100_000)
    assert u.min() >= 0.0 and u.max() < 1.0 and np.histogram(u, 10)[0].min() > 9_600


def test_exposure_laws() -> None:
    """Twice the time or the ISO, or an aperture larger by one stop, doubles DN - b."""
    radiance = np.full((4, 4), 3.0)

    def dn(t: float = 1e-3, n: float = 4.0, iso: float = 100.0) -> float:
        gain = stages.physical_gain(0.9, 550e-9)
        signal = stages.aggregate(radiance, gain, 3.45e-6, n, t, 0.55)
        return float(stages.quantize(stages.respond(signal, 'linear', 1e-6, 0.1, iso))[0, 0]) - 0.1 * 65535

    # Half a digital number of some 7000.
    assert dn(t=2e-3) == pytest.approx(2.0 * dn(), rel=1e-3)
    assert dn(iso=200.0) == pytest.approx(2.0 * dn(), rel=1e-3)
    assert dn(n=4.0 * 2**0.5) == pytest.approx(0.5 * dn(), rel=1e-3)
    # Reference value: 4 W/m^2/sr at F/4, 3.45 um, 1 ms, QE 0.55 give 3.2e3 electrons.
    electrons = stages.aggregate(np.full((1, 1), 4.0), stages.physical_gain(0.9, 550e-9), 3.45e-6, 4.0, 1e-3, 0.55)
    assert electrons[0, 0] == pytest.approx(3.2e3, rel=0.02)


@pytest.mark.parametrize(
    ('model', 'k'),
    [
        ('plumb_bob', (-0.16, 0.2, 1e-3, -2e-3, -0.12)),
        ('rational_polynomial', (0.4, -0.2, 1e-3, 5e-4, 0.05, 0.6, -0.1, 0.02)),
        ('equidistant', (-0.02, 0.01, -0.003, 0.0005)),
    ],
)
def test_inverse_of_every_lens_model(model: str, k: tuple[float, ...]) -> None:
    x, y = np.meshgrid(np.linspace(-0.6, 0.6, 41), np.linspace(-0.5, 0.5, 31))
    xd, yd = distort(x, y, k, model)
    xu, yu = undistort(xd, yd, k, model)
    # The Newton residual is 1e-12 in the image.
    np.testing.assert_allclose(xu, x, atol=1e-11)
    np.testing.assert_allclose(yu, y, atol=1e-11)


@pytest.mark.parametrize('model', ['plumb_bob', 'rational_polynomial', 'equidistant'])
def test_every_lens_model_equals_opencv(model: str) -> None:
    """The formulas of CameraInfo's models in a second implementation, including tangential terms."""
    k = {
        'plumb_bob': (-0.16, 0.2, 1e-3, -2e-3, -0.12),
        'equidistant': (-0.02, 0.01, -0.003, 0.0005),
        'rational_polynomial': (0.4, -0.2, 1e-3, 5e-4, 0.05, 0.6, -0.1, 0.02),
    }[model]
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-0.6, 0.6, 13), np.linspace(-0.5, 0.5, 11)))
    points = np.stack([x, y, np.ones_like(x)], axis=-1)[:, None, :]
    projected = cv2.fisheye.projectPoints if model == 'equidistant' else cv2.projectPoints
    seen = projected(points, np.zeros(3), np.zeros(3), np.eye(3), np.array(k))[0].reshape(-1, 2)
    np.testing.assert_allclose(np.stack(distort(x, y, k, model), axis=-1), seen, atol=1e-12)


def test_folding_lenses_are_rejected() -> None:
    x, y = np.meshgrid(np.linspace(-1, 1, 11), np.linspace(-1, 1, 11))
    for model, k in [
        ('plumb_bob', (-0.9, 0, 0)),
        ('equidistant', (-0.9, 0, 0, 0)),
        ('rational_polynomial', (0, 0, 0, 0, 0, -0.8, 0, 0)),
    ]:
        with pytest.raises(LensError):
            directions(x, y, k, model)
    with pytest.raises(ValueError, match='allowed: plumb_bob, rational_polynomial, equidistant'):
        distort(0.0, 0.0, (), 'fov')
    with pytest.raises(ValueError, match='2 coefficients do not fit plumb_bob; allowed: 5'):
        distort(0.0, 0.0, (0.1, 0.2))
