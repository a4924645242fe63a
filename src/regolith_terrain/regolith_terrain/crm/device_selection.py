# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of the device that computes CRM: the CPU, or a GPU if available."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regolith_terrain.crm.particle_bed import ParticleBed

Device = Literal['auto', 'cpu', 'cuda']


def missing_gpu_requirement() -> str | None:
    """Return the missing requirement for a GPU, or None if one can be used.

    Warp is checked last: its import takes 0.25 s.
    """
    if find_spec('warp') is None:
        return 'Warp (pip install warp-lang)'
    try:
        ctypes.CDLL('libcuda.so.1')
    except OSError:
        return 'the CUDA driver'
    from regolith_terrain.crm.device import card

    return None if card() else 'a GPU that CUDA can use'


def bed_class(device: Device) -> type[ParticleBed]:
    """Return the class of bed for a device: 'auto' is a GPU if one can be used, else the CPU.

    Raises:
        ValueError: If the device is not available. The message names the missing requirement.
    """
    if device == 'cpu':
        return ParticleBed
    missing = missing_gpu_requirement()
    if missing is None:
        from regolith_terrain.crm.device.bed import DeviceBed

        return DeviceBed
    if device == 'cuda':
        raise ValueError(f"device 'cuda' requires {missing}; allowed: 'cpu', 'auto'")
    return ParticleBed


def resolved_device(device: Device) -> Literal['cpu', 'cuda']:
    """Return the actual device of a setting; errors are those of :func:`bed_class`."""
    return 'cpu' if bed_class(device) is ParticleBed else 'cuda'


def _there(device: Device) -> Device:
    bed_class(device)
    return device


GivenDevice = Annotated[
    Device,
    AfterValidator(_there),
    Field(description='CRM only: device of the computation; auto: a GPU if Warp finds one, else the CPU.'),
]
"""An available device, as a setting."""
