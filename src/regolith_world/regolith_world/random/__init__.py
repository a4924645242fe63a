# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Counter-based random numbers keyed by seed, object, quantity and cycle.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.random.keyed_generator import generator as generator
    from regolith_world.random.philox import GOLDEN_GAMMA as GOLDEN_GAMMA
    from regolith_world.random.philox import mix_bits as mix_bits
    from regolith_world.random.philox import normal_and_uniform as normal_and_uniform
    from regolith_world.random.philox import philox_block as philox_block
    from regolith_world.random.philox import stream_key as stream_key

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'keyed_generator': ('generator',),
        'philox': (
            'GOLDEN_GAMMA',
            'mix_bits',
            'normal_and_uniform',
            'philox_block',
            'stream_key',
        ),
    },
)
