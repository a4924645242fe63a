# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a radio's YAML file, and the library of radios."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field

from regolith_files import FileKind, FileLibrary, Section

MAX_PAYLOAD = 1500
"""Maximum payload of a datagram [B]."""


class Radio(Section):
    """Parameters of all radios of a world; the defaults are those of the SubT competition."""

    model: Literal['visibility_range', 'log_normal_range', 'distance'] = Field(
        'visibility_range',
        description="Propagation model. 'log_normal_range': without tile graph and breadcrumbs. 'distance':"
        ' without loss, for tests.',
    )
    tx_power_dbm: float = Field(20.0, description='Transmitted power [dBm].')
    path_loss_1m_db: float = Field(40.0, description='Path loss over the first meter (L0) [dB].')
    fading_exponent: float = Field(1.5, gt=0.0, description='Path loss exponent without obstruction [-].')
    visibility_cost_to_fading_exponent: float = Field(
        0.2, ge=0.0, description='Increase of the path loss exponent per visibility cost [-].'
    )
    fading_variance_db2: float = Field(
        10.0, ge=0.0, description='Variance of the received power by fading [dB^2]; called sigma in SubT.'
    )
    scaling_factor: float = Field(0.55, gt=0.0, description='Factor on the range [-].')
    range_per_hop_m: float = Field(2.0, ge=0.0, description='Range added per breadcrumb on the route [m].')
    max_range_m: float = Field(500.0, description='Maximum range of a link [m]. Zero or less: unlimited.')
    visibility_cost_max: float = Field(10.0, ge=0.0, description='Maximum visibility cost of a link [-].')
    capacity_bps: float = Field(1e6, gt=0.0, description='Capacity of each radio and direction [bit/s].')
    noise_floor_dbm: float = Field(-90.0, description='Noise power at the receiver [dBm].')
    modulation: Literal['QPSK'] = Field('QPSK', description='Modulation, with the bit error rate erfc(sqrt(SNR)).')


RADIOS = FileLibrary('radio', Path(str(resources.files('regolith_comms'))) / 'data' / 'radios', 'regolith.radios')
"""Library of radios."""


def radio_names() -> tuple[str, ...]:
    """Return the sorted names of the known radios."""
    return RADIOS.names()


def load_radio(name: str | Path) -> Radio:
    """Return a radio by name, or from a YAML file.

    Raises:
        InputError: If the file is invalid; names file, line, key, value and allowed values.
    """
    return RADIOS.load(name, Radio)


FILE_KIND = FileKind(
    'Radio', 'A radio file has the parameters of a radio and of its propagation model.', lambda: {'': Radio}
)
"""Radio files."""
