# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Who makes the steps of a bed of particles: the processor, or a graphics card where there is one."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regolith_terrain.crm.particle_bed import ParticleBed

Device = Literal['auto', 'cpu', 'cuda']


def missing_requirement() -> str | None:
    """Return what it takes to use a graphics card and is not there, None where all is.

    Warp is asked last: importing it takes a quarter of a second.
    """
    if find_spec('warp') is None:
        return 'Warp (pip install warp-lang)'
    try:
        ctypes.CDLL('libcuda.so.1')
    except OSError:
        return "CUDA's driver"
    from regolith_terrain.crm.device import card

    return None if card() else 'a card that CUDA can use'


def bed_class(device: Device) -> type[ParticleBed]:
    """Return the kind of bed for a device: 'auto' is a graphics card where one can be used, else the processor.

    Raises:
        ValueError: If the device is not available. The message names the missing requirement.
    """
    if device == 'cpu':
        return ParticleBed
    missing = missing_requirement()
    if missing is None:
        from regolith_terrain.crm.device.bed import DeviceBed

        return DeviceBed
    if device == 'cuda':
        raise ValueError(f"device 'cuda' without {missing}; allowed: 'cpu', 'auto'")
    return ParticleBed


def resolved_device(device: Device) -> Literal['cpu', 'cuda']:
    """Return what a device comes to here; errors are those of :func:`bed_class`."""
    return 'cpu' if bed_class(device) is ParticleBed else 'cuda'


def _there(device: Device) -> Device:
    bed_class(device)
    return device


GivenDevice = Annotated[
    Device,
    AfterValidator(_there),
    Field(description='CRM only: what makes the steps; auto: a graphics card if Warp finds one, else the cpu.'),
]
"""A device that is there, as a setting."""
