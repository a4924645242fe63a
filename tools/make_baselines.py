#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Update the numbers of test/baselines after an intended change, and print the changes.

./regolith exec python3 tools/make_baselines.py [NAME ...] [--check] [--all]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test'))

from baseline_runs import BASELINES
from baseline_values import FOLDER, differences, read, write

SHOWN = 40


def main() -> int:
    """Measure, print, store; return 1 if a check finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME', help=f'of {", ".join(BASELINES)}; none: all')
    parser.add_argument('--check', action='store_true', help='compare only, store nothing')
    parser.add_argument('--all', action='store_true', help=f'print all changes, not only the first {SHOWN}')
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in BASELINES]
    if unknown:
        parser.error(f'{unknown[0]!r}: no such baseline; allowed: {", ".join(BASELINES)}')
    changed = False
    for name in given.names or BASELINES:
        start = time.process_time()
        rows = BASELINES[name]()
        spent = time.process_time() - start
        file = FOLDER / f'{name}.json'
        found = differences(read(file) if file.exists() else {}, rows)
        print(f'{name}: {len(found)} of {len(rows)} values changed ({spent:.1f} s of processor time)')
        for each in found if given.all else found[:SHOWN]:
            print(f'  {each}')
        if len(found) > SHOWN and not given.all:
            print(f'  and {len(found) - SHOWN} more; --all prints them')
        changed |= bool(found)
        if found and not given.check:
            write(file, rows)
    return int(changed and given.check)


if __name__ == '__main__':
    sys.exit(main())
