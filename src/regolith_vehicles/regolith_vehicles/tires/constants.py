# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a tire for compiled kernels: one record per tire, one field per symbol."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RIGID, TMEASY, FIALA, PACEJKA_89, PACEJKA_02, RING = range(6)
"""Models of a tire's horizontal force. Rigid tires use the contact of the terrain. Rings have no curves of slip."""
DEEPEST = 0.5
"""Penetration divided by radius above which the tire model is not valid [-]."""
KNOTS = 16
"""Maximum number of points of a load curve."""

TMEASY_RECORD = np.dtype(
    [
        ('nominal_load', 'f8'),
        ('saturation_load', 'f8'),
        *((name, 'f8', 2) for name in ('dfx0', 'sxm', 'fxm', 'sxs', 'fxs', 'dfy0', 'sym', 'fym', 'sys', 'fys')),
        *((name, 'f8', 2) for name in ('n2L0', 'syN0', 'syE')),
        ('camber_stiffness', 'f8'),
    ]
)
"""Parameters of TMeasy; pairs are the values at the nominal load and at twice the nominal load."""
FIALA_RECORD = np.dtype([(name, 'f8') for name in ('cslip', 'calpha', 'umin', 'umax')])
PACEJKA_89_RECORD = np.dtype(
    [('a', 'f8', 14), ('b', 'f8', 11), ('c', 'f8', 18), ('lateral_stiffness', 'f8'), ('camber_limit', 'f8')]
)
PACEJKA_02_NAMES = (
    'FNOMIN',
    'LFZO',
    'LONGVL',
    'PCX1',
    'PDX1',
    'PDX2',
    'PDX3',
    'PEX1',
    'PEX2',
    'PEX3',
    'PEX4',
    'PKX1',
    'PKX2',
    'PKX3',
    'PHX1',
    'PHX2',
    'PVX1',
    'PVX2',
    'PCY1',
    'PDY1',
    'PDY2',
    'PDY3',
    'PEY1',
    'PEY2',
    'PEY3',
    'PEY4',
    'PKY1',
    'PKY2',
    'PKY3',
    'PHY1',
    'PHY2',
    'PHY3',
    'PVY1',
    'PVY2',
    'PVY3',
    'PVY4',
    'PTX1',
    'PTX2',
    'PTX3',
    'PTY1',
    'PTY2',
    'QSY1',
    'QSY2',
    'QSY3',
    'QSY4',
    'QBZ1',
    'QBZ2',
    'QBZ3',
    'QBZ4',
    'QBZ5',
    'QBZ9',
    'QBZ10',
    'QCZ1',
    'QDZ1',
    'QDZ2',
    'QDZ3',
    'QDZ4',
    'QDZ6',
    'QDZ7',
    'QDZ8',
    'QDZ9',
    'QEZ1',
    'QEZ2',
    'QEZ3',
    'QEZ4',
    'QEZ5',
    'QHZ1',
    'QHZ2',
    'QHZ3',
    'QHZ4',
)
"""Coefficients of the Magic Formula 5.2 that affect a tire's force, by their names in its property file."""
MIRRORED = (
    'PEY3',
    'PHY1',
    'PHY2',
    'PVY1',
    'PVY2',
    'QBZ4',
    'QDZ3',
    'QDZ6',
    'QDZ7',
    'QEZ4',
    'QHZ1',
    'QHZ2',
)
"""Coefficients that change their sign on the other side of a vehicle."""
PACEJKA_02_RECORD = np.dtype([(name, 'f8') for name in PACEJKA_02_NAMES])
TIRE_RECORD = np.dtype(
    [
        ('model', 'i8'),
        ('reference', 'i8'),
        ('radius', 'f8'),
        ('width', 'f8'),
        ('rolling_resistance', 'f8'),
        ('nominal_friction', 'f8'),
        ('knots', 'i8'),
        ('depth', 'f8', KNOTS),
        ('load', 'f8', KNOTS),
        ('slope_beyond', 'f8'),
        ('vertical_damping', 'f8'),
        ('bristle_stiffness', 'f8'),
        ('bristle_damping', 'f8'),
        ('blend', 'f8', 2),
        ('relaxation_length', 'f8', 2),
        ('tmeasy', TMEASY_RECORD),
        ('fiala', FIALA_RECORD),
        ('pacejka_89', PACEJKA_89_RECORD),
        ('pacejka_02', PACEJKA_02_RECORD),
    ]
)
"""Parameters of one tire; only the fields of its own model are filled."""

Records = NDArray[np.void]
