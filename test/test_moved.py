# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules by the names they had before they moved."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from regolith_files import moved

PACKAGES = ('regolith_world', 'regolith_sensors', 'regolith_bringup')
for package in PACKAGES:
    importlib.import_module(package)


@pytest.mark.parametrize('old', sorted(moved.new_names))
def test_an_old_name_leads_to_the_module_itself(old: str) -> None:
    new = importlib.import_module(moved.new_names[old])
    assert importlib.import_module(old) is new
    # It has kept its identity: what is pickled, logged or reloaded names the new place.
    assert new.__name__ == new.__spec__.name == moved.new_names[old]


def test_it_is_enough_to_import_the_old_name() -> None:
    script = 'from regolith_bringup import problems; import regolith_bringup.problems as p; print(p.__name__, p is problems)'
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ['regolith_files.problems', 'True']


@pytest.mark.parametrize(
    'name',
    [
        'regolith_bringup.scenario:load_scenario', 'regolith_bringup.scenario:Scenario', 'regolith_bringup.report:write_report',
        'regolith_sensors.rays:cast', 'regolith_sensors.scene:Scene', 'regolith_sensors.lidar:Lidar',
    ],
)
def test_a_package_gives_what_the_module_of_its_name_gave(name: str) -> None:
    package, _, attribute = name.partition(':')
    assert callable(getattr(importlib.import_module(package), attribute))
    assert not hasattr(importlib.import_module(package), 'no_such_name')
