# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers the kernels and their callers share."""

from __future__ import annotations

import numpy as np

MODE_REFERENCE = 0
MODE_REGOLITH = 1
MODES = {'reference': MODE_REFERENCE, 'regolith': MODE_REGOLITH}

SHEAR_RELAXATION_S = 0.2
"""Of the mobilised shear in MODE_REGOLITH [s]: damps the rocking of a parked vehicle on its shear springs.

An engineering choice: enough to bring a rover of 435 kg to rest. It fades until nothing is left of it at CREEP_SPEED.
"""
CREEP_SPEED = 0.02
"""[m/s]."""
STEEPEST = 10.0
"""Rise over run to which a body's surface is taken to be inclined (84 deg); a vertical one has no area above nodes."""

OK = 0
LEFT_WINDOW = 1
"""The body's shadow (with its margin) reaches beyond the window: nothing was computed."""
SCRATCH_TOO_SMALL = 2

STAT_LOADED_NODES = 0
STAT_LOADED_AREA = 1
"""[m^2]."""
STAT_MAX_SINKAGE = 2
"""Along the ground's normal, below level_initial, of loaded nodes [m]."""
STAT_MEAN_PRESSURE = 3
"""[Pa]."""
STAT_INVERSE_WIDTH = 4
"""1 / b of the patch with most nodes [1/m]."""
STAT_PATCHES = 5
STAT_HIT_NODES = 6
STAT_DISPLACED = 7
"""Growth of the plastic set in this step [m^3]: the volume bulldozing hands to the surroundings."""
STAT_COUNT = 8

# Kinds of shapes.
CYLINDER, GROUSERED, BOX, MESH = range(4)

# Columns of a soil's parameters.
K_PHI, K_C, EXPONENT, COHESION, TAN_PHI, JANOSI, ELASTIC, DAMPING, DENSITY = range(9)

# Columns of the rules of displaced soil. Bulldozing: 0 or 1, tan(repose angle), flow factor, sweeps of erosion, cells
# it spreads. Slip-sinkage: 0 or 1, shear band [m].
ENABLED, TAN_REPOSE, FLOW_FACTOR, SWEEPS, SPREAD, CARRIES, SHEAR_LAYER, RULES = range(8)
NOTHING_MOVES = np.zeros(RULES)
"""Rules by which soil is pressed and sheared but stays in its column."""
BEHIND = 0.15
"""Way behind its rim that a wheel carries soil at most, in radii."""
SPARE_CELLS = 2.0
"""Nodes round a part that windows hold in any case beyond the one whose shear is forgotten."""
SHOE_SHIFT = 2
"""Nodes by which a body that is no wheel shifts soil at most."""

# Reference mode: the ray of a node starts this far below its level and ends this far above.
RAY_BELOW = 0.4
RAY_ABOVE = 0.1
MISS = -1e300
"""Marks a node the body is not over, or (regolith mode) does not load."""
# Columns of the integer scratch: runs (row, first and last column, first run of the patch), two chains of vertices.
ROW, FIRST, LAST, PATCH, LOW_R, LOW_C, UP_R, UP_C = range(8)
# Rows of the float scratch: of cells (height of the underside, its slopes, penetration, growth of the plastic set as
# height), of runs (1 / b, volume), of cells in erosion (gain of height, of mass).
HEIGHT, SLOPE_X, SLOPE_Y, DEPTH, GROWTH, INVERSE_WIDTH, VOLUME, FLUX, MASS_FLUX, FLOAT_ROWS = range(10)
MIN_HULL_AREA = 1e-6
"""Below this hull area the reference drops the cohesive term [m^2]."""
