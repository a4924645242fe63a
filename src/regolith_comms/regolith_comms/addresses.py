# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names, reserved addresses and ports of radios."""

from __future__ import annotations

from regolith_files import as_yaml_text
from regolith_world import LONGEST_NAME, is_valid_ros_name

BROADCAST = 'broadcast'
MULTICAST = 'multicast'
DEFAULT_PORT = 4100
BEACON_PORT = 4000
MAX_PORT = 65535


def check_name(radio: str) -> None:
    """Refuse reserved and invalid names of radios.

    Raises:
        ValueError: If the name is not valid; names the allowed names.
    """
    if radio in (BROADCAST, MULTICAST) or not is_valid_ros_name(radio):
        allowed = (
            f'letters, digits and single underscores, a letter first, at most {LONGEST_NAME}; neither {BROADCAST} nor '
            f'{MULTICAST}'
        )
        raise ValueError(f'radio {as_yaml_text(radio)}; allowed: {allowed}')
