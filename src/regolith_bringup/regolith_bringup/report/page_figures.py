# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of a page: embedded as an image, and stored as PNG and as CSV data."""

from __future__ import annotations

import base64
import csv
import html
import io
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_files import write_atomically

MOST_POINTS = 3000
"""Maximum number of points of a plotted curve, twice the number of pixel columns."""

_Row = tuple[str, str, str, str, float, float]
_HEAD = ('panel', 'series', 'of x', 'of y', 'x', 'y')
_FAITHFUL = 92
"""WebP quality of the embedded images. The PNG files are stored separately."""


class PageFigures:
    """Plots of one page.

    Args:
        page: HTML file. The plots are stored in a folder of the same name next to it.
    """

    def __init__(self, page: Path) -> None:
        self._folder = page.with_suffix('')
        self._names: set[str] = set()

    def show(self, plot: Figure, name: str, about: str) -> str:
        """Write the files of a plot, and return the HTML that shows it with links to them.

        Args:
            plot: Plot to show.
            name: Name of the files.
            about: Alternative text of the image.
        """
        name = self._free(name)
        self._folder.mkdir(exist_ok=True)
        picture = _as_png(plot)
        write_atomically(self._folder / f'{name}.png', picture)
        files = [f'{name}.png']
        if rows := list(numbers(plot)):
            text = io.StringIO()
            table = csv.writer(text, lineterminator='\n')
            table.writerow(_HEAD)
            table.writerows((*names, f'{x:.9g}', f'{y:.9g}') for *names, x, y in rows)
            write_atomically(self._folder / f'{name}.csv', text.getvalue())
            files.append(f'{name}.csv')
        links = ' '.join(f'<a href="{self._folder.name}/{file}">{file}</a>' for file in files)
        return f'<img alt="{html.escape(about)}" src="{_as_url(picture)}"><p class="files">{links}</p>'

    def _free(self, name: str) -> str:
        """Return a unique file name for a plot."""
        plain = re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')[:60] or 'figure'
        free, number = plain, 1
        while free in self._names:
            number += 1
            free = f'{plain}_{number}'
        self._names.add(free)
        return free


def decimated(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a reduced number of points of a curve: the lowest and highest of each interval.

    Args:
        x: Abscissae, shape (n,).
        y: Ordinates, shape (n,). NaN is a gap.
    """
    length = -(-len(x) // (MOST_POINTS // 2))
    if length <= 2:
        return x, y
    whole = len(x) // length * length
    stretches = y[:whole].reshape(-1, length)
    begin = np.arange(0, whole, length)
    low = np.where(np.isnan(stretches), np.inf, stretches).argmin(axis=1)
    high = np.where(np.isnan(stretches), -np.inf, stretches).argmax(axis=1)
    kept = np.unique(np.concatenate([begin + low, begin + high, np.arange(whole, len(x)), [0, len(x) - 1]]))
    return x[kept], y[kept]


def numbers(figure: Figure) -> Iterator[_Row]:
    """Yield the data of curves, points and bars of a plot: panel, series, names of x and y, x, y."""
    for number, axes in enumerate(figure.axes):
        panel = axes.get_title() or axes.get_title('left') or _above(figure, axes) or f'panel {number + 1}'
        named = (axes.get_xlabel() or _below(figure, axes), axes.get_ylabel() or _beside(figure, axes))
        for k, (label, points) in enumerate(_series(axes)):
            series = f'series {k + 1}' if label.startswith('_') else label
            for x, y in points:
                yield panel, series, *named, float(x), float(y)


def _series(axes: Axes) -> Iterator[tuple[str, NDArray[np.float64]]]:
    for line in axes.get_lines():
        # Lines across a whole panel have axes coordinates. An unnamed point marks a position on another line.
        named = not str(line.get_label()).startswith('_')
        if line.get_transform() == axes.transData and (named or np.size(line.get_xdata()) > 1):
            yield str(line.get_label()), np.column_stack([line.get_xdata(), line.get_ydata()]).astype(np.float64)
    for points in axes.collections:
        if isinstance(points, PathCollection):
            yield str(points.get_label()), np.ma.getdata(points.get_offsets()).astype(np.float64)
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            yield str(bars.get_label()), np.array([(b.get_x() + 0.5 * b.get_width(), b.get_height()) for b in bars])


def _above(figure: Figure, axes: Axes) -> str:
    """Return the heading of the column of a panel, which is at the left."""
    if (place := axes.get_subplotspec()) is None:
        return ''
    columns = [(other.get_subplotspec(), other.get_title('left')) for other in figure.axes]
    return next((title for own, title in columns if title and own is not None and own.colspan == place.colspan), '')


def _below(figure: Figure, axes: Axes) -> str:
    """Return the x label of panels with a shared axis, which is at the lowest panel."""
    shared = [other for other in figure.axes if axes.get_shared_x_axes().joined(axes, other)]
    return next((other.get_xlabel() for other in reversed(shared) if other.get_xlabel()), 'x')


def _beside(figure: Figure, axes: Axes) -> str:
    """Return the y label of panels with a shared axis."""
    shared = [other for other in figure.axes if axes.get_shared_y_axes().joined(axes, other)]
    return next((other.get_ylabel() for other in shared if other.get_ylabel()), 'y')


def _as_png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Time and library version are not written, so that equal runs give equal images.
    figure.savefig(buffer, format='png', dpi=130, metadata={'Software': None})
    return buffer.getvalue()


def _as_url(png: bytes) -> str:
    """Return an image as a data URL, in WebP if that halves the size."""
    pixels = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    small = bytes(cv2.imencode('.webp', pixels, [cv2.IMWRITE_WEBP_QUALITY, _FAITHFUL])[1])
    kind, data = ('webp', small) if 2 * len(small) < len(png) else ('png', png)
    return f'data:image/{kind};base64,' + base64.b64encode(data).decode('ascii')
