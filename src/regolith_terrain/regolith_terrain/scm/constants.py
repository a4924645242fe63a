# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Constants shared by the SCM kernels and their callers."""

from __future__ import annotations

import numpy as np

MODE_REFERENCE = 0
"""Mode of SCM: as SCMTerrain of Project Chrono."""
MODE_REGOLITH = 1
"""Mode of SCM: without the known weaknesses of the reference."""
MODE_BODY = 2
"""As MODE_REGOLITH, for rigid bodies with steep faces on all sides."""
MODES = {'reference': MODE_REFERENCE, 'regolith': MODE_REGOLITH}
"""Modes of SCM by name."""

STEEPEST = 10.0
"""Largest inclination of a body's surface, rise over run (84 deg); a vertical surface has no area above nodes."""

# Columns of a soil's parameters.
K_PHI, K_C, EXPONENT, COHESION, TAN_PHI, JANOSI, ELASTIC, DAMPING, DENSITY = range(9)

# Columns of the displacement rules. Bulldozing: 0 or 1, tan(repose angle), flow factor, erosion sweeps, cells of
# spread. Slip-sinkage: 0 or 1, shear layer [m].
ENABLED, TAN_REPOSE, FLOW_FACTOR, SWEEPS, SPREAD, CARRIES, SHEAR_LAYER, RULES = range(8)
NOTHING_MOVES = np.zeros(RULES)
"""Displacement rules without displacement: soil is pressed and sheared but stays in its column."""
BEHIND = 0.15
"""Largest distance behind its rim to which a wheel carries soil, in radii."""
SHOE_SHIFT = 2
"""Largest number of nodes by which a body other than a wheel shifts soil."""

# Reference mode: range of the ray of a node below and above its level [m].
RAY_BELOW = 0.4
RAY_ABOVE = 0.1
MISS = -1e300
"""Mark of a node that the body is not above or, in regolith mode, does not load."""
# Columns of the integer scratch: runs (row, first and last column, first run of the patch), two chains of vertices.
ROW, FIRST, LAST, PATCH, LOW_R, LOW_C, UP_R, UP_C = range(8)
# Rows of the float scratch: of cells (height of the underside, its slopes, penetration, growth of the plastic set as
# height), of runs (1 / b, volume), of cells in erosion (gain of height, of mass), of cells (rate of the deflection).
HEIGHT, SLOPE_X, SLOPE_Y, DEPTH, GROWTH, INVERSE_WIDTH, VOLUME, FLUX, MASS_FLUX, RATE, FLOAT_ROWS = range(11)
MIN_HULL_AREA = 1e-6
"""Hull area below which the reference drops the cohesive term [m^2]."""
