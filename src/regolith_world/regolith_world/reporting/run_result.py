# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of a world at the end of a run, for ``world_summary.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from regolith_world.world import World


def make_run_result(
    world: World, wall_s: float, reports: Mapping[str, str], start_ns: int = 0, undone_ns: int = 0
) -> dict[str, Any]:
    """Return the simulated time, speed, final state and participant reports of a run.

    Args:
        world: The world at the end of the run.
        wall_s: Duration of the run, wall time [s].
        reports: JSON of each participant's result of STOP; '' where there is none.
        start_ns: Simulated time at which the run began [ns].
        undone_ns: Simulated time discarded by resets and rewinds [ns]. It was computed within the wall time, so the
            speed includes it.
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
        'shared_contacts': world.shared_contacts,
        'bodies_over_limit': world.bodies_over_limit,
        'state_hash': world.state_hash,
        'soil_hash': world.soil_hash,
        'participant_summaries': {name: json.loads(text) for name, text in reports.items() if text},
    }
