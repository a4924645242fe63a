# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""State hash of a committed cycle. It is equal for two runs exactly if every committed bit is equal.

SHA-256 over t_ns, the hashes of objects and of participants without bodies in name order, the soil hash and the memory
of the step control. Wall time, sensors and counts of attempts are not included.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from functools import lru_cache


def cycle_hash(t_ns: int, object_hashes: Mapping[str, str], soil_hash: str, step_memory: bytes) -> str:
    """Return the state hash (hex) of one committed cycle.

    Args:
        t_ns: Committed time [ns].
        object_hashes: SHA-256 (hex) of the canonical state of each object and of other participants, by name.
        soil_hash: Hash of the committed soil; '' without terrain.
        step_memory: Memory of the step control.
    """
    digest = hashlib.sha256(struct.pack('<q', t_ns))
    named = sorted(object_hashes.items())
    digest.update(b''.join([_entry(*each) for each in named]))
    digest.update(soil_hash.encode() + b'\x00' + step_memory)
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def _entry(name: str, value: str) -> bytes:
    """Return the bytes of the hash of one object; most objects are at rest."""
    return b'%b\x00%b' % (name.encode(), bytes.fromhex(value))
