# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbeds: virtual experiments, proving ground, particle and grain beds, benchmarks.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_testbeds import warm_up as warm_up
    from regolith_testbeds.bench.driving import viper_cost as viper_cost
    from regolith_testbeds.bench.soil_contact import scm_cost as scm_cost
    from regolith_testbeds.settings import SeveralNumbers as SeveralNumbers
    from regolith_testbeds.settings import SweptNumbers as SweptNumbers
    from regolith_testbeds.settings import Tick as Tick
    from regolith_testbeds.settings import WheelBenchSettings as WheelBenchSettings
    from regolith_testbeds.settings import known_name as known_name
    from regolith_testbeds.settings import number_within as number_within
    from regolith_testbeds.soil_bin import SoilBin as SoilBin

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'bench.driving': ('viper_cost',),
        'bench.soil_contact': ('scm_cost',),
        'settings': (
            'SeveralNumbers',
            'SweptNumbers',
            'Tick',
            'WheelBenchSettings',
            'known_name',
            'number_within',
        ),
        'soil_bin': ('SoilBin',),
    },
    modules=('warm_up',),
)
