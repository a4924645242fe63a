# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a world at the end of a run, for ``world_summary.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from regolith_world.world import World


def run_result(
    world: World, wall_s: float, reports: Mapping[str, str], start_ns: int = 0, undone_ns: int = 0
) -> dict[str, Any]:
    """Return how far a world came, how fast, in which state, and what its participants report.

    Args:
        wall_s: length of the run [wall s]
        reports: JSON of each participant's answer to STOP, '' where there is none
        start_ns: time at which the run began [ns]
        undone_ns: simulated time that resets and rewinds took back [ns]; the wall time went into it, too, so the
            real-time factor counts it
    """
    simulated, undone = (world.t_ns - start_ns) * 1e-9, undone_ns * 1e-9
    computed = simulated + undone
    return {
        'simulated_s': simulated,
        'undone_s': undone,
        'end_s': world.t_ns * 1e-9,
        'wall_s': wall_s,
        'real_time_factor': computed / wall_s if wall_s > 0.0 else 0.0,
        'cycles': world.cycle,
        'discarded_cycles': world.discarded_cycles,
        'forced_cycles': world.forced_cycles,
        'state_hash': world.state_hash,
        'soil_hash': world.soil_hash,
        'participant_summaries': {name: json.loads(text) for name, text in reports.items() if text},
    }
