# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth from a stereo pair by block matching, and its error against the ground truth (depth error ratio).

The pipeline is that of a user: it needs ``image_raw`` and ``camera_info`` only. Images are undistorted with K, D, R and
P, reduced to 8 bits, matched by OpenCV's block matcher and converted to depth by Z = b fx / disparity. The matcher is a
standard one, so that the results depend on the images.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_sensors.camera.info import CameraInfo

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_SUBPIXELS = 16.0
"""Units of OpenCV's disparities per pixel."""
_CLOSE_PX = 1.0
"""Maximum disparity error of a correct match [px]."""
GOOD_RATIO = 0.05
"""Maximum depth error ratio of a pixel that counts as good [-]."""


class MatcherConfig(Section):
    """Settings of the stereo matcher; defaults for focal lengths of 600 to 1000 px and baselines of 0.2 to 0.4 m."""

    method: Literal['bm', 'sgbm'] = Field('bm', description='Block matching, or semi-global block matching.')
    block_size: int = Field(15, ge=5, le=51, description='Side of the blocks [px], odd.')
    texture_threshold: int = Field(10, ge=0, le=10000, description='bm only: minimum texture of a block.')
    uniqueness_ratio: int = Field(5, ge=0, le=100, description='Margin of the best match over the second best [%].')
    left_right_tolerance_px: float = Field(
        1.0, ge=0.0, le=100.0, description='Maximum difference of left-right and right-left disparity [px].'
    )

    @model_validator(mode='after')
    def _odd(self) -> MatcherConfig:
        if self.block_size % 2 == 0:
            raise ValueError(f'block_size = {self.block_size!r}: even; allowed: odd numbers from 5 to 51')
        return self


@dataclass(frozen=True)
class DepthErrors:
    """Errors of a depth map over the pixels whose true depth lies in a range."""

    pixels: int
    """Number of pixels with a true depth in the range."""
    matched: float
    """Share of those pixels with an estimated depth [-]."""
    median: float
    """Median depth error ratio |Z - Z_true| / Z_true of the matched pixels [-]; NaN without matches, as all below."""
    mean: float
    percentile_90: float
    good: float
    """Share of the matched pixels whose ratio is at most 5 %, the criterion of Batagoda et al. 2024."""
    bias: float
    """Median of (Z - Z_true) / Z_true [-]: positive where the depth is too large."""
    within_px: float
    """Fraction of all pixels with a true depth in the range whose disparity is within 1 px of the true one [-]."""
    rms_px: float
    """Root mean square of the disparity errors of those pixels [px]."""


def stereo_baseline(right: CameraInfo) -> float:
    """Return the baseline b [m] of a pair from the projection matrix of its right camera, P[0, 3] = -fx b.

    Args:
        right: Camera info of the right camera.

    Raises:
        ValueError: If that camera is not the right one of a pair.
    """
    baseline = float(-right.p[0, 3] / right.p[0, 0])
    if not baseline > 0.0:
        raise ValueError(f'P[0, 3] = {float(right.p[0, 3])!r}: not the right camera of a pair; allowed: -fx b < 0')
    return baseline


def rectification_maps(info: CameraInfo) -> tuple[Singles, Singles]:
    """Return column and row in the raw image of each pixel of the rectified image, each of shape (height, width)."""
    size, k, d = (info.width, info.height), info.k, info.d
    make: Any = cv2.initUndistortRectifyMap
    if info.distortion_model == 'equidistant':
        make = cv2.fisheye.initUndistortRectifyMap
    columns, rows = make(k, d, info.r, info.p[:, :3], size, cv2.CV_32FC1)
    return columns, rows


def to_8_bit(images: Sequence[NDArray[Any]], percentile: float = 99.5) -> list[Bytes]:
    """Return images of digital numbers converted to 8 bits with one common scale; colors are averaged.

    The scale is the square root of the signal, which makes shot noise uniform.

    Args:
        images: Images, shape (height, width) or (height, width, 3).
        percentile: Percentile of all pixels that becomes white [%].
    """
    gray = [np.asarray(i, np.float32).mean(axis=2) if i.ndim == 3 else np.asarray(i, np.float32) for i in images]
    white = max(float(np.percentile(np.concatenate([i.ravel() for i in gray]), percentile)), 1e-30)
    return [(255.0 * np.sqrt(np.clip(i / white, 0.0, 1.0)) + 0.5).astype(np.uint8) for i in gray]


def disparities(left: Bytes, right: Bytes, least: float, most: float, matcher: MatcherConfig | None = None) -> Singles:
    """Return the disparity of each pixel of the left image [px]; NaN without a match.

    Args:
        left: Rectified left image, shape (height, width).
        right: Rectified right image, shape (height, width).
        least: Smallest disparity of the search [px].
        most: Largest disparity of the search [px].
        matcher: Matcher settings; None: the defaults.

    Source: konolige1998.
    Checked by: test_stereo.py::test_stereo_depth_of_a_wall.
    """
    settings = matcher if matcher is not None else MatcherConfig()
    first = int(np.floor(least))
    count = max(16, -(-(int(np.ceil(most)) + 1 - first) // 16) * 16)
    # OpenCV skips all columns whose farthest candidate lies outside the image; a margin keeps these columns.
    margin = first + count + settings.block_size
    wide = [cv2.copyMakeBorder(i, 0, 0, margin, 0, cv2.BORDER_CONSTANT, value=(0.0,)) for i in (left, right)]
    block = settings.block_size
    matching: Any
    if settings.method == 'bm':
        matching = cv2.StereoBM.create(count, block)
        matching.setTextureThreshold(settings.texture_threshold)
    else:
        matching = cv2.StereoSGBM.create(first, count, block, 8 * block * block, 32 * block * block)
    matching.setMinDisparity(first)
    matching.setUniquenessRatio(settings.uniqueness_ratio)
    matching.setDisp12MaxDiff(round(settings.left_right_tolerance_px))
    out: Singles = matching.compute(*wide)[:, margin:].astype(np.float32) / np.float32(_SUBPIXELS)
    # Unmatched pixels have a disparity one below the minimum; matches in the margin are invalid.
    out[(out < first) | (out > np.arange(out.shape[1], dtype=np.float32))] = np.nan
    return out


def stereo_depth(
    left: NDArray[Any],
    right: NDArray[Any],
    left_info: CameraInfo,
    right_info: CameraInfo,
    depth_range: tuple[float, float] = (1.5, 12.0),
    matcher: MatcherConfig | None = None,
) -> Singles:
    """Return the depth along the left camera's axis [m] of each pixel of the rectified left image; NaN without a match.

    Args:
        left: Raw left image of digital numbers, shape (height, width) or (height, width, 3).
        right: Raw right image of digital numbers, same shape.
        left_info: Camera info of the left camera.
        right_info: Camera info of the right camera; its P contains the baseline.
        depth_range: Minimum and maximum depth of the search [m].
        matcher: Matcher settings; None: the defaults.

    Raises:
        ValueError: If the infos are not those of a pair, or an image differs in size from its info.

    Source: batagoda2024, eq. 9.
    Checked by: test_stereo.py::test_stereo_depth_of_a_wall, test_stereo.py::test_stereo_depth_of_a_rendered_pair.
    """
    for name, image, info in (('left', left, left_info), ('right', right, right_info)):
        if image.shape[:2] != (info.height, info.width):
            size = f'{image.shape[1]} x {image.shape[0]}'
            raise ValueError(f'{name} image: {size}; allowed: {info.width} x {info.height}')
    if not 0.0 < depth_range[0] < depth_range[1]:
        raise ValueError(f'depth_range = {depth_range!r}: not increasing; allowed: 0 < nearest < farthest')
    strength = stereo_baseline(right_info) * float(right_info.p[0, 0])
    flat = [
        cv2.remap(image, *rectification_maps(info), cv2.INTER_LINEAR).astype(np.uint8)
        for image, info in zip(to_8_bit([left, right]), (left_info, right_info))
    ]
    found = disparities(flat[0], flat[1], strength / depth_range[1], strength / depth_range[0], matcher)
    with np.errstate(divide='ignore', invalid='ignore'):
        depth: Singles = np.where(found > 0.0, np.float32(strength) / found, np.float32(np.nan))
    return depth


def rectified_truth(depth: Singles, info: CameraInfo) -> Singles:
    """Return a raw depth image [m] in the rectified camera, by nearest pixels; +inf outside the raw image."""
    columns, rows = rectification_maps(info)
    out: Singles = cv2.remap(
        np.asarray(depth, np.float32),
        columns,
        rows,
        cv2.INTER_NEAREST,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(np.inf,),
    ).astype(np.float32)
    return out


def depth_error_ratio(depth: NDArray[Any], truth: NDArray[Any]) -> Floats:
    """Return |Z - Z_true| / Z_true of each pixel [-]; NaN where either is missing.

    Args:
        depth: Estimated depth [m]; NaN or infinite without an estimate.
        truth: True depth [m], same shape.

    Source: batagoda2024, eq. 10 (there in percent).
    Checked by: test_stereo.py::test_depth_error_ratio.
    """
    z, true = np.asarray(depth, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    both = np.isfinite(z) & np.isfinite(true) & (true > 0.0)
    out = np.full(z.shape, np.nan)
    out[both] = np.abs(z[both] - true[both]) / true[both]
    return out


def depth_errors(
    depth: NDArray[Any], truth: NDArray[Any], within: tuple[float, float] = (2.0, 8.0), strength: float = math.nan
) -> DepthErrors:
    """Return the errors of a depth map.

    Args:
        depth: Estimated depth [m], shape (height, width).
        truth: True depth [m], same shape.
        within: Range of the true depths that count [m].
        strength: Focal length times baseline [px m], for the disparity errors; NaN: these errors are NaN.
    """
    z, true = np.asarray(depth, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    counted = (true >= within[0]) & (true <= within[1])
    ratio = depth_error_ratio(z, true)[counted]
    seen = np.isfinite(ratio)
    pixels = int(counted.sum())
    if not seen.any():
        return DepthErrors(pixels, 0.0, *(math.nan,) * 5, 0.0, math.nan)
    ratio = ratio[seen]
    signed = ((z - true)[counted])[seen] / true[counted][seen]
    off = strength * (1.0 / z[counted][seen] - 1.0 / true[counted][seen])
    close = off[np.abs(off) <= _CLOSE_PX]
    return DepthErrors(
        pixels,
        float(seen.mean()),
        float(np.median(ratio)),
        float(ratio.mean()),
        float(np.percentile(ratio, 90.0)),
        float((ratio <= GOOD_RATIO).mean()),
        float(np.median(signed)),
        len(close) / pixels if math.isfinite(strength) else math.nan,
        float(np.sqrt(np.mean(close**2))) if len(close) else math.nan,
    )
