# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Citations of the vehicle models of a run."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from regolith_files import Citations
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.config import PathDriverConfig
from regolith_vehicles.tires import load_tire

_BODIES = ('featherstone2008', 'goldstein2002', 'hairer2006', 'todorov2012')
_WHEELS = ('janosi1961', 'martinelli2003', 'siegwart2011', 'thrun2005', 'wong2008')
_TIRES = {
    'tmeasy': ('rill2020',),
    'fiala': ('fiala1954', 'blundell2014'),
    'pacejka_89': ('bakker1989',),
    'pacejka_02': ('pacejka2012', 'adams2005'),
    'ring': ('pacejka2012', 'gipser2005'),
}
_STANDSTILL = ('dahl1968', 'dupont2002', 'pacejka2012')
_CARS = ('blundell2014', 'dupont2002', 'rajamani2012')
_PATH = ('coulter1992',)
_TOOLS = ('mckyes1985', 'reece1964', 'terzaghi1943')


def _of_vehicle(config: VehicleModelConfig) -> Iterator[str]:
    """Yield the citation keys of a vehicle's tires, engine, gearbox and energy."""
    gear = config.running_gear
    if config.panels:
        yield from ('quaschning1996', 'ashrae1977', 'haines1991')
    if config.thermal is not None:
        yield 'gilmore2002'
    worn = [wheel.tire for wheel in config.wheels]
    if gear is not None and gear.name == 'car':
        yield from _CARS
        worn += [wheel.get('tire') for wheel in gear.parameters['wheels']]
    for name in filter(None, worn):
        yield from (*_STANDSTILL, *_TIRES[load_tire(name, base_dir=Path(config.file).parent).config.type])


def citations(scenario: Any) -> Citations:
    """Return the citations for dynamics, steering, odometry and drivers of a scenario's vehicles."""
    keys = set((*_BODIES, *_WHEELS) if scenario.vehicles else ())
    follows = any(isinstance(entry.driver, PathDriverConfig) for entry in scenario.vehicles.values())
    keys.update(_PATH if follows else ())
    for entry in scenario.vehicles.values():
        keys.update(_of_vehicle(load_vehicle_model(entry.model)[0]))
    return Citations(Path(__file__).parent / 'references.bib', sorted(keys))


def excavation_citations(scenario: Any) -> Citations:
    """Return the citations for the excavation models of vehicles with tools; empty without tools."""
    digs = any(load_vehicle_model(entry.model)[0].tools for entry in scenario.vehicles.values())
    bibliography = Path(str(resources.files('regolith_terrain'))) / 'references.bib'
    return Citations(bibliography, _TOOLS if digs else ())
