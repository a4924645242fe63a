# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Constants shared by the SCM kernels and their callers."""

from __future__ import annotations

import numpy as np

MODE_REFERENCE = 0
"""Mode of SCM: as SCMTerrain of Project Chrono."""
MODE_REGOLITH = 1
"""Mode of SCM: without the known weaknesses of the reference."""
MODES = {'reference': MODE_REFERENCE, 'regolith': MODE_REGOLITH}
"""Modes of SCM by name."""

SHEAR_RELAXATION_S = 0.2
"""Relaxation time of the mobilized shear in MODE_REGOLITH [s]: damps the rocking of a parked vehicle on its shear
springs.

An engineering choice: sufficient to bring a rover of 435 kg to rest. It decreases to zero at CREEP_SPEED.
"""
CREEP_SPEED = 0.02
"""Sliding speed above which shear is not damped [m/s]."""
STEEPEST = 10.0
"""Largest inclination of a body's surface, rise over run (84 deg); a vertical surface has no area above nodes."""

CONTACT_OK = 0
"""Status of a kernel: the contact was computed."""
LEFT_WINDOW = 1
"""The body's shadow with its margin extends beyond the window: nothing was computed."""
SCRATCH_TOO_SMALL = 2
"""Status of a kernel: the work arrays have too few elements."""

STAT_LOADED_NODES = 0
"""Number of nodes that carry pressure."""
STAT_LOADED_AREA = 1
"""Loaded area [m^2]."""
STAT_MAX_SINKAGE = 2
"""Largest sinkage of loaded nodes below level_initial, along the normal of the terrain [m]."""
STAT_MEAN_PRESSURE = 3
"""Mean pressure [Pa]."""
STAT_INVERSE_WIDTH = 4
"""1 / b of the patch with the most nodes [1/m]."""
STAT_PATCHES = 5
"""Number of contact patches."""
STAT_HIT_NODES = 6
"""Number of nodes in contact with the body."""
STAT_DISPLACED = 7
"""Growth of the plastic sinkage in this step [m^3]: the volume that bulldozing moves."""
STAT_COUNT = 8
"""Number of statistics of a contact."""

SHAPE_CYLINDER, SHAPE_GROUSERED, SHAPE_BOX, SHAPE_MESH = range(4)
"""Kinds of shapes: cylinder, wheel with grousers, box, convex mesh."""

# Columns of a soil's parameters.
K_PHI, K_C, EXPONENT, COHESION, TAN_PHI, JANOSI, ELASTIC, DAMPING, DENSITY = range(9)

# Columns of the displacement rules. Bulldozing: 0 or 1, tan(repose angle), flow factor, erosion sweeps, cells of
# spread. Slip-sinkage: 0 or 1, shear layer [m].
ENABLED, TAN_REPOSE, FLOW_FACTOR, SWEEPS, SPREAD, CARRIES, SHEAR_LAYER, RULES = range(8)
NOTHING_MOVES = np.zeros(RULES)
"""Displacement rules without displacement: soil is pressed and sheared but stays in its column."""
BEHIND = 0.15
"""Largest distance behind its rim to which a wheel carries soil, in radii."""
WINDOW_MARGIN_CELLS = 2.0
"""Margin of nodes around a part in every window, beyond the one whose shear is reset."""
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
# height), of runs (1 / b, volume), of cells in erosion (gain of height, of mass).
HEIGHT, SLOPE_X, SLOPE_Y, DEPTH, GROWTH, INVERSE_WIDTH, VOLUME, FLUX, MASS_FLUX, FLOAT_ROWS = range(10)
MIN_HULL_AREA = 1e-6
"""Hull area below which the reference drops the cohesive term [m^2]."""
