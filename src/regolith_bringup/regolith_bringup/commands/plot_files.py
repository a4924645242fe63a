# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of experiment results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from regolith_files import InputError, Problem

FORMS = ('.png', '.svg', '.pdf')


def check_plot_file(path: Path) -> None:
    """Refuse a file that a plot cannot be written to, by opening it for writing.

    Args:
        path: Plot file. A file created by this check is removed.

    Raises:
        InputError: If the file cannot be written. The message states the reason.
    """
    problem = 'has an unknown file extension'
    if path.suffix.lower() in FORMS:
        there = os.path.lexists(path)
        try:
            path.open('ab').close()
        except OSError as error:
            problem = f'cannot be written: {error.strerror}'
        else:
            if not there:
                path.unlink()
            return
    raise InputError(Problem('--plot', '', problem, 'a writable .png, .svg or .pdf file', str(path)))


def write_plot(module: Any, settings: Any, rows: Any, path: Path) -> None:
    """Write the plot of an experiment. The title of an interrupted experiment states that it is incomplete.

    Args:
        module: Module of the experiment.
        settings: Settings of the experiment.
        rows: Results.
        path: Plot file.

    Raises:
        OSError: If the file cannot be written.
    """
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    import numpy as np

    figure, axes = plt.subplots(figsize=(7.0, 4.6), layout='constrained')
    try:
        module.draw(settings, rows, axes)
        axes.grid(alpha=0.3)
        if any(row.get('incomplete') for row in rows if isinstance(row, dict)):
            axes.set_title(f'{axes.get_title()} (incomplete)'.strip())
            if not np.isfinite(axes.dataLim.get_points()).all():  # the axes are empty
                axes.text(0.5, 0.5, 'ended before its first result', transform=axes.transAxes, ha='center')
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        figure.savefig(path, dpi=130)
    finally:
        plt.close(figure)
