# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Results computed from the bag of a run, for a world that did not write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_bringup.bag.recover import RecoverError
from regolith_bringup.report.run_data import VehicleTrack, read_run
from regolith_files import NoRecordingError


def result_from_bag(run_dir: Path) -> dict[str, Any]:
    """Return the contents of ``world_summary.json`` as far as the bag contains them.

    Only committed cycles count. Hashes, slip while driving, and reports of terrain and other participants are not in
    the bag.

    Args:
        run_dir: Run folder.

    Raises:
        NoRecordingError: If there is no bag with a cycle.
    """
    lost = f'{run_dir / "world_summary.json"}: missing, because the world was terminated before writing it'
    try:
        run = read_run(run_dir)
    except RecoverError as error:
        raise NoRecordingError(f'{lost}; {error}') from None
    cycles = run.cycles
    if not cycles.committed.any():
        raise NoRecordingError(f'{lost}, and the bag contains no cycle')
    ends = cycles.time + cycles.length
    simulated = float(ends[cycles.committed].max() - cycles.time[0])
    wall = float(cycles.wall[-1])
    return {
        'scenario': run.scenario.name,
        'simulated_s': simulated,
        'wall_s': wall,
        'real_time_factor': simulated / wall if wall > 0.0 else None,
        'cycles': int(cycles.committed.sum()),
        'discarded_cycles': int((~cycles.committed[:-1]).sum()),
        'failure': 'the world was terminated before writing its results; these are from the bag',
        'participant_summaries': {name: _report(track) for name, track in run.tracks.items() if len(track.time)},
    }


def _report(track: VehicleTrack) -> dict[str, Any]:
    sinkage = float(track.sinkage_total.max()) if track.sinkage_total.size else None
    pose = {'position': track.position[-1].tolist(), 'orientation': track.orientation[-1].tolist()}
    return {'distance_m': track.distance, 'max_sinkage_m': sinkage, 'final_pose': pose}
