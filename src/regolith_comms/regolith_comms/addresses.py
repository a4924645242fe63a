# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names, reserved addresses and ports of radios."""

from __future__ import annotations

import re

BROADCAST = 'broadcast'
MULTICAST = 'multicast'
DEFAULT_PORT = 4100
BEACON_PORT = 4000
MAX_PORT = 65535


def check_name(radio: str) -> None:
    """Refuse reserved and impossible names.

    :raises ValueError: naming what is allowed
    """
    if radio in (BROADCAST, MULTICAST) or not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', radio):
        allowed = f'letters, digits and single underscores, a letter first; neither {BROADCAST} nor {MULTICAST}'
        raise ValueError(f'radio {radio!r}; allowed: {allowed}')
