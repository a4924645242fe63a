# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Import of robots from URDF, xacro and SDF files.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.robot_import.converter import ImportedVehicle as ImportedVehicle
    from regolith_vehicles.robot_import.converter import convert as convert
    from regolith_vehicles.robot_import.converter import write_folder as write_folder
    from regolith_vehicles.robot_import.options import ImportOptions as ImportOptions
    from regolith_vehicles.robot_import.xml_elements import Element as Element

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'converter': (
            'ImportedVehicle',
            'convert',
            'write_folder',
        ),
        'options': ('ImportOptions',),
        'xml_elements': ('Element',),
    },
)
