# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of elevation model copies that processes share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from regolith_terrain.elevation.shared_heights import SHARED_FROM, cache_folder, shared


def test_shared_heights_keep_the_newest_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten copies are made one hour apart: the last eight remain, the first two are removed."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    model = tmp_path / 'model.tif'
    model.write_bytes(b'posts')
    made: list[int] = []

    def posts(request: int) -> float:
        def read() -> np.ndarray:
            made.append(request)
            return np.full(4, float(request))

        return float(shared(model, request, SHARED_FROM, read)[0])

    folder = cache_folder()
    assert folder is not None and tmp_path in folder.parents
    for request in range(10):
        before = set(folder.glob('*.npy'))
        assert posts(request) == request
        for new in set(folder.glob('*.npy')) - before:
            os.utime(new, (3600.0 * (request + 1),) * 2)
    assert made == list(range(10)) and len(list(folder.glob('*.npy'))) == 8
    assert [posts(request) for request in range(2, 10)] == list(range(2, 10)) and made == list(range(10))
