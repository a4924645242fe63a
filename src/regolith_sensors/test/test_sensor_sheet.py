# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the images of contact sheets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from regolith_sensors.report.contact_sheet import display_image


def message(encoding: str, values: NDArray[np.uint16]) -> Any:
    height, width = values.shape[:2]
    data = np.ascontiguousarray(values, dtype='<u2').tobytes()
    return SimpleNamespace(
        encoding=encoding, height=height, width=width, step=len(data) // height, is_bigendian=0, data=data
    )


def test_display_image_is_srgb_encoded() -> None:
    image = display_image(message('mono16', np.array([[0, 65535], [128, 14036]], dtype=np.uint16)))
    # IEC 61966-2-1: linear below 0.0031308, and 21.4 % of the light is the middle of the scale.
    assert image == pytest.approx(np.array([[0.0, 1.0], [12.92 * 128 / 65535, 0.5]]), abs=1e-3)


@pytest.mark.parametrize('letters', ['rggb', 'bggr', 'gbrg', 'grbg'])
def test_gray_scene_is_gray_for_any_bayer_pattern(letters: str) -> None:
    gray = np.linspace(2000.0, 30000.0, 12 * 16).reshape(12, 16).repeat(2, axis=0).repeat(2, axis=1)
    seen = gray.copy()
    for n, letter in enumerate(letters):
        seen[n // 2 :: 2, n % 2 :: 2] *= {'r': 0.7, 'g': 1.0, 'b': 0.55}[letter]
    image = display_image(message(f'bayer_{letters}16', seen.astype(np.uint16)))
    assert image.shape == (12, 16, 3)
    # Integers of the mosaic: half of one in 1100, the darkest.
    assert np.abs(np.diff(image, axis=2)).max() < 1e-3
    assert np.all(np.diff(image[:, :, 1].ravel()) > 0.0)


def test_display_of_a_black_image_is_black() -> None:
    assert np.all(display_image(message('rgb16', np.zeros((4, 4, 3), dtype=np.uint16))) == 0.0)
