# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Camera stages between radiance and digital numbers, each a pure function of arrays.

Order: distort (the rays), defocus, vignette, aggregate, add_noise, respond, ``quantize``. Images have the shape
(height, width) or (height, width, channels). Single precision remains single, all other types become double. Parameters
per channel broadcast over the last axis.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.arrays import Floats
from regolith_sensors.light import LIGHT_SPEED, PLANCK
from regolith_sensors.numerics.lens import distort
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_world.numerics import kernel

__all__ = [
    'add_noise',
    'aggregate',
    'defocus',
    'defocus_diameter',
    'distort',
    'field_of_view',
    'physical_gain',
    'quantize',
    'respond',
    'vignette',
    'vignetting',
]

Image = NDArray[Any]
"""Image of float32 or float64."""

PHOTONS_PER_JOULE_AND_METER = 1.0 / (PLANCK * LIGHT_SPEED)
"""1 / (h c): photons per joule and meter of wavelength."""
POISSON_BELOW = 30.0
"""Number of electrons below which shot noise is a Poisson number."""
_ROWS = 16


def field_of_view(sensor_width: float, focal_length: float) -> float:
    """Return the full angle of view [rad] across a sensor: 2 atan(w / 2 f).

    Args:
        sensor_width: Sensor width w [m].
        focal_length: Focal length f [m].

    Source: batagoda2024, eq. 2.
    Checked by: test_camera_stages.py::test_field_of_view.
    """
    return 2.0 * math.atan(sensor_width / (2.0 * focal_length))


def defocus_diameter(
    distance: ArrayLike,
    focal_length: float,
    f_number: float,
    pixel_size: float,
    focus_distance: float,
    gain: float = 1.0,
) -> Floats:
    """Return the diameter of the blur spot [px]: G f^2 |d - U| / (N C d (U - f)).

    Args:
        distance: Distance d of the scene point [m], > 0; may be infinite.
        focal_length: Focal length f [m].
        f_number: F-number N [-].
        pixel_size: Pixel size C [m].
        focus_distance: Focus distance U [m], beyond f; may be infinite.
        gain: Gain G [-]; 1 for an ideal thin lens.

    Source: batagoda2024, eq. 3a.
    Checked by: test_camera_stages.py::test_defocus.
    """
    # In reciprocals, because both distances may be infinite.
    vergence, focus = 1.0 / np.asarray(distance, dtype=np.float64), 1.0 / focus_distance
    out: Floats = (
        gain * focal_length**2 * np.abs(focus - vergence) / (f_number * pixel_size * (1.0 - focal_length * focus))
    )
    return out


def defocus(image: Image, diameter: ArrayLike, variant: Literal['normalized', 'paper'] = 'normalized') -> Image:
    """Return the image blurred by a Gaussian spot per pixel: sigma = D / 6, taps with |k|, |l| <= D / 2.

    'normalized' divides by the weights inside the image, so uniform light remains uniform. 'paper' is the equation as
    printed, whose weights 1 / (2 pi sigma^2) sum to 1.5 at D = 2. Each pixel gathers with its own diameter, so a sharp
    foreground bleeds into a blurred background.

    Args:
        image: Image, shape (height, width[, channels]).
        diameter: Diameter D [px], shape (height, width) or one number; below 2 a pixel is copied.
        variant: 'normalized' or 'paper'.

    Source: batagoda2024, eq. 3b.
    Checked by: test_camera_stages.py::test_defocus,
    test_camera_stages.py::test_defocus_conserves_uniform_light_and_points.
    """
    image = _image(image)
    stack = np.ascontiguousarray(image.reshape(*image.shape[:2], -1))
    spot = np.ascontiguousarray(np.broadcast_to(np.asarray(diameter, dtype=image.dtype), image.shape[:2]))
    out = np.empty_like(stack)
    run_in_ranges(_blur, stack.shape[0], _ROWS, stack, spot, variant == 'normalized', out)
    return out.reshape(image.shape)


def vignetting(height: int, width: int, focal_length: float, pixel_size: float, gain: float) -> Floats:
    """Return the relative illumination 1 - G (1 - cos^4 theta) of the pixels, >= 0, shape (height, width).

    Args:
        height: Image height [px].
        width: Image width [px].
        focal_length: Focal length [m].
        pixel_size: Pixel size [m].
        gain: Gain G, 0 (none) to 1 (the full cosine law).

    Source: batagoda2024, eq. 4.
    Checked by: test_camera_stages.py::test_vignetting_and_aggregation.
    """
    a = (np.arange(width) - 0.5 * (width - 1)) * pixel_size / focal_length
    b = (np.arange(height) - 0.5 * (height - 1)) * pixel_size / focal_length
    cos2 = 1.0 / (1.0 + a[None, :] ** 2 + b[:, None] ** 2)
    out: Floats = np.maximum(1.0 - gain * (1.0 - cos2 * cos2), 0.0)
    return out


def vignette(image: Image, focal_length: float, pixel_size: float, gain: float) -> Image:
    """Return the image darkened towards its corners by :func:`vignetting`.

    Source: batagoda2024, eq. 4.
    Checked by: test_camera_stages.py::test_vignetting_and_aggregation.
    """
    image = _image(image)
    fall = vignetting(image.shape[0], image.shape[1], focal_length, pixel_size, gain).astype(image.dtype)
    out: Image = image * (fall if image.ndim == 2 else fall[:, :, None])
    return out


def physical_gain(transmission: float, wavelength: float) -> float:
    """Return the aggregator gain from radiance to electrons: pi / 4 T lambda / (h c).

    A lens of F-number N illuminates its focal plane with pi T L / (4 N^2). Each photon has the energy h c / lambda.

    Args:
        transmission: Transmission T of the lens [-].
        wavelength: Mean wavelength of the band [m].

    Source: horn1986, chapter 10; emva1288, section 2.
    Checked by: test_camera_faults.py::test_camera_without_stages_gives_electrons,
    test_camera_stages.py::test_exposure_laws.
    """
    return 0.25 * math.pi * transmission * wavelength * PHOTONS_PER_JOULE_AND_METER


def aggregate(
    image: Image, gain: ArrayLike, pixel_size: float, f_number: float, exposure: float, quantum_efficiency: ArrayLike
) -> Image:
    """Return the signal that a pixel collects: G x (C / N)^2 t QE.

    Args:
        image: Radiance x in the band [W/m^2/sr].
        gain: Gain G; with :func:`physical_gain` the signal is in electrons.
        pixel_size: Pixel size C [m].
        f_number: F-number N [-].
        exposure: Exposure time t [s].
        quantum_efficiency: Quantum efficiency per channel [-].

    Source: batagoda2024, eq. 5.
    Checked by: test_camera_stages.py::test_vignetting_and_aggregation, test_camera_stages.py::test_exposure_laws.
    """
    image = _image(image)
    factor = np.asarray(gain, dtype=np.float64) * (pixel_size / f_number) ** 2 * exposure
    out: Image = image * (factor * np.asarray(quantum_efficiency, dtype=np.float64)).astype(image.dtype)
    return out


def add_noise(
    signal: Image,
    dark_current: ArrayLike,
    exposure: float,
    noise_gain: ArrayLike,
    read_noise: ArrayLike,
    shot: ArrayLike,
    read: ArrayLike,
    electrons: bool = False,
) -> Image:
    """Return the signal with dark current, shot and read noise: mu + Gn sqrt(mu) z_shot + sigma z_read.

    mu = signal + dark_current t. For electrons with mu below 30 and Gn = 1 the distribution is not close to a Gaussian.
    Then the first two terms become the Poisson number with the same probability as z_shot.

    Args:
        signal: Signal, shape (height, width[, channels]).
        dark_current: Dark current per second; one number, per channel or per pixel.
        exposure: Exposure time t [s].
        noise_gain: Shot noise gain Gn; one number or per channel.
        read_noise: Standard deviation sigma of the read noise; one number or per channel.
        shot: Standard normal numbers z_shot, shape of the signal.
        read: Standard normal numbers z_read, shape of the signal.
        electrons: Whether the signal counts electrons.

    Source: batagoda2024, eq. 6.
    Checked by: test_camera_stages.py::test_noise_for_given_draws, test_camera_stages.py::test_photon_transfer,
    test_camera_stages.py::test_noise_of_few_electrons_is_poisson.
    """
    signal = _image(signal)
    kind = signal.dtype
    shape = signal.shape if signal.ndim == 3 else (*signal.shape, 1)
    dark = np.asarray(dark_current, dtype=kind) * kind.type(exposure)
    if dark.ndim == 2:
        dark = dark[:, :, None]
    height, across = shape[0], shape[1] * shape[2]
    values, shots, reads, darks = (
        np.ascontiguousarray(np.broadcast_to(v, shape)).reshape(height, across)
        for v in (signal.reshape(shape), *(np.asarray(z, dtype=kind).reshape(shape) for z in (shot, read)), dark)
    )
    gain, sigma = (
        np.ascontiguousarray(np.broadcast_to(np.asarray(v, kind), shape[1:])).ravel() for v in (noise_gain, read_noise)
    )
    out = np.empty_like(values)
    poisson_below = kind.type(POISSON_BELOW if electrons else 0.0)
    run_in_ranges(_noise, height, _ROWS, values, darks, gain, sigma, shots, reads, poisson_below, out)
    return out.reshape(signal.shape)


def respond(
    signal: Image,
    response: Literal['linear', 'gamma', 'sigmoid'],
    a: ArrayLike,
    b: ArrayLike,
    iso: float,
    gamma: float = 1.0,
) -> Image:
    """Return the response of the sensor, 0 to 1 within its range.

    linear: a ISO x + b; gamma: a log2(ISO x)^gamma + b; sigmoid: 1 / (1 + exp(-a log2(ISO x) - b)). Where ISO x is
    below 1 the gamma response is b. A signal of 0 or less gives the sigmoid's lower limit 0.

    Args:
        signal: Signal x.
        response: Kind of response: linear, gamma or sigmoid.
        a: Slope; one number or per channel.
        b: Offset; one number or per channel.
        iso: ISO sensitivity.
        gamma: Exponent of the gamma response.

    Raises:
        ValueError: For another kind of response.

    Source: batagoda2024, eq. 7.
    Checked by: test_camera_stages.py::test_response_and_quantization.
    """
    signal = _image(signal)
    kind = signal.dtype
    slope, offset = np.asarray(a, dtype=kind), np.asarray(b, dtype=kind)
    x: Image = signal * kind.type(iso)
    out: Image
    if response == 'linear':
        out = slope * x + offset
        return out
    if response == 'gamma':
        out = slope * np.log2(np.maximum(x, kind.type(1.0))) ** kind.type(gamma) + offset
        return out
    if response == 'sigmoid':
        stops = np.log2(np.maximum(x, np.finfo(kind).tiny))
        with np.errstate(over='ignore'):
            level = 1.0 / (1.0 + np.exp(-slope * stops - offset))
        out = np.where(x > 0.0, level, kind.type(0.0)).astype(kind)
        return out
    raise ValueError(f'response {response!r} is unknown; allowed: linear, gamma, sigmoid')


def quantize(image: Image) -> NDArray[np.uint16]:
    """Return digital numbers floor(65535 y + 0.5) of y, clipped to [0, 1].

    Source: batagoda2024, eq. 8.
    Checked by: test_camera_stages.py::test_response_and_quantization.
    """
    image = _image(image)
    scaled = np.clip(image, 0.0, 1.0) * image.dtype.type(65535.0) + image.dtype.type(0.5)
    out: NDArray[np.uint16] = scaled.astype(np.uint16)
    return out


def _image(image: Image) -> Image:
    image = np.asarray(image)
    if image.ndim not in (2, 3):
        raise ValueError(f'image has the shape {image.shape}; allowed: (height, width) or (height, width, channels)')
    return image if image.dtype in (np.float32, np.float64) else image.astype(np.float64)


@kernel
def _blur(
    first: int, last: int, image: NDArray[Any], diameter: NDArray[Any], normalized: bool, out: NDArray[Any]
) -> None:
    height, width, channels = image.shape
    # The Gaussian is a product: its weights along one axis apply to both. Summed in double precision, so that uniform
    # light remains uniform to the last digit of single precision.
    weight = np.empty(height + width + 1)
    for i in range(first, last):
        for j in range(width):
            d = np.float64(diameter[i, j])
            # No light comes from outside the image: a larger spot needs no further taps.
            reach = int(min(0.5 * d, float(height + width)))
            if reach < 1:
                for c in range(channels):
                    out[i, j, c] = image[i, j, c]
                continue
            fall = -18.0 / (d * d)
            for k in range(reach + 1):
                weight[k] = math.exp(fall * k * k)
            left, right = max(-reach, -j), min(reach, width - 1 - j)
            above, below = max(-reach, -i), min(reach, height - 1 - i)
            down, across = 0.0, 0.0
            for k in range(above, below + 1):
                down += weight[abs(k)]
            for m in range(left, right + 1):
                across += weight[abs(m)]
            scale = 1.0 / (down * across) if normalized else -fall / math.pi
            if channels == 3:
                # The usual case, with its sums in registers.
                red, green, blue = 0.0, 0.0, 0.0
                for k in range(above, below + 1):
                    row = weight[abs(k)]
                    for m in range(left, right + 1):
                        both = row * weight[abs(m)]
                        red += both * image[i + k, j + m, 0]
                        green += both * image[i + k, j + m, 1]
                        blue += both * image[i + k, j + m, 2]
                out[i, j, 0], out[i, j, 1], out[i, j, 2] = red * scale, green * scale, blue * scale
                continue
            for c in range(channels):
                total = 0.0
                for k in range(above, below + 1):
                    row = weight[abs(k)]
                    for m in range(left, right + 1):
                        total += row * weight[abs(m)] * image[i + k, j + m, c]
                out[i, j, c] = total * scale


@kernel
def _poisson(mean: float, z: float) -> int:
    """Return the Poisson number whose distribution function first exceeds that of the standard normal z.

    Source: devroye1986, section III.2.
    Checked by: test_camera_readout.py::test_poisson_numbers_of_dark_pixels_are_exact,
    test_camera_stages.py::test_noise_of_few_electrons_is_poisson.
    """
    # In the dark most are 0 without a search: P(z < 1.28) = 0.8997 < 1 - 0.1 < e^-0.1; P(z < 2.05) < 1 - 0.02.
    if (mean <= 0.1 and z <= 1.28) or (mean <= 0.02 and z <= 2.05):
        return 0
    goal = 0.5 * math.erfc(-z * math.sqrt(0.5))
    term = math.exp(-mean)
    total, count = term, 0
    while total < goal and count < 200:
        count += 1
        term *= mean / count
        total += term
    return count


@kernel(forceinline=True)
def noisy_row(
    signal: NDArray[Any],
    dark: NDArray[Any],
    gain: NDArray[Any],
    sigma: NDArray[Any],
    shot: NDArray[Any],
    read: NDArray[Any],
    poisson_below: float,
    out: NDArray[Any],
) -> None:
    """Write one row of noisy values into ``out``, see :func:`add_noise`. All arrays have the shape (n,).

    Args:
        signal: Signal.
        dark: Dark current times exposure time.
        gain: Shot noise gain Gn.
        sigma: Standard deviation of the read noise.
        shot: Standard normal numbers of the shot noise.
        read: Standard normal numbers of the read noise.
        poisson_below: Signal below which shot noise is a Poisson number.
        out: Result.

    Source: batagoda2024, eq. 6.
    Checked by: test_camera_readout.py::test_single_pass_equals_the_stages, test_camera_stages.py::test_photon_transfer.
    """
    zero, one = signal.dtype.type(0.0), signal.dtype.type(1.0)
    for n in range(signal.shape[0]):
        mean = max(signal[n] + dark[n], zero)
        out[n] = mean + gain[n] * math.sqrt(mean) * shot[n]
    if poisson_below > zero:
        for n in range(signal.shape[0]):
            mean = max(signal[n] + dark[n], zero)
            if mean < poisson_below and gain[n] == one:
                out[n] = signal.dtype.type(_poisson(np.float64(mean), np.float64(shot[n])))
    for n in range(signal.shape[0]):
        out[n] += sigma[n] * read[n]


@kernel
def _noise(
    first: int,
    last: int,
    signal: NDArray[Any],
    dark: NDArray[Any],
    gain: NDArray[Any],
    sigma: NDArray[Any],
    shot: NDArray[Any],
    read: NDArray[Any],
    poisson_below: float,
    out: NDArray[Any],
) -> None:
    for i in range(first, last):
        noisy_row(signal[i], dark[i], gain, sigma, shot[i], read[i], poisson_below, out[i])
