# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Deformable terrain: elevation models, terrain models SCM, CRM and rigid, excavation.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files.lazy_names import lazy_names

if TYPE_CHECKING:
    from regolith_terrain.config import TerrainConfig as TerrainConfig
    from regolith_terrain.config import load_soil as load_soil
    from regolith_terrain.contact.ground_contact import LEFT_WINDOW as LEFT_WINDOW
    from regolith_terrain.contact.ground_contact import OK as OK
    from regolith_terrain.contact.ground_contact import ContactSetting as ContactSetting
    from regolith_terrain.contact.ground_contact import GroundContact as GroundContact
    from regolith_terrain.contact.ground_contact import PartPose as PartPose
    from regolith_terrain.contact.ground_contact import StepLimit as StepLimit
    from regolith_terrain.contact.ground_contact import spring_limit as spring_limit
    from regolith_terrain.crm.particle_bed import ParticleBed as ParticleBed
    from regolith_terrain.crm.soil import Discretization as Discretization
    from regolith_terrain.crm.soil import ParticleSoil as ParticleSoil
    from regolith_terrain.elevation.import_model import ImportRequest as ImportRequest
    from regolith_terrain.elevation.import_model import import_elevation_model as import_elevation_model
    from regolith_terrain.elevation.open_model import open_elevation_model as open_elevation_model
    from regolith_terrain.grid.soil_grid import SoilGrid as SoilGrid
    from regolith_terrain.grid.soil_grid import SoilWindow as SoilWindow
    from regolith_terrain.grid.soil_map import SoilMap as SoilMap
    from regolith_terrain.height_field import FlatField as FlatField
    from regolith_terrain.height_field import HeightField as HeightField
    from regolith_terrain.height_field_builder import build_height_field as build_height_field
    from regolith_terrain.scm import cylinder as cylinder
    from regolith_terrain.scm import make_wrench as make_wrench
    from regolith_terrain.terrain_model import NodeField as NodeField
    from regolith_terrain.terrain_model import TerrainModel as TerrainModel
    from regolith_terrain.terrain_model import terrain_models as terrain_models
    from regolith_terrain.terrain_parameters import RigidTerrainConfig as RigidTerrainConfig
    from regolith_terrain.terrain_parameters import ScmSoilConfig as ScmSoilConfig
    from regolith_terrain.terrain_parameters import SoilParameters as SoilParameters
    from regolith_terrain.testbeds.soil_bin import SoilBin as SoilBin

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        'config': (
            'TerrainConfig',
            'load_soil',
        ),
        'contact.ground_contact': (
            'ContactSetting',
            'GroundContact',
            'LEFT_WINDOW',
            'OK',
            'PartPose',
            'StepLimit',
            'spring_limit',
        ),
        'crm.particle_bed': ('ParticleBed',),
        'crm.soil': (
            'Discretization',
            'ParticleSoil',
        ),
        'elevation.import_model': (
            'ImportRequest',
            'import_elevation_model',
        ),
        'elevation.open_model': ('open_elevation_model',),
        'grid.soil_grid': (
            'SoilGrid',
            'SoilWindow',
        ),
        'grid.soil_map': ('SoilMap',),
        'height_field': (
            'FlatField',
            'HeightField',
        ),
        'height_field_builder': ('build_height_field',),
        'scm': (
            'cylinder',
            'make_wrench',
        ),
        'terrain_model': (
            'NodeField',
            'TerrainModel',
            'terrain_models',
        ),
        'terrain_parameters': (
            'RigidTerrainConfig',
            'ScmSoilConfig',
            'SoilParameters',
        ),
        'testbeds.soil_bin': ('SoilBin',),
    },
)
