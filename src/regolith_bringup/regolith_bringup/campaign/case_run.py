# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One run of a campaign in a worker process, on this machine or another one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from regolith_bringup.report.summary import build_summary
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import write_resolved
from regolith_bringup.scenario.participant_sections import prepared
from regolith_bringup.scenario.schema import Scenario
from regolith_world import load_section
from regolith_world.reporting import make_run_result


def run_unrecorded(scenario_text: str) -> dict[str, Any]:
    """Run a resolved scenario in this process, without recording and sensors, and return its summary.

    The state hash is equal to that of ``./regolith run``.

    Args:
        scenario_text: Resolved scenario as YAML.
    """
    with tempfile.TemporaryDirectory(prefix='regolith_case_') as name:
        folder = Path(name)
        file = folder / 'scenario.yaml'
        file.write_text(scenario_text, encoding='utf-8')
        scenario = prepared(load_section(file, '', Scenario), folder)
        write_resolved(scenario, file)
        started = time.monotonic()
        simulation = Simulation(scenario)
        world, end_ns = simulation.world, max(1, round(scenario.duration_s * 1e9))
        world.hold()
        while world.t_ns < end_ns:
            world.step(end_ns)
        reports = {who: result.summary_json for who, result in world.stop().items()}
        outcome = make_run_result(world, time.monotonic() - started, reports) | {
            'scenario': scenario.name,
            'processes': 'one',
            'failure': '',
        }
        (folder / 'world_summary.json').write_text(json.dumps(outcome), encoding='utf-8')
        return build_summary(folder)


def run_recorded(scenario_text: str, folder: str) -> dict[str, Any]:
    """Run a resolved scenario as ``./regolith run`` does, with sensors and a bag, and return its summary.

    Args:
        scenario_text: Resolved scenario as YAML.
        folder: Run folder, writable by this worker. Remains of an interrupted run are removed.

    Raises:
        RuntimeError: If a node fails. The message contains its output.
    """
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix='regolith_case_') as name:
        file = Path(name) / 'scenario.yaml'
        file.write_text(scenario_text, encoding='utf-8')
        command = [
            sys.executable,
            '-m',
            'regolith_bringup',
            'run',
            str(file),
            '--processes',
            'one',
            '--domain',
            'auto',
            '--out',
            folder,
            '--json',
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        said = done.stderr.strip().splitlines()[-3:]
        raise RuntimeError(f'ended with exit code {done.returncode}: {" / ".join(said)}')
    found: dict[str, Any] = json.loads(done.stdout)
    return found
