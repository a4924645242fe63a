# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of a run beside its bag: summary.json and report.html."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from regolith_world.reserve import release


def ended_well(run_dir: Path) -> bool:
    """Return whether the world reached its end without a failure."""
    outcome = run_dir / 'world.json'
    return outcome.exists() and not json.loads(outcome.read_text(encoding='utf-8'))['failure']


def sum_up(run_dir: Path, say: Callable[[str], object], *, report: bool) -> dict[str, Any] | None:
    """Write summary.json and report.html as far as the run's data allow; return the summary.

    :param say: prints a line for people
    :param report: whether to write a report, if there is a bag
    """
    from regolith_bringup.run.summary import build_summary, write_summary

    release(run_dir)
    try:
        summary = build_summary(run_dir)
    except FileNotFoundError as error:
        say(f'no summary: {error}')
        return None
    bag = summary['bag']
    what = 'summary'
    try:
        write_summary(run_dir, summary)
        what = 'report'
        if report and bag['path'] is not None:
            from regolith_bringup.report.page import write_report

            write_report(run_dir)
    except OSError as error:
        say(f'{run_dir}: no {what}: {error}; later: ./regolith report {run_dir}')
    if bag['path'] is not None and not bag['whole']:
        say(f'{bag["path"]}: was not closed, but can be read; ./regolith recover {run_dir} makes it whole')
    state_hash = f'state hash {summary["state_hash"][:16]}' if summary['state_hash'] else 'no state hash'
    say(
        f'{summary["simulated_s"]:.2f} s simulated in {summary["wall_s"]:.2f} s: speed {summary["speed"] or 0.0:.2f} '
        f'({summary["compute_per_sim_s"] or 0.0:.3f} compute s per simulated s), {summary["cycles"]} cycles, '
        f'{summary["discarded_cycles"]} discarded, {state_hash}'
    )
    return summary
