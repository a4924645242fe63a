# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth from a stereo pair by block matching, and its error against the truth (depth error ratio).

As in a user's stereo pipeline, from ``image_raw`` and ``camera_info`` alone: the images are undistorted by K, D, R and
P, reduced to 8 bits, matched by OpenCV's block matcher and turned into depth by Z = b fx / disparity. The matcher is a
standard one, so that the figures depend on the images.
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

from regolith_files.section import Section
from regolith_sensors.camera.info import CameraInfo

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_SUBPIXELS = 16.0
"""OpenCV counts disparities in sixteenths of a pixel."""
_CLOSE_PX = 1.0
"""Disparity error up to which a match is right [px]."""
GOOD_RATIO = 0.05
"""Depth error ratio up to which a pixel counts as well seen."""


class MatcherConfig(Section):
    """The block matcher; its defaults suit 600 to 1000 px of focal length and 0.2 to 0.4 m of baseline."""

    method: Literal['bm', 'sgbm'] = Field('bm', description='block matching, or semi-global block matching')
    block_size: int = Field(15, ge=5, le=51, description='side of the blocks [px], odd')
    texture_threshold: int = Field(10, ge=0, le=10000, description='bm: least texture of a block')
    uniqueness_ratio: int = Field(5, ge=0, le=100, description='by how much the best match must beat the next [%]')
    left_right_tolerance_px: float = Field(
        1.0, ge=0.0, le=100.0, description='largest difference of left-right and right-left [px]'
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
    """Number with a true depth in the range."""
    matched: float
    """Share of them that have a depth."""
    median: float
    """Median depth error ratio |Z - Z_true| / Z_true of the matched ones [-]; NaN if there are none, as below."""
    mean: float
    percentile_90: float
    good: float
    """Share of the matched ones whose ratio is at most 5 %, the criterion of Batagoda et al. 2024."""
    bias: float
    """Median of (Z - Z_true) / Z_true: positive where depth is too large."""
    within_px: float
    """Fraction of all pixels with a true depth in the range whose disparity is within 1 px of the true one [-]."""
    rms_px: float
    """Root mean square of the disparity errors of those pixels [px]."""


def stereo_baseline(right: CameraInfo) -> float:
    """Return the baseline b [m] of a pair from the projection matrix of its right camera, P[0, 3] = -fx b.

    Args:
        right: camera info of the right camera

    Raises:
        ValueError: if that camera is not the right one of a pair
    """
    baseline = float(-right.p[0, 3] / right.p[0, 0])
    if not baseline > 0.0:
        raise ValueError(f'P[0, 3] = {float(right.p[0, 3])!r}: not the right camera of a pair; allowed: -fx b < 0')
    return baseline


def rectification_maps(info: CameraInfo) -> tuple[Singles, Singles]:
    """Return column and row in the raw image of each pixel of the rectified one, each of shape (height, width)."""
    size, k, d = (info.width, info.height), info.k, info.d
    make: Any = cv2.initUndistortRectifyMap
    if info.distortion_model == 'equidistant':
        make = cv2.fisheye.initUndistortRectifyMap
    columns, rows = make(k, d, info.r, info.p[:, :3], size, cv2.CV_32FC1)
    return columns, rows


def to_8_bit(images: Sequence[NDArray[Any]], percentile: float = 99.5) -> list[Bytes]:
    """Return images of digital numbers in 8 bits, all by one scale; colours become their mean.

    The scale is the square root of the signal, which evens out shot noise.

    Args:
        images: shape (height, width) or (height, width, 3)
        percentile: of all pixels, that becomes white [%]
    """
    grey = [np.asarray(i, np.float32).mean(axis=2) if i.ndim == 3 else np.asarray(i, np.float32) for i in images]
    white = max(float(np.percentile(np.concatenate([i.ravel() for i in grey]), percentile)), 1e-30)
    return [(255.0 * np.sqrt(np.clip(i / white, 0.0, 1.0)) + 0.5).astype(np.uint8) for i in grey]


def disparities(left: Bytes, right: Bytes, least: float, most: float, matcher: MatcherConfig | None = None) -> Singles:
    """Return the disparity of each pixel of the left image [px], NaN where nothing matches.

    Args:
        left: rectified, shape (height, width)
        right: the same
        least: smallest disparity searched [px]
        most: largest disparity searched [px]
        matcher: None: the default block matcher

    Source: konolige1998.
    Checked by: test_stereo.py::test_a_wall_has_its_depth.
    """
    settings = matcher if matcher is not None else MatcherConfig()
    first = int(np.floor(least))
    count = max(16, -(-(int(np.ceil(most)) + 1 - first) // 16) * 16)
    # OpenCV leaves out all columns whose farthest candidate lies beyond the border; a margin gives them the others.
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
    # Unmatched pixels are marked by one below the least; a match in the margin is none.
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
    """Return the depth along the left camera's axis [m] of each pixel of the rectified left image; NaN: no match.

    Args:
        left: raw image of digital numbers, shape (height, width) or (height, width, 3)
        right: the same of the right camera
        left_info: CameraInfo of the left one
        right_info: CameraInfo of the right one; its P holds the baseline
        depth_range: nearest and farthest depth searched [m]
        matcher: None: the default block matcher

    Raises:
        ValueError: if the infos are not those of a pair, or an image differs in size from its info

    Source: batagoda2024, eq. 9.
    Checked by: test_stereo.py::test_a_wall_has_its_depth, test_stereo.py::test_rendered_pair.
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
    """Return a raw depth image [m] in the rectified camera, by its nearest pixels; +inf outside the raw one."""
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
    """Return |Z - Z_true| / Z_true of each pixel [-], NaN where either is missing.

    Args:
        depth: estimated [m]; NaN or infinite where there is none
        truth: of the same shape [m]

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
        depth: estimated [m], shape (height, width)
        truth: of the same shape [m]
        within: true depths that count [m]
        strength: focal length times baseline [px m], for the errors of disparity; NaN: those are NaN
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
