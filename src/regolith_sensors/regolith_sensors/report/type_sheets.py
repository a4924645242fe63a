# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of thermal cameras, event cameras and SPAD sensors for the report of a run, from its bag."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_files import BagReader
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.heat.thermal_camera import KELVIN_PER_COUNT
from regolith_sensors.light import LIGHT_SPEED
from regolith_sensors.report.contact_sheet import WIDTH_IN, even_numbers, image_grid, stamp_text
from regolith_sensors.report.image_reader import image_pixels

_EVENTS_S = 0.05
"""Time of which a plot shows the events [s]."""
EVENT_COLORS = ListedColormap(['#d55e00', '#e4e2dd', '#0072b2'])
"""Colors of darker, equal and brighter pixels."""


def _count(bag: BagReader, topic: str) -> int:
    """Return the number of recorded messages of a topic."""
    return bag.topics[topic].messages if topic in bag.topics else 0


def thermal_sheet(bag: BagReader, sensor: ResolvedSensor) -> Figure | None:
    """Return apparent temperatures of a thermal camera; None if its images are not recorded."""
    topic = f'/{sensor.full_name}/image_raw'
    if not (count := _count(bag, topic)):
        return None
    found = [m.content for m in bag.some(topic, even_numbers(count))]
    kelvin = [KELVIN_PER_COUNT * image_pixels(m).astype(np.float64) for m in found]
    low, high = np.percentile(kelvin, (0.5, 99.5))
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), 0.5)
    figure, axes = image_grid([stamp_text(m) for m in found], 1, found[0].height / found[0].width)
    for axis, image in zip(axes[0], kelvin):
        drawn = axis.imshow(image, cmap='inferno', vmin=middle - half, vmax=middle + half, interpolation='nearest')
    figure.colorbar(drawn, ax=list(axes[0]), shrink=0.9, label='apparent temperature [K]')
    return figure


def event_sheet(bag: BagReader, sensor: ResolvedSensor) -> Figure | None:
    """Return the events of an event camera within short times; None if they are not recorded."""
    topic = f'/{sensor.full_name}/events'
    if not (count := _count(bag, topic)):
        return None
    together = min(count, max(1, round(_EVENTS_S * float(sensor.config.rate_hz))))
    starts = even_numbers(count - together + 1)
    chosen = sorted({n + k for n in starts for k in range(together)})
    found = {number: m.content for number, m in zip(chosen, bag.some(topic, chosen), strict=True)}
    groups = [[found[n + k] for k in range(together)] for n in starts]
    first = groups[0][0]
    titles = [f'{stamp_text(group[0])}: {sum(len(m.x) for m in group)} events' for group in groups]
    below = f'events of {together / float(sensor.config.rate_hz):g} s; blue: the last one brighter, orange: darker'
    figure, axes = image_grid(titles, 1, first.height / first.width, below)
    for axis, group in zip(axes[0], groups):
        axis.imshow(event_image(group), cmap=EVENT_COLORS, vmin=-1.5, vmax=1.5, interpolation='nearest')
    return figure


def event_image(messages: list[Any]) -> NDArray[np.int8]:
    """Return the polarity of the last event of each pixel, 0 without one, shape (height, width)."""
    image = np.zeros((messages[0].height, messages[0].width), np.int8)
    for message in messages:
        image[np.asarray(message.y), np.asarray(message.x)] = 2 * np.asarray(message.polarity, np.int8) - 1
    return image


def spad_sheet(bag: BagReader, sensor: ResolvedSensor) -> Figure | None:
    """Return photons of the pixels of a SPAD sensor, and of all pixels over range; None without histograms."""
    topic = f'/{sensor.full_name}/histogram'
    if not (count := _count(bag, topic)):
        return None
    found = [m.content for m in bag.some(topic, even_numbers(count, 3))]
    figure = Figure(figsize=(WIDTH_IN, 5.4), layout='constrained')
    axes = figure.subplots(2, 3, squeeze=False, sharey='row', height_ratios=(1.0, 0.8))
    photons = [np.asarray(m.counts).reshape(m.columns, m.rings, m.bins) for m in found]
    most = max(1, *(int(counts.sum(axis=2).max()) for counts in photons))
    for axis in axes.flat:
        axis.set_axis_off()
    for k, (message, counts) in enumerate(zip(found, photons)):
        pixels, over_range = axes[:, k]
        # Azimuth increases to the left, and elevation upward.
        turned = counts.sum(axis=2).T[::-1, ::-1]
        drawn = pixels.imshow(turned, cmap='viridis', vmin=0, vmax=most, interpolation='nearest')
        pixels.set_title(stamp_text(message), fontsize=9, loc='left')
        time = message.start_s + message.bin_s * np.arange(message.bins)
        over_range.set_axis_on()
        over_range.plot(0.5 * LIGHT_SPEED * time, counts.sum(axis=(0, 1)), lw=0.8, color='#0072b2')
        over_range.set(yscale='log' if counts.any() else 'linear', xlabel='range [m]')
        over_range.grid(alpha=0.25)
        over_range.tick_params(labelsize=8)
    axes[1, 0].set_ylabel(f'photons of all pixels\nper bin of {1e12 * found[0].bin_s:g} ps')
    figure.colorbar(drawn, ax=list(axes[0]), shrink=0.9, label='photons of a pixel')
    return figure
