# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ./regolith in a clone that is not set up."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from harness import ROOT

NEEDED = ('regolith', 'docs/reference/command_line.md', 'src/regolith_bringup/package.xml')


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone without a set-up, whose ``make`` leaves a trace and fails."""
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    make = tmp_path / 'bin' / 'make'
    make.parent.mkdir()
    make.write_text('#!/bin/sh\ntouch "$(dirname "$0")/started"\nexit 7\n')
    make.chmod(0o755)
    return tmp_path


def call(clone: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {'PATH': f'{clone / "bin"}:/usr/local/bin:/usr/bin:/bin', **variables}
    return subprocess.run(
        [str(clone / 'regolith'), *words], env=environment, capture_output=True, text=True, check=False, timeout=30
    )


def test_help_lists_all_commands_without_a_set_up(clone: Path) -> None:
    done = call(clone, '--help')
    page = (ROOT / 'docs' / 'reference' / 'command_line.md').read_text(encoding='utf-8')
    assert done.returncode == 0 and not (clone / 'bin' / 'started').exists()
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + page.count('\n## `') > 40
    assert any(line.startswith('  run ') and 'Run a scenario' in line for line in lines)


def test_version_is_printed_without_a_set_up(clone: Path) -> None:
    done = call(clone, '--version')
    assert (done.returncode, done.stdout) == (0, 'regolith 0.1.0\n') and not (clone / 'bin' / 'started').exists()


def test_completion_works_without_a_set_up(clone: Path) -> None:
    done = call(clone, _REGOLITH_COMPLETE='complete_bash', COMP_WORDS='regolith rep', COMP_CWORD='1')
    assert (done.returncode, done.stdout.split()) == (0, ['replay', 'report'])
    assert '_regolith_completion' in call(clone, '--show-completion').stdout
    assert not (clone / 'bin' / 'started').exists()


def test_other_commands_say_what_they_install_before_they_do(clone: Path) -> None:
    done = call(clone, 'run', 'two_rovers')
    assert done.returncode == 1 and (clone / 'bin' / 'started').exists() and done.stdout == ''
    assert 'Now installing Python packages into .venv' in done.stderr and 'make setup' in done.stderr
