# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/compare_builds.py: what it records of a run, and that it finds a change."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_a_build_equals_itself_in_states_and_soil() -> None:
    command = [sys.executable, ROOT / 'tools' / 'compare_builds.py', ROOT, ROOT, '--duration', '0.5']
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found['equal'] and found['states'] > 10
    assert found['node_records'] > 100, 'two rovers on soil compact it'


def test_a_changed_field_of_a_node_is_found(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location('compare_builds', ROOT / 'tools' / 'compare_builds.py')
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)

    def written(name: str, sinkage_m: float, soil_hash: str) -> Path:
        nodes: dict[str, Any] = {'i': np.array([3]), 'j': np.array([4]), 'sinkage': np.array([sinkage_m])}
        with (tmp_path / name).open('wb') as out:
            pickle.dump(('body', 10, 'amber', {'position': b'12345678'}), out)
            pickle.dump(('soil', 20, '', nodes), out)
            pickle.dump(('end', 20, 'ab', {'soil': soil_hash}), out)
        return tmp_path / name

    same = tool.compare(written('a', 0.01, 'c'), written('b', 0.01, 'c'))
    assert same['equal'] and (same['states'], same['node_records']) == (1, 1)
    other = tool.compare(written('a', 0.01, 'c'), written('b', 0.01 + 2**-56, 'd'))
    assert other['differ'] == ['soil at 20 ns: sinkage'] and other['soil_hash'] == ['c', 'd']
