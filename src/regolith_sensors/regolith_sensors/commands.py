# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands on the images of a run: ``./regolith dataset RUN``, ``./regolith render RUN``, ``./regolith stereo RUN``."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from regolith_files import (
    CommandContext,
    InputError,
    NoRecordingError,
    Problem,
    allowed_names,
    as_yaml_text,
    counted_noun,
)

RunArgument = Annotated[Path, typer.Argument(metavar='RUN', help='Run folder.')]
JsonOption = Annotated[bool, typer.Option('--json', help='Print the result as one JSON value on stdout.')]


def dataset(
    context: typer.Context,
    run: Annotated[
        Path, typer.Argument(metavar='RUN|CAMPAIGN', help='Run folder, or that of a campaign with recorded runs.')
    ],
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='New or empty folder. Default: RUN/dataset.')] = None,
    cameras: Annotated[
        list[str] | None,
        typer.Option('--camera', metavar='/VEHICLE/SENSOR', help='Export only this camera; may be repeated.'),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            '--class', metavar='NAME', help='Export this class: rock, vehicle, wheel, other; may be repeated.'
        ),
    ] = None,
    bits: Annotated[int, typer.Option(help='Bits per channel of the images: 8 or 16.')] = 8,
    min_pixels: Annotated[int, typer.Option(metavar='N', help='Minimum size of an instance [px].', min=1)] = 16,
    val_fraction: Annotated[
        float, typer.Option(metavar='P', help='Fraction of images for validation.', min=0.0, max=1.0)
    ] = 0.2,
    as_json: JsonOption = False,
) -> None:
    """Export images and bounding boxes of a run or a campaign as a dataset in the formats of COCO and YOLO."""
    from regolith_sensors.labels.dataset import CLASSES
    from regolith_sensors.labels.dataset_export import export_dataset

    for name in classes or ():
        if name not in CLASSES:
            raise InputError(
                Problem('dataset', '--class', 'is unknown', allowed_names(CLASSES, name), as_yaml_text(name))
            )
    if bits not in (8, 16):
        raise InputError(Problem('dataset', '--bits', 'is not supported', '8 or 16', str(bits)))
    tools: CommandContext = context.obj
    folder = out if out is not None else run / 'dataset'
    with _bad_input('dataset'), tools.progress('dataset') as progress:
        figures = export_dataset(
            tools.runs(run),
            folder,
            cameras=cameras or (),
            classes=classes or CLASSES,
            bits=bits,
            least_pixels=min_pixels,
            val_share=val_fraction,
            progress=progress,
        )
    if as_json:
        tools.print_json({'folder': str(folder), **figures})
    else:
        for split, found in figures.items():
            boxes = ', '.join(f'{count} {name}' for name, count in found['boxes'].items())
            print(f'{split}: {counted_noun(found["images"], "image")}; boxes: {boxes}')
        print(folder)


def render(
    context: typer.Context,
    run: RunArgument,
    time: Annotated[
        float | None, typer.Option(metavar='S', help='Simulated time [s]. Default: the end of the run.', min=0.0)
    ] = None,
    vehicles: Annotated[
        list[str] | None, typer.Option('--vehicle', metavar='NAME', help='Render only this vehicle; may be repeated.')
    ] = None,
    azimuth: Annotated[
        float | None,
        typer.Option(metavar='DEG', min=-360.0, max=360.0, help='Azimuth of the camera [deg], left of straight ahead.'),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='Folder. Default: RUN/renders.')] = None,
    as_json: JsonOption = False,
) -> None:
    """Render each vehicle of a recorded run as a camera beside it would see it; print the paths of the images."""
    import cv2

    from regolith_sensors.report.render_from_bag import BagRenderer

    tools: CommandContext = context.obj
    opened = tools.run(run)
    with _bad_input('render'):
        names = sorted(opened.scenario.vehicles)
    for name in vehicles or ():
        if name not in names:
            raise InputError(
                Problem(
                    'render',
                    '--vehicle',
                    'is not a vehicle of this run',
                    allowed_names(names, name),
                    as_yaml_text(name),
                )
            )
    if time is not None and time > opened.simulated_s:
        allowed = f'up to {opened.simulated_s:g} s'
        raise InputError(Problem('render', '--time', 'is after the end', allowed, f'{time:g}'))
    folder = out if out is not None else run / 'renders'
    written = []
    with _bad_input('render'):
        drawn = BagRenderer(opened, opened.simulated_s if time is None else time)
        chosen = [name for name in names if name in drawn.looks and (not vehicles or name in vehicles)]
        folder.mkdir(parents=True, exist_ok=True)
        with tools.progress('render') as progress:
            for k, name in enumerate(chosen):
                file = folder / f'{name}_{drawn.t_ns * 1e-9:.2f}s.png'
                cv2.imwrite(str(file), drawn.picture(name, azimuth)[:, :, ::-1])
                written.append(str(file))
                progress(k + 1, len(chosen))
    if as_json:
        tools.print_json(written)
    else:
        print('\n'.join(written))


def stereo(
    context: typer.Context,
    run: RunArgument,
    min_depth: Annotated[float, typer.Option(metavar='M', help='Minimum true depth [m].', min=0.01)] = 2.0,
    max_depth: Annotated[float, typer.Option(metavar='M', help='Maximum true depth [m].', max=1e4)] = 8.0,
    method: Annotated[str, typer.Option(metavar='bm|sgbm', help='Block matching: plain or semi-global.')] = 'bm',
    as_json: JsonOption = False,
) -> None:
    """Print the depth errors of the stereo pairs of a run, found by block matching."""
    from regolith_sensors.labels.stereo import MatcherConfig
    from regolith_sensors.labels.stereo_evaluation import run_depth_errors

    if method not in ('bm', 'sgbm'):
        raise InputError(
            Problem('stereo', '--method', 'is unknown', allowed_names(('bm', 'sgbm'), method), as_yaml_text(method))
        )
    if not min_depth < max_depth:
        allowed = f'more than {min_depth:g}'
        raise InputError(Problem('stereo', '--max-depth', 'is not above --min-depth', allowed, f'{max_depth:g}'))
    tools: CommandContext = context.obj
    matcher = MatcherConfig.model_validate({'method': method})
    with _bad_input('stereo'), tools.progress('stereo') as progress:
        rows = run_depth_errors(tools.run(run), (min_depth, max_depth), matcher, progress)
    if as_json:
        # JSON has no NaN, which stands where nothing matched.
        said = [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows]
        tools.print_json(said)
        return
    for row in rows:
        print(
            f'{row["left"]} and {row["right"]}: b = {row["baseline_m"]:.3f} m, f = {row["focal_length_px"]:.0f} px, '
            f'{counted_noun(row["frames"], "frame")}, {min_depth:g} to {max_depth:g} m: '
            f'{100 * row["matched"]:.1f} % matched, '
            f'{100 * row["within_px"]:.1f} % within 1 px ({row["rms_px"]:.2f} px rms), depth error ratio: '
            f'median {100 * row["median"]:.2f} %, 90th percentile {100 * row["percentile_90"]:.2f} %'
        )


@contextmanager
def _bad_input(command: str) -> Iterator[None]:
    """Turn errors about a run folder or an option into messages and exit code 2."""
    try:
        yield
    except (NoRecordingError, ValueError, OSError) as error:
        print(f'{command}: {error}', file=sys.stderr)
        raise typer.Exit(2) from None
