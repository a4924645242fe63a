# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM terrain model: soil as a continuum of particles (smoothed particle hydrodynamics).

An elasto-plastic soil that flows, heaps up and closes behind moving bodies (Hu et al. 2021). A bed holds its particles,
and markers for walls and bodies. A step is one of the midpoint rule. Differences from the reference:

1. Gradients are scaled to be exact on a lattice. Without that, soil at rest supports 2 % more than its weight.
2. Markers extrapolate shear as well as pressure, so soil on a slope rests on its floor.
3. Rate-dependent friction is solved implicitly and does not lag behind the rate.

A bed may hold a weakly compressible fluid instead of soil.

Limits: density is constant, so soil neither dilates nor compacts under the frictional law. A gap that opens leaves no
trace where the soil closes again.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.crm import arrays as arrays
    from regolith_terrain.crm import boundary_markers as boundary_markers
    from regolith_terrain.crm.cost import machine_memory_gb as machine_memory_gb
    from regolith_terrain.crm.cost import refuse_too_many as refuse_too_many
    from regolith_terrain.crm.device_selection import Device as Device
    from regolith_terrain.crm.device_selection import GivenDevice as GivenDevice
    from regolith_terrain.crm.device_selection import bed_class as bed_class
    from regolith_terrain.crm.device_selection import missing_gpu_requirement as missing_gpu_requirement
    from regolith_terrain.crm.device_selection import resolved_device as resolved_device
    from regolith_terrain.crm.fluid import Fluid as Fluid
    from regolith_terrain.crm.law import CRM as CRM
    from regolith_terrain.crm.neighbor_search import find_cells as find_cells
    from regolith_terrain.crm.neighbor_search import sorted_rows as sorted_rows
    from regolith_terrain.crm.particle_bed import ParticleBed as ParticleBed
    from regolith_terrain.crm.region import ParticleRegion as ParticleRegion
    from regolith_terrain.crm.region_settings import ParticleRegionSettings as ParticleRegionSettings
    from regolith_terrain.crm.soil import SMOOTHING_PRESSED as SMOOTHING_PRESSED
    from regolith_terrain.crm.soil import VISCOSITY_SLOW as VISCOSITY_SLOW
    from regolith_terrain.crm.soil import Discretization as Discretization
    from regolith_terrain.crm.soil import GivenSoil as GivenSoil
    from regolith_terrain.crm.soil import ParticleSoil as ParticleSoil
    from regolith_terrain.crm.soil import load_particle_soil as load_particle_soil

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'cost': (
            'machine_memory_gb',
            'refuse_too_many',
        ),
        'device_selection': (
            'Device',
            'GivenDevice',
            'bed_class',
            'missing_gpu_requirement',
            'resolved_device',
        ),
        'fluid': ('Fluid',),
        'law': ('CRM',),
        'neighbor_search': (
            'find_cells',
            'sorted_rows',
        ),
        'particle_bed': ('ParticleBed',),
        'region': ('ParticleRegion',),
        'region_settings': ('ParticleRegionSettings',),
        'soil': (
            'Discretization',
            'GivenSoil',
            'ParticleSoil',
            'SMOOTHING_PRESSED',
            'VISCOSITY_SLOW',
            'load_particle_soil',
        ),
    },
    modules=('arrays', 'boundary_markers'),
)
