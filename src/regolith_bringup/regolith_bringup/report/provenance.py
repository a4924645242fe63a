# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``provenance.json``: software versions and machine of a run."""

from __future__ import annotations

import json
import platform
from pathlib import Path

from regolith_files import write_atomically
from regolith_world import installed_versions

NAME = 'provenance.json'


def write_provenance(run_dir: Path) -> None:
    """Write versions and machine into a run folder."""
    about = {
        'software': dict(line.partition(' ')[::2] for line in installed_versions()),
        'python': platform.python_version(),
        'system': platform.system(),
        'processor': processor(),
    }
    write_atomically(run_dir / NAME, json.dumps(about, indent=1) + '\n')


def read_provenance(run_dir: Path) -> dict[str, str]:
    """Return versions and machine of a run by name, empty if the run does not contain them."""
    path = run_dir / NAME
    if not path.is_file():
        return {}
    about = json.loads(path.read_text(encoding='utf-8'))
    return {**about.pop('software'), **about}


def processor() -> str:
    """Return the processor name given by the system."""
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        lines = []
    named = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    return f'{platform.machine()}, {named[0]}' if named else platform.machine()
