# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The state hash, equal for two runs exactly if every committed bit is equal.

SHA-256 over (t_ns, the hashes of objects and of participants without bodies in name order, the soil's hash, the step
control's memory). Wall time, sensors and counts of attempts stay outside.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping


def cycle_hash(t_ns: int, object_hashes: Mapping[str, str], soil_hash: str, step_memory: bytes) -> str:
    """Return the state hash (hex) of one committed cycle.

    Args:
        t_ns: committed time
        object_hashes: SHA-256 (hex) of the canonical state of each object and other participant, by name
        soil_hash: of the committed ground, '' without one
        step_memory: of the step control
    """
    digest = hashlib.sha256(struct.pack('<q', t_ns))
    for name in sorted(object_hashes):
        digest.update(name.encode() + b'\x00' + bytes.fromhex(object_hashes[name]))
    digest.update(soil_hash.encode() + b'\x00' + step_memory)
    return digest.hexdigest()
