# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Directions of pixels: the distortion models of CameraInfo, forward and exactly inverted.

x and y are normalized image coordinates, X / Z and Y / Z of a point in the optical frame (x right, y down, z ahead).
Pixel centers have integer indices (u, v). The principal point of an ideal camera is ((W - 1) / 2, (H - 1) / 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MODELS = {'plumb_bob': (5,), 'rational_polynomial': (8,), 'equidistant': (4,)}
"""Distortion models of CameraInfo, with their numbers of coefficients."""
_ITERATIONS, _TOLERANCE = 50, 1e-12


class LensError(ValueError):
    """A lens that maps two directions to one image point, or none."""


def padded(model: str, coefficients: Sequence[float]) -> Floats:
    """Return the coefficients in ROS order. (k1, k2, k3) alone means plumb_bob without tangential terms.

    Args:
        model: Distortion model.
        coefficients: Its coefficients.

    Raises:
        ValueError: If the model is unknown or the number of coefficients is wrong.
    """
    if model not in MODELS:
        raise ValueError(f'distortion model {model!r} is unknown; allowed: {", ".join(MODELS)}')
    k = np.asarray(coefficients, dtype=np.float64)
    if model == 'plumb_bob' and k.shape == (3,):
        k = np.array([k[0], k[1], 0.0, 0.0, k[2]])
    if k.size == 0:
        return np.zeros(MODELS[model][0])
    if k.shape not in [(n,) for n in MODELS[model]]:
        raise ValueError(f'{k.size} coefficients do not fit {model}; allowed: {MODELS[model][0]}')
    return k


def distort(
    x: ArrayLike, y: ArrayLike, coefficients: Sequence[float], model: str = 'plumb_bob'
) -> tuple[Floats, Floats]:
    """Return the image point (x, y) of a lens for an ideal one; the arguments broadcast.

    plumb_bob: x (1 + k1 r2 + k2 r4 + k3 r6) + 2 p1 x y + p2 (r2 + 2 x2), y alike. rational_polynomial divides the
        radial
    factor by 1 + k4 r2 + k5 r4 + k6 r6. equidistant has the radius theta (1 + k1 theta2 + k2 theta4 + k3 theta6 + k4
    theta8) with the angle theta from the axis.

    Args:
        x: Ideal image coordinate to the right.
        y: Ideal image coordinate down.
        coefficients: In the order of CameraInfo: k1, k2, p1, p2, k3[, k4, k5, k6]; or k1 ... k4 (equidistant).
        model: Distortion model.

    Raises:
        ValueError: If the model is unknown or the number of coefficients is wrong.

    Source: brown1966; kannala2006.
    Checked by: test_camera_stages.py::test_distortion_and_its_inverse,
    test_camera_stages.py::test_every_lens_model_equals_opencv.
    """
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    k = padded(model, coefficients)
    if model == 'equidistant':
        r = np.hypot(x, y)
        theta = np.arctan(r)
        scale = np.where(r > 1e-12, _equidistant(theta, k) / np.maximum(r, 1e-300), 1.0)
        return x * scale, y * scale
    return _brown(x, y, k)[:2]


def undistort(
    x: ArrayLike, y: ArrayLike, coefficients: Sequence[float], model: str = 'plumb_bob'
) -> tuple[Floats, Floats]:
    """Return the ideal image point of a distorted one: the inverse of :func:`distort`, by Newton's method to 1e-12.

    Args:
        x: Distorted image coordinate to the right.
        y: Distorted image coordinate down.
        coefficients: In the order of CameraInfo.
        model: Distortion model.

    Raises:
        LensError: If the model folds over, so that there is no inverse.

    Source: brown1966; kannala2006.
    Checked by: test_camera_stages.py::test_distortion_and_its_inverse,
    test_camera_stages.py::test_inverse_of_every_lens_model.
    """
    rays = directions(x, y, coefficients, model)
    if np.any(rays[..., 2] <= 0.0):
        raise LensError('points 90 degrees and more off the axis are not in a plane image')
    return rays[..., 0] / rays[..., 2], rays[..., 1] / rays[..., 2]


def directions(x: ArrayLike, y: ArrayLike, coefficients: Sequence[float], model: str = 'plumb_bob') -> Floats:
    """Return the unit directions (x right, y down, z ahead) that the lens images at distorted (x, y), shape (..., 3).

    Args:
        x: Distorted image coordinate to the right.
        y: Distorted image coordinate down.
        coefficients: In the order of CameraInfo.
        model: Distortion model.

    Raises:
        LensError: If the model folds over, so that a point has no direction, or several.

    Source: brown1966; kannala2006.
    Checked by: test_camera_stages.py::test_distortion_and_its_inverse,
    test_camera_stages.py::test_folding_lenses_are_rejected.
    """
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    k = padded(model, coefficients)
    if model == 'equidistant':
        radius = np.hypot(x, y)
        theta = _equidistant_inverse(radius, k)
        scale = np.sin(theta) / np.maximum(radius, 1e-300)
        return np.stack([x * scale, y * scale, np.cos(theta)], axis=-1)
    u, v = _brown_inverse(x, y, k)
    rays: Floats = np.stack([u, v, np.ones_like(u)], axis=-1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    return rays


def camera_matrix(width: int, height: int, focal_length_px: float) -> Floats:
    """Return the camera matrix K, shape (3, 3), for square pixels and a centered lens."""
    return np.array(
        [
            [focal_length_px, 0.0, 0.5 * (width - 1)],
            [0.0, focal_length_px, 0.5 * (height - 1)],
            [0.0, 0.0, 1.0],
        ]
    )


def pixel_rays(
    width: int,
    height: int,
    focal_length_px: float,
    coefficients: Sequence[float],
    model: str,
    offset: tuple[float, float] = (0.0, 0.0),
) -> Floats:
    """Return the unit directions of all pixels in the optical frame, shape (height, width, 3).

    Args:
        width: Image width [px].
        height: Image height [px].
        focal_length_px: Focal length [px].
        coefficients: In the order of CameraInfo.
        model: Distortion model.
        offset: Offset from the pixel centers (right, down) [px].

    Raises:
        LensError: If the lens does not cover the corners of the image.
    """
    x = (np.arange(width) + offset[0] - 0.5 * (width - 1)) / focal_length_px
    y = (np.arange(height) + offset[1] - 0.5 * (height - 1)) / focal_length_px
    return directions(x[None, :], y[:, None], coefficients, model)


def project(points: ArrayLike, k: Floats, coefficients: Sequence[float], model: str) -> Floats:
    """Return the pixels (u, v) of points in the optical frame, shape (..., 2); NaN for points not ahead of the lens.

    Args:
        points: Points [m], shape (..., 3).
        k: Camera matrix.
        coefficients: In the order of CameraInfo.
        model: Distortion model.
    """
    p = np.asarray(points, dtype=np.float64)
    ahead = np.where(p[..., 2] > 0.0, p[..., 2], np.nan)
    x, y = distort(p[..., 0] / ahead, p[..., 1] / ahead, coefficients, model)
    return np.stack([k[0, 0] * x + k[0, 2], k[1, 1] * y + k[1, 2]], axis=-1)


def _brown(x: Floats, y: Floats, k: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    """Return the distorted point, its Jacobian (xx, xy = yx, yy) and the denominator of the radial factor."""
    k1, k2, p1, p2, k3 = k[:5]
    k4, k5, k6 = k[5:8] if k.size >= 8 else (0.0, 0.0, 0.0)
    r2 = x * x + y * y
    top, bottom = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3)), 1.0 + r2 * (k4 + r2 * (k5 + r2 * k6))
    dtop, dbottom = k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3), k4 + r2 * (2.0 * k5 + 3.0 * r2 * k6)
    factor = top / bottom
    slope = (dtop * bottom - top * dbottom) / (bottom * bottom)
    xd = x * factor + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
    yd = y * factor + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
    xx = factor + 2.0 * x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x
    xy = 2.0 * x * y * slope + 2.0 * p1 * x + 2.0 * p2 * y
    yy = factor + 2.0 * y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x
    return xd, yd, xx, xy, yy, bottom


def _brown_inverse(x: Floats, y: Floats, k: Floats) -> tuple[Floats, Floats]:
    u, v = x.copy(), y.copy()
    for _ in range(_ITERATIONS):
        xd, yd, xx, xy, yy, bottom = _brown(u, v, k)
        determinant = xx * yy - xy * xy
        # From the axis outward both remain positive until the model folds over.
        if np.any(determinant <= 1e-6) or np.any(xx + yy <= 0.0) or np.any(bottom <= 0.0):
            raise LensError('the distortion folds over inside the image: its coefficients are too large for this view')
        ex, ey = x - xd, y - yd
        if max(np.abs(ex).max(initial=0.0), np.abs(ey).max(initial=0.0)) < _TOLERANCE:
            return u, v
        u, v = u + (yy * ex - xy * ey) / determinant, v + (xx * ey - xy * ex) / determinant
    raise LensError('the distortion has no inverse inside the image: its coefficients are too large for this view')


def _equidistant(theta: Floats, k: Floats) -> Floats:
    t2 = theta * theta
    out: Floats = theta * (1.0 + t2 * (k[0] + t2 * (k[1] + t2 * (k[2] + t2 * k[3]))))
    return out


def _equidistant_inverse(radius: Floats, k: Floats) -> Floats:
    theta = np.minimum(radius, np.pi)
    for _ in range(_ITERATIONS):
        t2 = theta * theta
        slope = 1.0 + t2 * (3.0 * k[0] + t2 * (5.0 * k[1] + t2 * (7.0 * k[2] + t2 * 9.0 * k[3])))
        if np.any(slope <= 1e-6) or np.any(theta > np.pi):
            raise LensError('the fisheye folds over, or extends beyond 180 degrees, inside the image')
        error = radius - _equidistant(theta, k)
        if np.abs(error).max(initial=0.0) < _TOLERANCE:
            return theta
        theta = theta + error / slope
    raise LensError('the fisheye has no inverse inside the image: its coefficients are too large for this view')
