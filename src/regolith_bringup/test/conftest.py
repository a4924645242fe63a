# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of this package share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import synthetic_run

from regolith_bringup.bag import message_definitions


@pytest.fixture(scope='session', autouse=True)
def interfaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the definitions in the source tree be found, so that no test here needs them built."""
    prefix = synthetic_run.offer_interfaces(tmp_path_factory.mktemp('prefix') / 'ament')
    before = os.environ.get('AMENT_PREFIX_PATH')
    # Last, so that interfaces which were built (and have hashes) come first.
    os.environ['AMENT_PREFIX_PATH'] = os.pathsep.join(filter(None, [before, prefix]))
    message_definitions.schema_text.cache_clear()
    message_definitions.type_hash.cache_clear()
    yield
    if before is None:
        del os.environ['AMENT_PREFIX_PATH']
    else:
        os.environ['AMENT_PREFIX_PATH'] = before


@pytest.fixture(scope='session')
def run_dir(tmp_path_factory: pytest.TempPathFactory, interfaces: None) -> Path:
    """Return a made-up run of 60 cycles; tests must not change it."""
    return synthetic_run.make_run(tmp_path_factory.mktemp('run') / 'two_rovers_001')


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Any:
    """Return what runs a command and returns its exit code, stdout and stderr."""

    from regolith_bringup.cli import main

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        out = capfd.readouterr()
        return int(left.value.code or 0), out.out, out.err

    return run
