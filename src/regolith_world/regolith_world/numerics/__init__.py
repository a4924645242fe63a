# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numerics: portable math functions, rotations, parallel ranges, options and cache of compiled kernels.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.numerics import kernel_cache as kernel_cache
    from regolith_world.numerics import parallel_ranges as parallel_ranges
    from regolith_world.numerics import portable_math as portable_math
    from regolith_world.numerics import rotation as rotation
    from regolith_world.numerics.kernel_cache import announce_compilation as announce_compilation
    from regolith_world.numerics.kernel_options import kernel as kernel
    from regolith_world.numerics.machine_score import measure_machine_score as measure_machine_score

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'kernel_cache': ('announce_compilation',),
        'kernel_options': ('kernel',),
        'machine_score': ('measure_machine_score',),
    },
    modules=('kernel_cache', 'parallel_ranges', 'portable_math', 'rotation'),
)
