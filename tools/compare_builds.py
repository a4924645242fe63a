#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run a scenario on two checkouts, each in one process, and compare every committed state bit by bit.

A state hash cannot be compared after a change of its contents. This tool compares poses, twists, joints and each
field of each grid node. It lists fields that only one checkout has, and whether they are zero throughout.

    tools/compare_builds.py ../before . --scenario two_rovers --duration 10
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORD = """
import pickle, sys
import numpy as np
from regolith_bringup.scenario import load_scenario
from regolith_bringup.run.simulation import Simulation
from regolith_terrain.grid import node_records as table

out = open(sys.argv[1], 'wb')
pending = []
BODY = ('position', 'orientation', 'linear_velocity', 'angular_velocity')

def body(name, shot):
    parts = {key: np.asarray(getattr(shot.base, key)).tobytes() for key in BODY}
    parts['joints'] = np.concatenate((shot.joint_positions, shot.joint_velocities)).tobytes()
    pickle.dump(('body', shot.t_ns, name, parts), out)

def ground(cycle):
    for records in pending:
        fields = {key: np.array(getattr(records, key)) for key in getattr(records, 'fields', table.FIELDS)}
        pickle.dump(('soil', cycle.t_ns, '', {'i': records.i, 'j': records.j, **fields}), out)
    pending.clear()

simulation = Simulation(load_scenario(sys.argv[2], sys.argv[4:]).scenario, publish=body)
simulation.on_update = lambda update: (pending.clear(), pending.append(update.records))
assert hasattr(simulation.terrain, 'on_shown')  # otherwise no soil is compared
simulation.terrain.on_shown = ground
state_hash = simulation.run(float(sys.argv[3]))
pickle.dump(('end', simulation.world.t_ns, state_hash, {'soil': simulation.terrain.grid.soil_hash()}), out)
"""


def record(checkout: Path, out: Path, arguments: argparse.Namespace) -> None:
    """Run the scenario on a checkout and write all committed states to a file."""
    command = [checkout.resolve() / 'regolith', 'exec', 'python3', '-c', RECORD, out, arguments.scenario]
    subprocess.run([*map(str, command), str(arguments.duration), *arguments.set], check=True)


def told(file: Path) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
    """Yield the states of such a file."""
    with file.open('rb') as stream:
        while True:
            try:
                yield pickle.load(stream)
            except EOFError:
                return


def compare(before: Path, after: Path) -> dict[str, Any]:
    """Return the numbers of compared states and node records, the differences, and both hashes."""
    found: dict[str, Any] = {'states': 0, 'node_records': 0, 'differ': [], 'only_before': {}, 'only_after': {}}
    pairs = zip(told(before), told(after), strict=True)
    for (kind, t_ns, name, old), (other_kind, other_t_ns, other_name, new) in pairs:
        if kind == 'end':
            found['state_hash'], found['soil_hash'] = [name, other_name], [old['soil'], new['soil']]
            continue
        where = f'{kind} {name} at {t_ns} ns'.replace('  ', ' ')
        if (kind, t_ns, name) != (other_kind, other_t_ns, other_name):
            found['differ'].append(f'{where}: {other_kind} {other_name} at {other_t_ns} ns there')
            break
        found['states'] += kind == 'body'
        found['node_records'] += len(old['i']) if kind == 'soil' else 0
        for key in (key for key in old if key in new):
            a, b = (value if isinstance(value, bytes) else value.tobytes() for value in (old[key], new[key]))
            if a != b:
                found['differ'].append(f'{where}: {key}')
        for mine, others, key in ((old, new, 'only_before'), (new, old, 'only_after')):
            for field in (field for field in mine if field not in others):
                zero = found[key].get(field, 'zero throughout')
                found[key][field] = zero if not mine[field].any() else 'not zero'
    found['equal'] = not found['differ']
    return found


def main() -> int:
    """Compare two checkouts; return 0 if they are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('before', type=Path, help='Checkout with a completed setup.')
    parser.add_argument('after', type=Path, help='another')
    parser.add_argument('--scenario', default='two_rovers')
    parser.add_argument('--duration', type=float, default=5.0, help='simulated time [s]')
    parser.add_argument('--set', action='append', default=[], help='section.key=value')
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, 'before'), Path(folder, 'after')
        for checkout, file in zip((arguments.before, arguments.after), files, strict=True):
            record(checkout, file, arguments)
        found = compare(*files)
    found['differ'] = found['differ'][:20]
    print(json.dumps(found, indent=1))
    return 0 if found['equal'] else 1


if __name__ == '__main__':
    sys.exit(main())
