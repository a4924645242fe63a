# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Deformable terrain: elevation models, terrain models SCM, CRM and rigid, excavation.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.config import TerrainConfig as TerrainConfig
    from regolith_terrain.config import load_soil as load_soil
    from regolith_terrain.config import soil_names as soil_names
    from regolith_terrain.contact.arrays import make_wrench as make_wrench
    from regolith_terrain.contact.constants import CONTACT_OK as CONTACT_OK
    from regolith_terrain.contact.constants import LEFT_WINDOW as LEFT_WINDOW
    from regolith_terrain.contact.ground_contact import ContactSetting as ContactSetting
    from regolith_terrain.contact.ground_contact import GroundContact as GroundContact
    from regolith_terrain.contact.ground_contact import PartPose as PartPose
    from regolith_terrain.contact.ground_contact import StepLimit as StepLimit
    from regolith_terrain.contact.ground_contact import spring_limit as spring_limit
    from regolith_terrain.contact.shapes import cylinder as cylinder
    from regolith_terrain.crm.particle_bed import ParticleBed as ParticleBed
    from regolith_terrain.crm.soil import Discretization as Discretization
    from regolith_terrain.crm.soil import ParticleSoil as ParticleSoil
    from regolith_terrain.elevation.import_model import ImportRequest as ImportRequest
    from regolith_terrain.elevation.import_model import import_elevation_model as import_elevation_model
    from regolith_terrain.elevation.open_model import open_elevation_model as open_elevation_model
    from regolith_terrain.elevation.raster import RasterField as RasterField
    from regolith_terrain.elevation.terrain_files import GridWindow as GridWindow
    from regolith_terrain.elevation.terrain_files import StageProgress as StageProgress
    from regolith_terrain.elevation.terrain_files import new_folder as new_folder
    from regolith_terrain.elevation.terrain_files import write_lunar_ground as write_lunar_ground
    from regolith_terrain.geodesy import MOON_RADIUS_M as MOON_RADIUS_M
    from regolith_terrain.grid.soil_grid import SoilGrid as SoilGrid
    from regolith_terrain.grid.soil_grid import SoilWindow as SoilWindow
    from regolith_terrain.grid.soil_map import SoilMap as SoilMap
    from regolith_terrain.height_field import FlatField as FlatField
    from regolith_terrain.height_field import HeightField as HeightField
    from regolith_terrain.height_field_builder import build_height_field as build_height_field
    from regolith_terrain.height_field_builder import build_rocks as build_rocks
    from regolith_terrain.height_field_builder import open_configured_model as open_configured_model
    from regolith_terrain.height_field_builder import read_elevation_model as read_elevation_model
    from regolith_terrain.hillshade import hillshade_image as hillshade_image
    from regolith_terrain.procedural import ProceduralField as ProceduralField
    from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL as RIGID_TERRAIN_MODEL
    from regolith_terrain.ros.soil_follower import SoilFollower as SoilFollower
    from regolith_terrain.scm.settings import BulldozingConfig as BulldozingConfig
    from regolith_terrain.scm.settings import SlipSinkageConfig as SlipSinkageConfig
    from regolith_terrain.scm.soil import ScmSoilConfig as ScmSoilConfig
    from regolith_terrain.terrain_model import DEFAULT_TERRAIN_MODEL as DEFAULT_TERRAIN_MODEL
    from regolith_terrain.terrain_model import NodeField as NodeField
    from regolith_terrain.terrain_model import TerrainModel as TerrainModel
    from regolith_terrain.terrain_model import find_terrain_model as find_terrain_model
    from regolith_terrain.terrain_model import terrain_models as terrain_models
    from regolith_terrain.terrain_parameters import RigidTerrainConfig as RigidTerrainConfig
    from regolith_terrain.terrain_parameters import SoilParameters as SoilParameters
    from regolith_terrain.terrain_participant import NO_STEP_LIMIT_NS as NO_STEP_LIMIT_NS
    from regolith_terrain.terrain_participant import TerrainParticipant as TerrainParticipant
    from regolith_terrain.terrain_participant import handshake_parameters as handshake_parameters
    from regolith_terrain.terrain_source_config import RectangleConfig as RectangleConfig
    from regolith_terrain.terrain_source_config import RockFreeConfig as RockFreeConfig
    from regolith_terrain.updates.surface_edit import Stamp as Stamp
    from regolith_terrain.updates.surface_edit import heights_edit as heights_edit
    from regolith_terrain.updates.surface_edit import stamp_edit as stamp_edit

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': (
            'TerrainConfig',
            'load_soil',
            'soil_names',
        ),
        'contact.arrays': ('make_wrench',),
        'contact.constants': (
            'CONTACT_OK',
            'LEFT_WINDOW',
        ),
        'contact.ground_contact': (
            'ContactSetting',
            'GroundContact',
            'PartPose',
            'StepLimit',
            'spring_limit',
        ),
        'contact.shapes': ('cylinder',),
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
        'elevation.raster': ('RasterField',),
        'elevation.terrain_files': (
            'GridWindow',
            'StageProgress',
            'new_folder',
            'write_lunar_ground',
        ),
        'geodesy': ('MOON_RADIUS_M',),
        'grid.soil_grid': (
            'SoilGrid',
            'SoilWindow',
        ),
        'grid.soil_map': ('SoilMap',),
        'height_field': (
            'FlatField',
            'HeightField',
        ),
        'height_field_builder': (
            'build_height_field',
            'build_rocks',
            'open_configured_model',
            'read_elevation_model',
        ),
        'hillshade': ('hillshade_image',),
        'procedural': ('ProceduralField',),
        'rigid.law': ('RIGID_TERRAIN_MODEL',),
        'ros.soil_follower': ('SoilFollower',),
        'scm.settings': (
            'BulldozingConfig',
            'SlipSinkageConfig',
        ),
        'scm.soil': ('ScmSoilConfig',),
        'terrain_model': (
            'DEFAULT_TERRAIN_MODEL',
            'NodeField',
            'TerrainModel',
            'find_terrain_model',
            'terrain_models',
        ),
        'terrain_parameters': (
            'RigidTerrainConfig',
            'SoilParameters',
        ),
        'terrain_participant': (
            'NO_STEP_LIMIT_NS',
            'TerrainParticipant',
            'handshake_parameters',
        ),
        'terrain_source_config': (
            'RectangleConfig',
            'RockFreeConfig',
        ),
        'updates.surface_edit': (
            'Stamp',
            'heights_edit',
            'stamp_edit',
        ),
    },
)
