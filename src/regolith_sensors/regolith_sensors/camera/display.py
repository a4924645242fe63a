# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Images for displays: 8 bits in the sRGB curve, with demosaicing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def display_image(numbers: NDArray[np.uint16], encoding: str) -> tuple[NDArray[np.uint8], str]:
    """Return an image in 8 bits and its encoding, ``mono8`` or ``rgb8``.

    Args:
        numbers: Digital numbers of a camera.
        encoding: Their encoding: mono16, rgb16 or bayer_*16.
    """
    if encoding.startswith('bayer_'):
        pattern = encoding.removeprefix('bayer_')[:4].upper()
        numbers = np.asarray(cv2.cvtColor(numbers, getattr(cv2, f'COLOR_Bayer{pattern}2RGB')), dtype=np.uint16)
    shown: NDArray[np.uint8] = _curve()[numbers]
    return shown, 'rgb8' if shown.ndim == 3 else 'mono8'


def srgb(light: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sRGB value, 0 to 1, of linear light, 0 to 1.

    Source: iec61966.
    Checked by: test_display.py::test_8_bit_images_are_srgb_encoded.
    """
    light = np.asarray(light, dtype=np.float64)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1.0 / 2.4) - 0.055)
    return np.asarray(curve)


@lru_cache(maxsize=1)
def _curve() -> NDArray[np.uint8]:
    """Return the 8-bit value of each digital number, shape (65536,)."""
    return np.asarray(255.0 * srgb(np.arange(65536) / 65535.0) + 0.5).astype(np.uint8)
