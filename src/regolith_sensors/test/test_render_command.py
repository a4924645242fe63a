# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ``./regolith render`` without a scene."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from regolith_files.problems import InputError
from regolith_sensors.commands import render

END_S = 8.0
RGB = (200, 100, 50)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the times and views that are drawn: of a run of two vehicles, of which one is in the recording."""
    calls: list[Any] = []

    class Redrawn:
        def __init__(self, run: Any, t_s: float) -> None:
            calls.append(t_s)
            self.looks = {'amber': None}
            self.t_ns = round(t_s * 1e9)

        def picture(self, name: str, from_deg: float | None) -> np.ndarray:
            calls.append((name, from_deg))
            return np.broadcast_to(np.uint8(RGB), (4, 6, 3))

    monkeypatch.setattr('regolith_sensors.report.render_from_bag.BagRenderer', Redrawn)
    return calls


def call(run: Path, **options: Any) -> list[str]:
    """Return the files that are written."""
    found: list[list[str]] = []
    opened = SimpleNamespace(simulated_s=END_S, scenario=SimpleNamespace(vehicles={'amber': None, 'basalt': None}))
    tools = SimpleNamespace(
        run=lambda run: opened, print_json=found.append, progress=lambda name: nullcontext(lambda done, of: None)
    )
    context: Any = SimpleNamespace(obj=tools)
    render(context, run, as_json=True, **options)
    return found[0]


@pytest.mark.parametrize(('time', 't_s'), [(None, END_S), (0.0, 0.0), (2.5, 2.5), (END_S, END_S)])
@pytest.mark.parametrize('azimuth', [None, 0.0, -90.0])
def test_render_has_the_given_time_and_azimuth(
    time: float | None, t_s: float, azimuth: float | None, drawn: list[Any], tmp_path: Path
) -> None:
    (file,) = call(tmp_path, time=time, azimuth=azimuth)
    assert drawn == [t_s, ('amber', azimuth)]
    assert file == str(tmp_path / 'renders' / f'amber_{t_s:.2f}s.png')
    assert (cv2.imread(file)[:, :, ::-1] == RGB).all()


def test_render_refuses_times_after_the_end_and_unknown_vehicles(drawn: list[Any], tmp_path: Path) -> None:
    for options, message in (
        ({'time': END_S + 0.1}, 'is after the end; allowed: up to 8 s'),
        ({'vehicles': ['ambre']}, 'did you mean amber'),
    ):
        with pytest.raises(InputError, match=message):
            call(tmp_path, **options)
    assert not drawn and not list(tmp_path.iterdir())
