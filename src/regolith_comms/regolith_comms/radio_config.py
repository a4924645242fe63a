# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a radio's YAML file, and the shipped ones."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field

from regolith_files.extension_points import FileKind
from regolith_files.file_library import FileLibrary
from regolith_files.section import Section

MAX_PAYLOAD = 1500
"""Longest datagram [byte]."""


class Radio(Section):
    """Parameters of all radios of a world; the defaults are those of the SubT competition."""

    model: Literal['visibility_range', 'log_normal_range', 'distance'] = Field(
        'visibility_range', description='log_normal_range: no graph, no breadcrumbs; distance: no loss, for tests'
    )
    tx_power_dbm: float = Field(20.0, description='transmitted power [dBm]')
    path_loss_1m_db: float = Field(40.0, description='loss over the first metre (L0) [dB]')
    fading_exponent: float = Field(1.5, gt=0.0, description='path loss exponent without obstruction [-]')
    visibility_cost_to_fading_exponent: float = Field(0.2, ge=0.0, description='added per unit of visibility cost [-]')
    fading_variance_db2: float = Field(10.0, ge=0.0, description='of the received power [dB^2]; SubT calls it sigma')
    scaling_factor: float = Field(0.55, gt=0.0, description='on the range [-]')
    range_per_hop_m: float = Field(2.0, ge=0.0, description='added to the range per breadcrumb on the way [m]')
    max_range_m: float = Field(500.0, description='no link beyond it [m]; <= 0: no such limit')
    visibility_cost_max: float = Field(10.0, ge=0.0, description='no link above it [-]')
    capacity_bps: float = Field(1e6, gt=0.0, description='of each radio and direction [bit/s]')
    noise_floor_dbm: float = Field(-90.0, description='Noise power at the receiver [dBm].')
    modulation: Literal['QPSK'] = Field('QPSK', description='bit errors erfc(sqrt(SNR))')


RADIOS = FileLibrary('radio', Path(str(resources.files('regolith_comms'))) / 'data' / 'radios', 'regolith.radios')
"""The known radios."""


def radio_names() -> tuple[str, ...]:
    """Return the names of the shipped and the installed radios, sorted."""
    return RADIOS.names()


def load_radio(name: str | Path) -> Radio:
    """Return a radio by name, or from a YAML file.

    Raises:
        InputError: Naming file, line, key, value and what is allowed.
    """
    return RADIOS.load(name, Radio)


FILE_KIND = FileKind(
    'Radio', 'A radio file has the parameters of a radio and of its propagation model.', lambda: {'': Radio}
)
"""Radio files."""
