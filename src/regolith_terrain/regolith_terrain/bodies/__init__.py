# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on the ground: spheres, boxes, capsules, cylinders and convex hulls that fall, rest, roll and slide.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.bodies import shapes as shapes
    from regolith_terrain.bodies.body_set import RigidBodies as RigidBodies
    from regolith_terrain.bodies.config import BodiesConfig as BodiesConfig
    from regolith_terrain.bodies.contact_points import BodySetting as BodySetting
    from regolith_terrain.bodies.description import BodyDescription as BodyDescription
    from regolith_terrain.bodies.description import restored_description as restored_description
    from regolith_terrain.bodies.ground import BodyGround as BodyGround
    from regolith_terrain.bodies.lift import lift_bodies as lift_bodies
    from regolith_terrain.bodies.lift import lift_height as lift_height
    from regolith_terrain.bodies.mass_properties import MassProperties as MassProperties
    from regolith_terrain.bodies.mass_properties import polyhedron_properties as polyhedron_properties
    from regolith_terrain.bodies.mass_properties import reduced_hull as reduced_hull
    from regolith_terrain.bodies.member_state import split_memory as split_memory
    from regolith_terrain.bodies.reach import largest_ways as largest_ways
    from regolith_terrain.bodies.reach import neighbors as neighbors
    from regolith_terrain.bodies.reach import soil_margins as soil_margins
    from regolith_terrain.bodies.reach import solids_near as solids_near
    from regolith_terrain.bodies.shapes import BodyShape as BodyShape
    from regolith_terrain.bodies.sleep import rest as rest
    from regolith_terrain.bodies.sleep import wake_disturbed as wake_disturbed
    from regolith_terrain.bodies.steps import BodySteps as BodySteps
    from regolith_terrain.bodies.steps import as_solids as as_solids
    from regolith_terrain.bodies.steps import check_bodies as check_bodies
    from regolith_terrain.bodies.steps import make_beds as make_beds
    from regolith_terrain.bodies.steps import prepare_cycle as prepare_cycle
    from regolith_terrain.bodies.steps import step_arrays as step_arrays
    from regolith_terrain.bodies.substep import BodyStep as BodyStep
    from regolith_terrain.bodies.substep import no_bodies as no_bodies
    from regolith_terrain.bodies.substep import place_bodies as place_bodies
    from regolith_terrain.bodies.substep import step_function as step_function
    from regolith_terrain.bodies.substep import with_bodies as with_bodies

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'body_set': ('RigidBodies',),
        'config': ('BodiesConfig',),
        'contact_points': ('BodySetting',),
        'description': (
            'BodyDescription',
            'restored_description',
        ),
        'ground': ('BodyGround',),
        'lift': (
            'lift_bodies',
            'lift_height',
        ),
        'mass_properties': (
            'MassProperties',
            'polyhedron_properties',
            'reduced_hull',
        ),
        'member_state': ('split_memory',),
        'reach': (
            'largest_ways',
            'neighbors',
            'soil_margins',
            'solids_near',
        ),
        'shapes': ('BodyShape',),
        'sleep': (
            'rest',
            'wake_disturbed',
        ),
        'steps': (
            'BodySteps',
            'as_solids',
            'check_bodies',
            'make_beds',
            'prepare_cycle',
            'step_arrays',
        ),
        'substep': (
            'BodyStep',
            'no_bodies',
            'place_bodies',
            'step_function',
            'with_bodies',
        ),
    },
    modules=('shapes',),
)
