# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the images of contact sheets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_sensors.config.sensors import ResolvedSensor, sensors_of
from regolith_sensors.light import LIGHT_SPEED
from regolith_sensors.report.contact_sheet import display_pixels, sensor_sheets
from regolith_sensors.report.type_sheets import EVENT_COLORS, event_image

EYE = {'type': 'event_camera', 'width': 6, 'height': 4, 'pixel_size_m': 2e-5, 'focal_length_m': 1.3e-3}


def message(encoding: str, values: NDArray[Any], t_s: int = 0) -> Any:
    height, width = values.shape[:2]
    data = np.ascontiguousarray(values).tobytes()
    stamp = SimpleNamespace(sec=t_s, nanosec=0)
    return SimpleNamespace(
        header=SimpleNamespace(stamp=stamp),
        encoding=encoding,
        height=height,
        width=width,
        step=len(data) // height,
        is_bigendian=0,
        data=data,
    )


def sixteen(encoding: str, values: Any, t_s: int = 0) -> Any:
    return message(encoding, np.asarray(values, dtype='<u2'), t_s)


class Bag:
    """Recording of some messages by topic."""

    def __init__(self, **topics: tuple[str, list[Any]]) -> None:
        self._messages = {f'/a/{name.replace("__", "/")}': found for name, (_, found) in topics.items()}
        self.topics = {
            f'/a/{name.replace("__", "/")}': SimpleNamespace(messages=len(found), type_name=kind)
            for name, (kind, found) in topics.items()
        }

    def some(self, topic: str, numbers: Any) -> list[Any]:
        return [SimpleNamespace(topic=topic, content=self._messages[topic][n]) for n in numbers]


def sensors(model: Any) -> tuple[ResolvedSensor, ...]:
    return sensors_of({'a': {'it': {'model': model}}})


def images_of(figure: Figure) -> list[NDArray[Any]]:
    return [np.asarray(image.get_array()) for axes in figure.axes for image in axes.get_images()]


def assert_whole(figure: Figure) -> None:
    """Check that all labels are within the plot."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert box is None or (box.y1 <= figure.bbox.height and box.y0 >= 0.0 and box.x0 >= 0.0)


def test_display_is_srgb_encoded() -> None:
    image = display_pixels(sixteen('mono16', [[0, 65535], [128, 14036]]))
    # IEC 61966-2-1: linear below 0.0031308, and 21.4 % of the light is the middle of the scale.
    assert image.tolist() == [[0, 255], [round(255 * 12.92 * 128 / 65535), 128]]


def test_colors_are_shown_as_recorded() -> None:
    """A red scene stays red; 8 bits are shown unchanged."""
    red = np.tile(np.array([40_000, 10_000, 10_000]), (4, 4, 1))
    shown = display_pixels(sixteen('rgb16', red))
    assert np.all(shown[..., 0] > shown[..., 1]) and np.all(shown[..., 1] == shown[..., 2])
    eight = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    assert np.array_equal(display_pixels(message('rgb8', eight)), eight)
    mosaic = np.tile(np.array([[40_000, 10_000], [10_000, 10_000]]), (8, 8))
    assert np.array_equal(display_pixels(sixteen('bayer_rggb16', mosaic))[8, 8], shown[0, 0])


def test_display_refuses_numbers_that_are_no_light() -> None:
    with pytest.raises(ValueError, match="encoding '32FC1'; allowed: 8 or 16 bits"):
        display_pixels(message('32FC1', np.zeros((2, 2), '<f4')))


def test_sheet_of_a_camera_has_four_frames_and_whole_titles() -> None:
    frames = [sixteen('rgb16', np.full((60, 80, 3), 1000 * n), n) for n in range(10)]
    bag = Bag(it__image_raw=('sensor_msgs/msg/Image', frames))
    (figure,) = sensor_sheets(bag, ()).values()
    assert [axes.get_title('left') for axes in figure.axes] == ['0.00 s', '3.00 s', '6.00 s', '9.00 s']
    assert_whole(figure)


def test_sheet_of_a_thermal_camera_is_in_kelvin() -> None:
    ramp = np.linspace(20_000, 30_000, 64 * 48).reshape(48, 64)
    bag = Bag(it__image_raw=('sensor_msgs/msg/Image', [sixteen('mono16', ramp, n) for n in range(2)]))
    (figure,) = sensor_sheets(bag, sensors('microbolometer')).values()
    first = images_of(figure)[0]
    assert first.min() == 200.0 and first.max() == 300.0
    assert figure.axes[-1].get_ylabel() == 'apparent temperature [K]'
    assert sensor_sheets(Bag(), sensors('microbolometer')) == {}
    assert_whole(figure)


def events(t_s: int, x: list[int], polarity: list[int]) -> Any:
    stamp = SimpleNamespace(sec=t_s, nanosec=0)
    y = [1] * len(x)
    return SimpleNamespace(header=SimpleNamespace(stamp=stamp), width=6, height=4, x=x, y=y, polarity=polarity)


def test_sheet_of_an_event_camera_has_the_last_polarity_of_each_pixel() -> None:
    """Five messages of 10 ms together."""
    image = event_image([events(0, [2, 3], [1, 0]), events(0, [2], [0])])
    assert image[1].tolist() == [0, 0, -1, -1, 0, 0] and not image[[0, 2, 3]].any()
    bag = Bag(it__events=('regolith_msgs/msg/CameraEvents', [events(n, [n % 6], [1]) for n in range(20)]))
    (figure,) = sensor_sheets(bag, sensors(EYE)).values()
    assert [axes.get_title('left') for axes in figure.axes][:2] == ['0.00 s: 5 events', '5.00 s: 5 events']
    assert_whole(figure)
    assert [int(image.sum()) for image in images_of(figure)] == [5] * 4 and EVENT_COLORS.N == 3


def test_sheet_of_a_spad_sensor_shows_photons_over_range_and_its_cloud() -> None:
    """The pixel at the left and top, azimuth up and elevation up, is at the upper left of the image."""
    counts = np.zeros((4, 3, 20), np.uint16)
    counts[3, 2, 10] = 7
    stamp = SimpleNamespace(sec=1, nanosec=0)
    histogram = SimpleNamespace(
        header=SimpleNamespace(stamp=stamp), columns=4, rings=3, bins=20, start_s=0.0, bin_s=1e-9, counts=counts.ravel()
    )
    fields = [SimpleNamespace(name=name, offset=4 * k) for k, name in enumerate('xyz')]
    points = np.array([[3.0, 0.5, 0.1], [4.0, -0.5, 0.2]], '<f4')
    cloud = SimpleNamespace(
        header=SimpleNamespace(stamp=stamp), fields=fields, is_bigendian=0, point_step=12, data=points.tobytes()
    )
    bag = Bag(
        it__histogram=('regolith_msgs/msg/PhotonHistogram', [histogram] * 2),
        it__points=('sensor_msgs/msg/PointCloud2', [cloud] * 2),
    )
    sheets = sensor_sheets(bag, sensors('spad_flash'))
    assert list(sheets) == ['/a/it', '/a/it/points']
    first = images_of(sheets['/a/it'])[0]
    assert first[0, 0] == 7 and first.sum() == 7
    (line,) = sheets['/a/it'].axes[3].get_lines()
    assert line.get_xdata()[10] == pytest.approx(0.5 * LIGHT_SPEED * 1e-8) and line.get_ydata()[10] == 7
    for sheet in sheets.values():
        assert_whole(sheet)
    # The cloud reaches 4 m, and so do its axes.
    low, high = sheets['/a/it/points'].axes[0].get_xlim()
    assert -0.5 < low < 0.0 and 4.0 < high < 4.5
    empty = Bag(it__points=('sensor_msgs/msg/PointCloud2', [SimpleNamespace(**{**vars(cloud), 'data': b''})]))
    assert list(sensor_sheets(empty, sensors('spad_flash'))) == ['/a/it']
