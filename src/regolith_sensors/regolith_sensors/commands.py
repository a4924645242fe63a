# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands on a run's images: ``./regolith dataset RUN``, ``./regolith snapshot RUN``, ``./regolith stereo RUN``."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from regolith_files.extension_points import CommandContext, NoRecordingError
from regolith_files.problems import InputError, Problem, allowed_names, as_yaml_text, counted

RunArgument = Annotated[Path, typer.Argument(metavar='RUN', help='Run folder.')]
JsonOption = Annotated[bool, typer.Option('--json', help='Print one JSON value on stdout and nothing else there.')]


def dataset(
    context: typer.Context,
    run: Annotated[
        Path, typer.Argument(metavar='RUN|CAMPAIGN', help="Run folder, or a campaign's with recorded runs.")
    ],
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='New or empty folder; default: RUN/dataset.')] = None,
    cameras: Annotated[
        list[str] | None, typer.Option('--camera', metavar='/VEHICLE/SENSOR', help='Of this one; may be repeated.')
    ] = None,
    classes: Annotated[
        list[str] | None, typer.Option('--class', metavar='NAME', help='rock, vehicle, wheel, other; may be repeated.')
    ] = None,
    bits: Annotated[int, typer.Option(help='Per channel of the images: 8 or 16.')] = 8,
    least_pixels: Annotated[int, typer.Option(metavar='N', help='In which a thing must be seen.', min=1)] = 16,
    val_share: Annotated[float, typer.Option('--val', metavar='P', help='For validation.', min=0.0, max=1.0)] = 0.2,
    as_json: JsonOption = False,
) -> None:
    """Export images and boxes of a run, or of a campaign's runs, as a dataset that COCO's and YOLO's tools read."""
    from regolith_sensors.labels.dataset import CLASSES
    from regolith_sensors.labels.dataset_export import export_dataset

    for name in classes or ():
        if name not in CLASSES:
            raise InputError(
                Problem('dataset', '--class', 'is unknown', allowed_names(CLASSES, name), as_yaml_text(name))
            )
    if bits not in (8, 16):
        raise InputError(Problem('dataset', '--bits', 'is not possible', '8 or 16', str(bits)))
    tools: CommandContext = context.obj
    folder = out if out is not None else run / 'dataset'
    with _bad_input('dataset'), tools.progress('dataset') as progress:
        figures = export_dataset(
            tools.runs(run),
            folder,
            cameras=cameras or (),
            classes=classes or CLASSES,
            bits=bits,
            least_pixels=least_pixels,
            val_share=val_share,
            progress=progress,
        )
    if as_json:
        tools.print_json({'folder': str(folder), **figures})
    else:
        for split, found in figures.items():
            boxes = ', '.join(f'{count} {name}' for name, count in found['boxes'].items())
            print(f'{split}: {counted(found["images"], "image")}; boxes: {boxes}')
        print(folder)


def render(
    context: typer.Context,
    run: RunArgument,
    at: Annotated[float | None, typer.Option(metavar='S', help='Simulated time; default: the end.', min=0.0)] = None,
    of: Annotated[list[str] | None, typer.Option(metavar='NAME', help='Of this vehicle; may be repeated.')] = None,
    from_deg: Annotated[
        float | None,
        typer.Option(
            '--from',
            metavar='DEG',
            min=-360.0,
            max=360.0,
            help='Direction of the camera, from ahead of the vehicle to the left.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar='DIR', help='Folder; default: RUN/snapshots.')] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw pictures of a run's vehicles from its recording, as a camera beside each would see it."""
    import cv2

    from regolith_sensors.report.render_from_bag import BagRenderer

    tools: CommandContext = context.obj
    opened = tools.run(run)
    with _bad_input('snapshot'):
        names = sorted(opened.scenario.vehicles)
    for name in of or ():
        if name not in names:
            raise InputError(
                Problem('snapshot', '--of', 'is no vehicle of this run', allowed_names(names, name), as_yaml_text(name))
            )
    if at is not None and at > opened.simulated_s:
        raise InputError(Problem('snapshot', '--at', 'is after the end', f'up to {opened.simulated_s:g} s', f'{at:g}'))
    folder = out if out is not None else run / 'snapshots'
    written = []
    with _bad_input('snapshot'):
        drawn = BagRenderer(opened, opened.simulated_s if at is None else at)
        chosen = [name for name in names if name in drawn.looks and (not of or name in of)]
        folder.mkdir(parents=True, exist_ok=True)
        with tools.progress('snapshot') as progress:
            for k, name in enumerate(chosen):
                file = folder / f'{name}_{drawn.t_ns * 1e-9:.2f}s.png'
                cv2.imwrite(str(file), drawn.picture(name, from_deg)[:, :, ::-1])
                written.append(str(file))
                progress(k + 1, len(chosen))
    if as_json:
        tools.print_json(written)
    else:
        print('\n'.join(written))


def stereo(
    context: typer.Context,
    run: RunArgument,
    near: Annotated[float, typer.Option(metavar='M', help='Least true depth that counts.', min=0.01)] = 2.0,
    far: Annotated[float, typer.Option(metavar='M', help='Largest true depth that counts.', max=1e4)] = 8.0,
    method: Annotated[str, typer.Option(metavar='bm|sgbm', help='Block matching, plain or semi-global.')] = 'bm',
    as_json: JsonOption = False,
) -> None:
    """Print the depth error ratio of a run's stereo pairs by block matching."""
    from regolith_sensors.labels.stereo import MatcherConfig
    from regolith_sensors.labels.stereo_evaluation import run_depth_errors

    if method not in ('bm', 'sgbm'):
        raise InputError(
            Problem('stereo', '--method', 'is unknown', allowed_names(('bm', 'sgbm'), method), as_yaml_text(method))
        )
    if not near < far:
        raise InputError(Problem('stereo', '--far', 'is not beyond --near', f'more than {near:g}', f'{far:g}'))
    tools: CommandContext = context.obj
    matcher = MatcherConfig.model_validate({'method': method})
    with _bad_input('stereo'), tools.progress('stereo') as progress:
        rows = run_depth_errors(tools.run(run), (near, far), matcher, progress)
    if as_json:
        # JSON has no NaN, which stands where nothing matched.
        said = [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows]
        tools.print_json(said)
        return
    for row in rows:
        print(
            f'{row["left"]} and {row["right"]}: b = {row["baseline_m"]:.3f} m, f = {row["focal_length_px"]:.0f} px, '
            f'{counted(row["frames"], "frame")}, {near:g} to {far:g} m: {100 * row["matched"]:.1f} % matched, '
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
