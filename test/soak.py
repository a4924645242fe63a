# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A long run under observation: what every process holds of memory and files, over simulated time.

``./regolith exec python3 test/soak.py --duration 7200 --out FOLDER`` runs it and prints its results; ``test_soak.py`` holds a
short one against the same limits.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness import LiveRun, RunResult, vehicle, write_scenario

EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 160,
    'height': 120,
    'pixel_size_m': 5e-6,
    'focal_length_m': 8e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'auto_exposure': {},
    'rate_hz': 0.5,
}
WARM_UP = 0.25
"""Part of a run at its beginning whose growth does not count: caches fill, circles close."""


def scenario(folder: Path, duration_s: float, ground: str = 'scm') -> Path:
    """Write the scenario of a soak: two rovers in circles, each with a camera, an inertial unit and a radio, recorded whole.

    Circles, so that the ground they change stops growing: what grows then is a leak.
    """
    sensors = {
        'eye': {'model': EYE, 'mount': {'xyz': [0.55, 0.0, 1.8], 'rpy_deg': [0.0, 24.0, 0.0]}, 'outputs': ['image']},
        'imu': {'model': {'type': 'imu', 'rate_hz': 5.0}},
    }
    rovers = {
        name: {**vehicle(0.0, y, 0.0, type='constant', speed_mps=0.3, yaw_rate_radps=0.2), 'sensors': sensors}
        for name, y in (('amber', 0.0), ('basalt', 6.0))
    }
    comms = {
        'radio': 'subt_cloud_tunnel',
        'margin_m': 20.0,
        'stations': {'lander': [-60.0, 0.0]},
        'beacon_period_s': 2.0,
        'traffic': [
            {'src': 'amber', 'dst': 'lander', 'period_s': 0.5, 'size_bytes': 300},
            {'src': 'lander', 'dst': 'broadcast', 'period_s': 1.0},
            {'src': 'basalt', 'dst': 'amber', 'period_s': 0.5},
        ],
    }
    terrain = {} if ground == 'scm' else {'model': ground, 'soil': {'friction': 0.7}}
    return write_scenario(
        folder,
        rovers,
        'soak',
        duration_s=duration_s,
        terrain=terrain,
        comms=comms,
        recording={'sensors': True},
        world={'max_step_s': 0.4, 'checkpoint_period_s': 60.0},
    )


@dataclass(frozen=True)
class Sample:
    """What one process held at one time."""

    t_s: float
    """Simulated time [s]."""
    rss_mb: float
    """Memory in use, pages of shared memory that it has touched included [MB]."""
    own_mb: float
    """The part of it that no other process shares [MB]."""
    files: int
    """Open file descriptors."""


def sample(pid: int, t_s: float) -> Sample:
    """Return what a process holds now.

    Raises:
        OSError: if it is gone
    """
    lines = dict(line.split(':', 1) for line in Path(f'/proc/{pid}/status').read_text().splitlines())
    if 'VmRSS' not in lines:
        raise ProcessLookupError(pid)  # it has ended, and its parent has not collected its exit code yet
    rss, own = (int(lines[key].split()[0]) / 1024.0 for key in ('VmRSS', 'RssAnon'))
    return Sample(t_s, rss, own, len(list(Path(f'/proc/{pid}/fd').iterdir())))


def shared_memory_mb() -> float:
    """Return the size of all that the middleware keeps in shared memory on this machine [MB]."""
    sizes = []
    for path in Path('/dev/shm').glob('*fastrtps*'):
        try:
            sizes.append(path.stat().st_blocks * 512)
        except FileNotFoundError:
            continue
    return sum(sizes) / 2**20


@dataclass(frozen=True)
class Soak:
    """What came of a soak."""

    result: RunResult
    samples: Mapping[str, list[Sample]]
    """By process, its label."""
    shared_mb: list[tuple[float, float]]
    """Simulated time [s] and shared memory [MB]."""


def soak(
    folder: Path, duration_s: float, *, processes: str = 'many', ground: str = 'scm', period_s: float = 2.0
) -> Soak:
    """Run it to its end.

    Args:
        period_s: between two samples [wall s]
    """
    samples: dict[str, list[Sample]] = defaultdict(list)
    shared: list[tuple[float, float]] = []
    with LiveRun(folder, scenario(folder, duration_s, ground), processes=processes) as live:
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status and status[-1].t_ns > 0, 120.0, 'the first cycle')
        pids = live.pids()
        while live.running:
            t_s = status[-1].t_ns * 1e-9
            del status[:-1]
            for label, pid in pids.items():
                try:
                    samples[label].append(sample(pid, t_s))
                except OSError:
                    continue  # it leaves
            shared.append((t_s, shared_memory_mb()))
            (folder / 'samples.json').write_text(
                json.dumps({'samples': {k: [asdict(s) for s in v] for k, v in samples.items()}, 'shared_mb': shared})
            )
            until = time.monotonic() + period_s
            while live.running and time.monotonic() < until:
                live.spin(0.1)
        return Soak(live.finish(), samples, shared)


@dataclass(frozen=True)
class Growth:
    """Growth of one process after its warm-up."""

    first_mb: float
    """Most memory of its own in the first half of that [MB]."""
    last_mb: float
    """In the second half [MB]."""
    files: tuple[int, int]
    """Most open file descriptors in either half."""


def growth(samples: list[Sample], duration_s: float) -> Growth:
    """Return how a process grew after its warm-up.

    By what it holds at most: what a cycle works on comes and goes, and only in some samples it is there.
    """
    warm = [s for s in samples if WARM_UP * duration_s < s.t_s < duration_s]
    halves = warm[: len(warm) // 2], warm[len(warm) // 2 :]
    first, last = (max(s.own_mb for s in half) for half in halves)
    return Growth(first, last, (max(s.files for s in halves[0]), max(s.files for s in halves[1])))


def main() -> None:
    """Run a soak and print its results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--duration', type=float, default=120.0, help='simulated time [s]')
    parser.add_argument('--out', type=Path, required=True, help='folder for run and samples')
    parser.add_argument('--processes', default='many', choices=('many', 'one'))
    parser.add_argument('--ground', default='scm', choices=('scm', 'rigid'))
    parser.add_argument('--period', type=float, default=5.0, help='between two samples [wall s]')
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    done = soak(given.out, given.duration, processes=given.processes, ground=given.ground, period_s=given.period)
    summary = done.result.summary
    figures = {
        'simulated_s': summary['simulated_s'],
        'wall_s': summary['wall_s'],
        'real_time_factor': summary['real_time_factor'],
        'bag': summary['bag'],
        'sensors': summary.get('sensors'),
        'modified_nodes': (summary['terrain'] or {}).get('modified_nodes'),
        'shared_mb': [done.shared_mb[0][1], done.shared_mb[-2][1]],
        'processes': {label: asdict(growth(taken, given.duration)) for label, taken in sorted(done.samples.items())},
    }
    print(json.dumps(figures, indent=1))


if __name__ == '__main__':
    main()
