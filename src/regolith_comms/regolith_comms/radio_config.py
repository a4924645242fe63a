# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a radio's YAML file holds, and those that ship."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from regolith_files.bounded_yaml import load_yaml
from regolith_files.refusal import in_words
from regolith_files.section import Section

MAX_PAYLOAD = 1500
"""Longest datagram [byte]."""


class Radio(Section):
    """What all radios of a world have in common; the defaults are those of the SubT competition."""

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
    noise_floor_dbm: float = Field(-90.0, description='[dBm]')
    modulation: Literal['QPSK'] = Field('QPSK', description='bit errors erfc(sqrt(SNR))')


def radio_names() -> tuple[str, ...]:
    """Return the radios that ship, in name order."""
    folder = resources.files('regolith_comms') / 'data' / 'radios'
    return tuple(sorted(entry.name.removesuffix('.yaml') for entry in folder.iterdir() if entry.name.endswith('.yaml')))


def load_radio(name: str | Path) -> Radio:
    """Return a radio by the name of one that ships, or from a YAML file.

    :raises ValueError: naming file, key, value and what is allowed
    """
    path = Path(str(resources.files('regolith_comms') / 'data' / 'radios' / f'{name}.yaml'))
    if name not in radio_names():
        path = Path(name)
        if not os.path.isfile(path):
            allowed = f'a YAML file, or one of {", ".join(radio_names())}'
            raise ValueError(f'radio {str(name)!r}: no such file; allowed: {allowed}')
    try:
        data = load_yaml(path.read_text(encoding='utf-8'))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f'{path}: not YAML: {error}') from None
    if not isinstance(data, dict):
        raise ValueError(f'{path}: {data!r}; allowed: a mapping with keys of {", ".join(Radio.model_fields)}')
    try:
        return Radio.model_validate(data)
    except ValidationError as error:
        raise ValueError('\n'.join(_line(path, detail) for detail in error.errors(include_url=False))) from None


def _line(path: Path, detail: Any) -> str:
    problem, allowed = in_words(detail)
    if detail['type'] == 'extra_forbidden':
        allowed = ', '.join(Radio.model_fields)
    key = '.'.join(map(str, detail['loc']))
    subject = key if detail['type'] == 'missing' else f'{key} = {detail["input"]!r}'
    about = Radio.model_fields[key].description if key in Radio.model_fields else None
    return f'{path}: {subject}: {problem}; allowed: {allowed or about or "another value"}'
