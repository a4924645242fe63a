# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith view``: show a recorded or a running simulation in the Rerun viewer, or save a file or an image."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regolith_bringup.commands.options import NamespaceOption, parse_end
from regolith_files import CommandContext, InputError, Problem

if TYPE_CHECKING:
    from regolith_bringup.view.rerun_canvas import Canvas
    from regolith_bringup.view.run_view import RunView

_SIZE = (1600, 1000)
_LARGEST = 8192


def view(
    context: typer.Context,
    run: Annotated[Path | None, typer.Argument(metavar='[RUN]', help='Run folder.')] = None,
    live: Annotated[bool, typer.Option('--live', help='Show the running simulation instead of RUN.')] = False,
    web: Annotated[bool, typer.Option('--web', help='Serve a page for browsers on this machine.')] = False,
    save: Annotated[Path | None, typer.Option(metavar='FILE.rrd', help='Write a Rerun file.')] = None,
    screenshot: Annotated[
        Path | None, typer.Option(metavar='FILE.png', help='Write an image of the end; needs Chromium, no screen.')
    ] = None,
    connect: Annotated[
        str | None, typer.Option(metavar='ADDRESS', help='Send to an open viewer: rerun+http://HOST:PORT/proxy.')
    ] = None,
    end: Annotated[
        float | None,
        typer.Option(
            '--end', metavar='S', help='Stop at this simulated time [s]. Default: the end of the run.', min=0.0
        ),
    ] = None,
    branch: Annotated[int, typer.Option(metavar='K', help='Show the part recorded after the K-th rewind.', min=0)] = 0,
    topics: Annotated[
        list[str] | None,
        typer.Option(
            '--topic', metavar='NAME', help='With --live: also show this image or point cloud; may be repeated.'
        ),
    ] = None,
    update_period: Annotated[
        float | None,
        typer.Option(
            '--update-period',
            metavar='S',
            min=0.1,
            max=600.0,
            show_default=False,
            help='With --live: wall time between two updates [s]. Default: 0.1; without a graphics card 5 to 15.',
        ),
    ] = None,
    size: Annotated[str, typer.Option(metavar='WxH', help='Size of the image [px].')] = f'{_SIZE[0]}x{_SIZE[1]}',
    domain: Annotated[
        str | None, typer.Option('--domain', metavar='N', help='With --live: ROS domain of the run.')
    ] = None,
    namespace: NamespaceOption = '',
) -> None:
    """Show a run over simulated time: terrain, ruts, vehicles, images, point clouds, plots and layers of packages.

    A window opens unless --web, --save, --screenshot or --connect is given. Only --connect can send data to another
    machine.
    """
    _check_way(run, live, web, save, screenshot, connect)
    _check_live(live, {'--update-period': update_period, '--topic': topics, '--domain': domain})
    end = parse_end(end)
    pixels = _size(size)
    _check_rerun()
    from regolith_bringup.view.viewer import check_screen

    windowed = not (web or save or screenshot or connect)
    if windowed:
        check_screen()
    if screenshot is not None:
        from regolith_bringup.view.headless_browser import require_browser

        require_browser()
    for file in filter(None, (save, screenshot)):
        _check_file(file)
    tools: CommandContext = context.obj
    if live:
        from regolith_bringup.run.live_view import show_live

        show_live(
            domain, namespace, web=web, save=save, connect=connect, topics=tuple(topics or ()), every_s=update_period
        )
        return
    assert run is not None
    with tempfile.TemporaryDirectory(prefix='regolith_view_') as folder:
        file = Path(folder) / f'{run.resolve().name}.rrd'
        _draw(tools, run, branch, end, None if connect else file, connect, following=screenshot is not None)
        if save is not None:
            try:
                shutil.copyfile(file, save)
            except OSError as error:
                problem = f'cannot be written: {error.strerror}'
                raise InputError(Problem('view', '--save', problem, 'the path of a file', str(save))) from None
            print(save)
        if screenshot is not None:
            from regolith_bringup.view.viewer import screenshot as take

            take(file, screenshot, pixels)
            print(screenshot)
        elif windowed or web:
            _open(file, web)


def _draw(
    tools: CommandContext,
    run: Path,
    branch: int,
    end: float | None,
    file: Path | None,
    address: str | None,
    *,
    following: bool,
) -> None:
    """Draw a recorded run into a file, or to the viewer at an address."""
    from regolith_bringup.commands.recordings import open_recording
    from regolith_bringup.view.from_bag import draw_run
    from regolith_bringup.view.rerun_canvas import Canvas

    last = open_recording('view', run, branch)
    bags = [*(open_recording('view', run, number) for number in range(branch)), last]
    opened = tools.run(run)
    if not any(topic.messages for topic in bags[-1].topics.values()):
        problem = f'no data in {bags[-1].path} can be read'
        raise InputError(Problem('view', '', problem, 'a recorded run', str(run)))
    canvas = Canvas(run.resolve().name)
    _send(canvas, file, address)
    to_ns = round(end * 1e9) if end is not None else 2**62
    span = max(1, round(min(opened.simulated_s, end if end is not None else opened.simulated_s) * 1e3))
    with tools.progress('view') as tick:
        drawn: RunView = draw_run(
            opened.scenario, bags, canvas, to_ns, lambda t_ns: tick(min(span, round(t_ns * 1e-6)), span)
        )
    canvas.recording.send_blueprint(drawn.blueprint(following=following, bare=following))
    canvas.recording.flush()
    canvas.recording.disconnect()


def _send(canvas: Canvas, file: Path | None, address: str | None) -> None:
    if file is not None:
        canvas.recording.save(file)
    else:
        canvas.recording.connect_grpc(address)


def _open(file: Path, web: bool) -> None:
    """Open a viewer and wait until it is closed or Ctrl-C is pressed."""
    from regolith_bringup.view.viewer import Viewer

    try:
        with Viewer(web=web, file=file) as viewer:
            if web:
                print(viewer.page, flush=True)
            while not viewer.ended(1.0):
                pass
    except OSError as error:
        raise InputError(Problem('view', '', str(error), '--web, --save FILE.rrd, --screenshot FILE.png')) from None


def _check_way(
    run: Path | None, live: bool, web: bool, save: Path | None, screenshot: Path | None, connect: str | None
) -> None:
    """Refuse options that contradict each other."""
    if (run is None) != live:
        problem = 'no run is given' if run is None else 'RUN and --live are given'
        raise InputError(Problem('view', '', problem, 'either a run folder or --live'))
    ways = {'--web': web, '--save': save, '--screenshot': screenshot, '--connect': connect}
    given = [name for name, value in ways.items() if value]
    if len(given) > 1 and given != ['--save', '--screenshot']:
        raise InputError(Problem('view', '', f'{" and ".join(given)}', 'one of them'))
    if live and screenshot is not None:
        problem = 'does not apply to a running simulation'
        raise InputError(Problem('view', '--screenshot', problem, 'RUN instead of --live'))
    if connect is not None and not connect.startswith(('rerun+http://', 'rerun+https://', 'rerun://')):
        allowed = 'rerun+http://HOST:PORT/proxy'
        raise InputError(Problem('view', '--connect', 'is not the address of a viewer', allowed, connect))


def _check_live(live: bool, options: Mapping[str, object]) -> None:
    """Refuse options that do not apply to a recorded run."""
    given = [name for name, value in options.items() if value]
    if given and not live:
        raise InputError(Problem('view', given[0], 'does not apply to a recorded run', '--live instead of RUN'))


def _check_rerun() -> None:
    if find_spec('rerun') is None:
        allowed = (
            'pip install rerun-sdk==0.41.0 (it needs NumPy 2), or config/rviz and config/foxglove for other viewers'
        )
        raise InputError(Problem('view', '', 'Rerun is not installed', allowed))


def _check_file(file: Path) -> None:
    if file.is_dir() or not file.resolve().parent.is_dir():
        problem = 'is a folder' if file.is_dir() else 'its folder does not exist'
        raise InputError(Problem('view', '', problem, 'the path of a new or existing file', str(file)))


def _size(text: str) -> tuple[int, int]:
    parts = text.split('x')
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        width, height = map(int, parts)
        if 200 <= width <= _LARGEST and 200 <= height <= _LARGEST:
            return width, height
    raise InputError(Problem('view', '--size', 'is not a size', f'WIDTHxHEIGHT, each from 200 to {_LARGEST}', text))
