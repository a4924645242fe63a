#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plot images of a thermal camera at two suns: ``./regolith exec python3 tools/make_thermal_image.py``.

A rover looks at two others and at rocks. The images come from the bags of two runs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import yaml
from matplotlib.figure import Figure

from regolith_bringup.bag.reading import Bag

IMAGE = Path(__file__).resolve().parents[1] / 'docs' / 'images' / 'thermal.png'
SUNS_DEG = (12.0, 45.0)
COLDEST_K, WARMEST_K = 150.0, 350.0
KELVIN = 0.01
"""Unit of the pixels [K]."""


def temperatures(folder: Path, elevation_deg: float) -> np.ndarray:
    """Return the apparent temperatures [K] that a rover sees, sun in the morning at an elevation."""
    parked = {'model': 'viper_solar', 'driver': {'type': 'constant', 'speed_mps': 0.0}}
    eye = {'model': 'microbolometer', 'rate_hz': 1.0, 'mount': {'xyz': [0.6, 0.0, 1.6], 'rpy_deg': [0.0, 8.0, 0.0]}}
    scenario = {
        'duration_s': 0.2,
        'seed': 5,
        'recording': {'sensors': True},
        'terrain': {'source': 'procedural', 'preset': 'polar', 'map_size_m': 48.0},
        'light': {'sun': {'azimuth_deg': 60.0, 'elevation_deg': elevation_deg}},
        'vehicles': {
            'amber': {**parked, 'position': [0.0, 0.0], 'sensors': {'eye': eye}},
            'basalt': {**parked, 'position': [6.0, 0.6], 'heading_deg': 20.0},
            'cobalt': {**parked, 'position': [7.0, -2.4]},
        },
    }
    file, run = folder / f'{elevation_deg:.0f}.yaml', folder / f'{elevation_deg:.0f}'
    file.write_text(yaml.safe_dump(scenario, sort_keys=False), encoding='utf-8')
    command = [sys.executable, '-m', 'regolith_bringup', 'run', str(file), '--out', str(run), '--processes', 'one']
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for message in Bag(run).messages():
        if message.topic == '/amber/eye/image_raw':
            found = message.content
            return KELVIN * np.asarray(found.data).view('<u2').reshape(found.height, found.width)
    raise RuntimeError(f'{run}: has no thermal image')


def main() -> None:
    """Write the plot."""
    figure = Figure(figsize=(10.0, 3.8), layout='constrained')
    plots = figure.subplots(1, len(SUNS_DEG))
    with tempfile.TemporaryDirectory() as folder:
        for axes, elevation in zip(plots, SUNS_DEG, strict=True):
            image = temperatures(Path(folder), elevation)
            shown = axes.imshow(image, cmap='inferno', vmin=COLDEST_K, vmax=WARMEST_K)
            axes.set_title(f'sun {elevation:.0f}° above the level, in the morning', fontsize=9)
            axes.set_axis_off()
            print(f'{elevation:.0f} deg: {np.percentile(image, (1, 25, 50, 75, 99)).round(1)} K')
    figure.colorbar(shown, ax=plots, label='apparent temperature [K]', extend='both', shrink=0.9)
    figure.savefig(IMAGE, dpi=90)


if __name__ == '__main__':
    main()
