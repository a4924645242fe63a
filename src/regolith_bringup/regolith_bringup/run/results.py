# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of a run in addition to its bag: summary.json and report.html."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from regolith_files import NoRecordingError, counted_noun
from regolith_world import run_policy
from regolith_world.checkpoint import disk_reserve, resume_hint


def run_stage(run_dir: Path) -> run_policy.Stage:
    """Return the stage of a run, from the files that its world writes."""
    outcome = run_dir / 'world_summary.json'
    if not outcome.exists():
        return run_policy.Stage.RUNNING if (run_dir / 'started').exists() else run_policy.Stage.STARTING
    failed = json.loads(outcome.read_text(encoding='utf-8'))['failure'] or dropped_participants(run_dir)
    return run_policy.Stage.FAILED if failed else run_policy.Stage.COMPLETE


def dropped_participants(run_dir: Path) -> list[str]:
    """Return the names of the participants that the world dropped."""
    outcome = run_dir / 'world_summary.json'
    if not outcome.exists():
        return []
    return list(json.loads(outcome.read_text(encoding='utf-8')).get('dropped_participants', ()))


def world_exit_message(run_dir: Path, code: int) -> str:
    """Return a message about a world that ended without writing its results, because it was killed or crashed.

    Args:
        run_dir: Run folder.
        code: Exit code, negative for a signal.
    """
    return (
        f'ended {exit_code_text(code)}, which ends the run; its committed states are in the bag{resume_hint(run_dir)}'
    )


def exit_code_text(code: int) -> str:
    """Return an exit code as text."""
    try:
        return f'with exit code {code}' + (f' ({signal.Signals(-code).name})' if code < 0 else '')
    except ValueError:
        return f'with exit code {code}'


def write_results(run_dir: Path, say: Callable[[str], object], *, report: bool) -> dict[str, Any] | None:
    """Write summary.json and report.html as far as the data of the run allow.

    Args:
        run_dir: Run folder.
        say: Function that prints a message line.
        report: Whether to write a report if there is a bag.

    Returns:
        Summary, or None if it cannot be built.
    """
    from regolith_bringup.report.summary import build_summary, write_summary

    disk_reserve.release(run_dir)
    try:
        summary = build_summary(run_dir)
    except NoRecordingError as error:
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
        say(f'{run_dir}: no {what}: {error}; to repeat: ./regolith report {run_dir}')
    if bag['path'] is not None and not bag['complete']:
        say(f'{bag["path"]}: was not closed, but can be read; fix: ./regolith recover {run_dir}')
    state_hash = f'state hash {summary["state_hash"][:16]}' if summary['state_hash'] else 'no state hash'
    undone = f', and {summary["undone_s"]:.2f} s before resets and rewinds,' if summary.get('undone_s') else ''
    say(
        f'{summary["simulated_s"]:.2f} s simulated{undone} in {summary["wall_s"]:.2f} s: '
        f'real-time factor {summary["real_time_factor"] or 0.0:.2f}, '
        f'{counted_noun(summary["cycles"], "cycle")}, {summary["discarded_cycles"]} discarded, {state_hash}'
    )
    punctual = summary['real_time']
    if punctual is not None:
        usual_ms, most_ms = (punctual[key] * 1e3 for key in ('jitter_p99_s', 'jitter_max_s'))
        say(
            f'real time: {punctual["deadline_misses"]} of {punctual["timed_cycles"]} cycles missed their deadline; '
            f'lateness {usual_ms:.2f} ms at the 99th percentile, {most_ms:.2f} ms at most'
        )
    for name, why in summary['dropped_participants'].items():
        say(f'{name} failed: {why}; the run continued without it')
    if summary['failure']:
        say(f'failed: {summary["failure"]}')
    return summary
