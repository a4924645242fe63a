# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith verify``: a scenario that repeats itself, and one whose plug-in iterates over a set."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from harness import ROOT, command, environment, free_domain, new_domain, vehicle, write_scenario

from regolith_bringup.bag import comparison
from regolith_bringup.commands.verify import comparisons
from regolith_world.determinism import Level, unpinnable_reason, with_pins

WIDE = Path('/proc/cpuinfo').is_file() and ' avx512f ' in Path('/proc/cpuinfo').read_text()

HASTY = '''
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.builtin import Driver

NAMES = {'amber', 'basalt', 'cinder', 'dune', 'ember', 'flint', 'gravel', 'hummock', 'ilmenite', 'jasper', 'karst', 'loess'}


class Hasty(Driver):
    """Speeds up after a quarter of a second, by what depends on the order of a set: another one in every process."""

    def command(self, t_ns, base):
        order = sum(k * len(name) * ord(name[0]) for k, name in enumerate(NAMES))
        return DriveCommand(0.02 + (1e-9 * order if t_ns >= 250_000_000 else 0.0), 0.0)
'''


OLD_HAND = '''
import numpy as np
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.builtin import Driver


class Oldhand(Driver):
    """Speeds up after a quarter of a second, by what NumPy's own loops make of it."""

    def command(self, t_ns, base):
        last_places = int(np.exp(np.linspace(0.1, 9.0, 4001)).view(np.int64).sum() % 1009)
        return DriveCommand(0.02 + (1e-5 * last_places if t_ns >= 250_000_000 else 0.0), 0.0)
'''


def installed(tmp_path: Path, name: str, source: str) -> dict[str, str]:
    """Return an environment in which a driver is installed, of class and entry point of one name."""
    site = tmp_path / 'site'
    (site / f'{name}-1.0.dist-info').mkdir(parents=True)
    (site / f'{name}.py').write_text(source)
    (site / f'{name}-1.0.dist-info' / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n')
    entry = f'[regolith.drivers]\n{name} = {name}:{name.capitalize()}\n'
    (site / f'{name}-1.0.dist-info' / 'entry_points.txt').write_text(entry)
    return {'PYTHONPATH': f'{site}{os.pathsep}{os.environ.get("PYTHONPATH", "")}', 'PYTHONHASHSEED': 'random'}


def verified(
    tmp_path: Path, driver: dict[str, Any], more: dict[str, str], *options: str
) -> tuple[int, dict[str, Any], str]:
    """Return exit code, JSON value and messages of verifying half a second."""
    file = write_scenario(
        tmp_path, {'amber': vehicle(0.0, 0.0, **driver)}, duration_s=0.5, terrain={'source': 'flat', 'spacing_m': 0.05}
    )
    domain = new_domain()
    try:
        done = subprocess.run(
            command('verify', file, '--json', *options),
            env={**environment(domain), **more},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    finally:
        free_domain(domain)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.ros
@pytest.mark.slow
def test_deterministic_scenario_is_reported(tmp_path: Path) -> None:
    code, found, said = verified(tmp_path, {'type': 'constant', 'speed_mps': 0.2}, {})
    assert code == 0 and found['repeats'] and 'run_to_run: bit-identical results' in said
    assert [each['level'] for each in found['comparisons']] == ['run_to_run', 'cross_process']
    assert found['promises'] is None and all(each['promised'] for each in found['comparisons'])


@pytest.mark.ros
@pytest.mark.slow
def test_an_unordered_iteration_is_found_by_cycle_object_and_field(tmp_path: Path) -> None:
    """In the cycle that begins at 0.26 s, the first whose command was given after a quarter of a second."""
    code, found, said = verified(tmp_path, {'type': 'plugin', 'name': 'hasty'}, installed(tmp_path, 'hasty', HASTY))
    assert code == 3 and not found['repeats']
    for each in found['comparisons']:
        difference = each['difference']
        assert difference['name'] == 'amber' and difference['t_s'] == pytest.approx(0.26)
        assert difference['field'].startswith(('pose.', 'linear_velocity.', 'angular_velocity.'))
        assert difference['first'] != difference['second']
    assert 'cycle 13 at 0.260 s: amber: ' in said and 'does not keep its world.determinism: null' in said


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(bool(unpinnable_reason()) or not WIDE, reason='NumPy has no loops of its own for this processor')
@pytest.mark.timeout(900)
def test_what_differs_by_processor_is_found_by_cycle_object_and_field(tmp_path: Path) -> None:
    """Pinned, a run again and one in one process are the same; with NumPy's loops for this processor it is another."""
    driver = {'type': 'plugin', 'name': 'oldhand'}
    environment = installed(tmp_path, 'oldhand', OLD_HAND)
    code, found, said = verified(tmp_path, driver, environment, '--set', 'world.determinism=cross_machine')
    assert code == 3 and not found['repeats'] and 'does not keep its world.determinism: cross_machine' in said
    differ = {each['name']: each['difference'] for each in found['comparisons'] if each['difference'] is not None}
    assert differ.keys() == {'numpy'}
    assert differ['numpy']['name'] == 'amber' and differ['numpy']['t_s'] == pytest.approx(0.26)


def test_what_is_promised_is_what_is_compared() -> None:
    """Each level all that those before it do; other processors where cross_machine is promised, or on request."""

    def names(level: Level, processors: bool = False) -> list[str]:
        return [each.name for each in comparisons(level, processors, {})]

    processors = ['generic', 'c_library', 'blas', 'numpy']
    assert names('run_to_run') == ['again']
    assert names('cross_process') == ['again', 'one']
    assert names('cross_machine') == ['again', 'one', *processors] == names('run_to_run', True)
    for level in ('cross_process', 'cross_machine'):
        planned = {each.name: each for each in comparisons(level, True, {'HOME': '/'})}
        usual = with_pins({'HOME': '/'}) if level == 'cross_machine' else {'HOME': '/'}
        assert planned['again'].environment == planned['one'].environment == usual
        # Each alone, and not what the others are compared with.
        for name in processors:
            other = planned[name].environment
            assert (
                len({v for v in {*usual, *other} if usual.get(v) != other.get(v)}) == 1
                and planned[name].against == 'one'
            )


def test_fields_are_compared_bit_for_bit() -> None:
    class Message:
        __dataclass_fields__ = dict.fromkeys(('key', 'state_hash', 'speed', 'places'))

        def __init__(self, **values: Any) -> None:
            self.__dict__.update({'key': 0, 'state_hash': 'a', 'speed': 1.0, 'places': np.array([1.0, 2.0]), **values})

    unlike = comparison._unlike
    assert unlike(Message(), Message(key=1)) is None, 'attempts are not of the state'
    assert unlike(Message(speed=float('nan')), Message(speed=float('nan'))) is None
    assert unlike(Message(speed=0.0), Message(speed=-0.0)) == ('speed', '0.0', '-0.0')
    # The difference is named before the hash, which only shows that there is one.
    other = Message(state_hash='b', places=np.array([1.0, np.nextafter(2.0, 3.0)]))
    assert unlike(Message(), other) == ('places[1]', '2.0', '2.0000000000000004')
    assert unlike(Message(), Message(state_hash='b')) == ('state_hash', "'a'", "'b'")
    assert unlike([1, 2], [1]) == ('', '2 items', '1 items')


def test_run_that_is_shorter_or_misses_a_result_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(numbers: range, *names: str) -> list[comparison.CycleContent]:
        return [
            comparison.CycleContent(n, SimpleNamespace(t_ns=n * 10**7), dict.fromkeys(names, SimpleNamespace()), None)
            for n in numbers
        ]

    runs = {'whole': said(range(3), 'amber'), 'short': said(range(2), 'amber'), 'other': said(range(3), 'amber', 'x')}
    monkeypatch.setattr(comparison, 'cycles', lambda run: iter(runs[run]))
    monkeypatch.setattr(comparison, '_unlike', lambda a, b: None)
    assert comparison.first_difference('whole', 'whole') is None
    for one, other in (('whole', 'short'), ('short', 'whole')):
        found = comparison.first_difference(one, other)
        assert found is not None and (found.cycle, found.field) == (2, 'cycles')
    found = comparison.first_difference('whole', 'other')
    assert found is not None and (found.cycle, found.field, found.second) == (0, 'results', 'amber, x')
