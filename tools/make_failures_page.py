#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of the run policy in docs/guide/troubleshooting.md from its cases; ``--check`` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from page_markers import written

from regolith_world import run_policy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'src' / 'regolith_world' / 'test'))
from run_policy_cases import AT_END, DURING, REMOTE, Case  # noqa: E402

PAGE = ROOT / 'docs' / 'guide' / 'troubleshooting.md'


def described(action: run_policy.Action) -> str:
    """Return an action as words."""
    match action:
        case run_policy.Restart():
            return 'the node is restarted'
        case run_policy.Report(label, code):
            node = label if label in ('world', 'recorder') else 'node'
            return f'the {node} is named' if code is None else f'the exit code of the {node} is printed'
        case run_policy.Warn():
            return 'a message is printed'
        case run_policy.GiveUp():
            return 'the world ends the run'
        case run_policy.SignalWorld(number):
            return f'the world receives {number.name}'
        case run_policy.End(grace_s, terminate):
            return f'all nodes {"receive SIGTERM and " if terminate else ""}have {grace_s:g} s to exit'
        case run_policy.Exit(code):
            return f'exit code {code}'


def table(cases: Iterable[Case]) -> list[str]:
    """Return the lines of a table of cases."""
    lines = ['', '| situation | actions |', '|---|---|']
    for case in cases:
        words = '; '.join(map(described, case.actions)) or 'none'
        lines.append(f'| {case.situation} | {words[0].upper()}{words[1:]}. |')
    return [*lines, '']


def page() -> str:
    """Return the text of the page with its present tables."""
    return written(PAGE, {'during a run': table(DURING), 'at its end': table(AT_END), 'remote nodes': table(REMOTE)})


def main() -> int:
    """Write or compare the page."""
    if '--check' in sys.argv:
        if page() != PAGE.read_text(encoding='utf-8'):
            print(f'{PAGE.relative_to(ROOT)} differs from the cases of the run policy; run tools/make_failures_page.py')
            return 1
    else:
        PAGE.write_text(page(), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
