#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Measure the cost of a live view: alternate runs without and with it, and print medians as JSON.

    ./regolith exec python3 tools/measure_view.py            15 minutes, on a machine without other load

``closed``: ``view --live --web`` runs and no page is open, as with a viewer on another machine. ``window``: the window
of ``view --live`` is open on the same cores. It needs a screen (``Xvfb :9 &``, ``DISPLAY=:9``). Without a graphics
card the processor draws. ``open``: the page is open in a headless browser, which draws on the processor and does not
limit its own load. Only the second half of each run counts, when all viewers are connected.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.ros_graph import ReservedDomain, free_domain
from regolith_bringup.view.headless_browser import Browser, find_browser

WAYS = ('none', 'closed', 'window', 'open')
DRIVING = [
    f'vehicles.{name}.driver={{type: constant, speed_mps: 0.4, yaw_rate_radps: 0.02}}' for name in ('amber', 'basalt')
]
_PAGE = re.compile(r'http://\S+')


def speed(way: str, scenario: str, settings: list[str], duration_s: float, domain: ReservedDomain) -> float:
    """Return the real-time factor in the second half of a run with a kind of view."""
    changed = [word for setting in settings for word in ('--set', setting)]
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain.number)}
    program = [sys.executable, '-m', 'regolith_bringup']
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / 'run'
        run = subprocess.Popen(
            [*program, 'run', scenario, '--out', str(out), '--duration', str(duration_s), '--no-report', *changed],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(run.wait)
        if way != 'none':
            shown = () if way == 'window' else ('--web',)
            view = subprocess.Popen(
                [*program, 'view', '--live', *shown],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            stack.callback(view.wait)
            stack.callback(view.terminate)
            assert view.stdout is not None
            page = _PAGE.search(view.stdout.readline()) if way != 'window' else None
            if way == 'window':
                stack.callback(_check_window, view)
            elif page is None:
                raise RuntimeError('the view did not start before the end of the run; fix: use a longer --duration')
            if way == 'open' and page is not None:
                browser = find_browser()
                if browser is None:
                    raise RuntimeError('no Chromium')
                stack.enter_context(Browser(browser, (1280, 800))).open(page[0])
        run.wait()
        cycles = [(m.content.t_ns, m.publish_time_ns) for m in Bag(out).messages('/regolith/cycle')]
    late = [(t, wall) for t, wall in cycles if t > 0.5 * cycles[-1][0]]
    return (late[-1][0] - late[0][0]) / (late[-1][1] - late[0][1])


def _check_window(view: subprocess.Popen[str]) -> None:
    if view.poll():
        raise RuntimeError('the window did not open; fix: provide a screen (DISPLAY)')


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--scenario', default='two_rovers')
    parser.add_argument(
        '--set', nargs='*', default=DRIVING, help='Scenario setting KEY=VALUE. Rovers drive all the time.'
    )
    parser.add_argument('--duration', type=float, default=240.0, help='Duration of each run [s].')
    parser.add_argument('--times', type=int, default=3, help='Number of runs of each kind.')
    parser.add_argument('--ways', nargs='+', choices=WAYS, default=list(WAYS))
    given = parser.parse_args()
    found: dict[str, list[float]] = {way: [] for way in given.ways}
    domain = free_domain(range(82, 100))
    for _ in range(given.times):
        for way in given.ways:
            found[way].append(speed(way, given.scenario, given.set, given.duration, domain))
            print(f'{way}: {found[way][-1]:.2f}', file=sys.stderr, flush=True)
    medians = {way: median(values) for way, values in found.items()}
    shares = {way: value / medians['none'] for way, value in medians.items()} if 'none' in medians else {}
    print(json.dumps({'speeds': found, 'median': medians, 'share_of_none': shares, 'load': os.getloadavg()}))


if __name__ == '__main__':
    main()
