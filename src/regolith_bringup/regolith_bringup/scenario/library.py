# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios by name: shipped scenarios and those of entry point group ``regolith.scenarios``."""

from __future__ import annotations

from pathlib import Path

from regolith_bringup.bag.message_definitions import share_folders
from regolith_files import entry_point_path, load_plugins

GROUP = 'regolith.scenarios'
"""Entry points of other packages: name -> path of a YAML file, or a callable that returns one."""


def scenario_folders() -> list[Path]:
    """Return the folders of shipped scenarios, highest precedence first.

    The source tree comes first, then installed folders: inside this package (pip install without ROS), else the ament
    share folder.
    """
    above = Path(__file__).resolve().parents
    candidates = [above[2] / 'config' / 'scenarios', above[1] / 'config' / 'scenarios']
    candidates += [share / 'config' / 'scenarios' for share in share_folders('regolith_bringup')]
    return [folder for folder in candidates if folder.is_dir()]


def find_scenarios() -> dict[str, Path]:
    """Return all scenarios by name, sorted by name. Plug-ins cannot replace shipped scenarios."""
    found: dict[str, Path] = load_plugins(GROUP, entry_point_path)
    for folder in reversed(scenario_folders()):
        found.update({path.stem: path for path in folder.glob('*.yaml')})
    return dict(sorted(found.items()))
