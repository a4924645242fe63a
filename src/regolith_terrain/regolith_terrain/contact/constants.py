# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Constants of contact shared by all terrain models: status, statistics, kinds of shapes, damping of shear."""

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

SHAPE_CYLINDER, SHAPE_GROUSERED, SHAPE_BOX, SHAPE_MESH, SHAPE_SPHERE, SHAPE_CAPSULE = range(6)
"""Kinds of shapes: cylinder, wheel with grousers, box, convex mesh, sphere, capsule."""
RING_POINTS, RING_START = 5, 6
"""Columns of the size of a cylinder: number and first column of its points in the profile; 0 points: it is rigid."""
SPHERE_RADIUS = 6
"""Column of the size of a mesh: radius of the sphere of a cap with its top down [m]; 0: another mesh."""

WINDOW_MARGIN_CELLS = 2.0
"""Margin of nodes around a part in every window, beyond the one whose shear is reset."""

SHEAR_RELAXATION_S = 0.2
"""Relaxation time of the mobilized shear [s]: damps the rocking of a parked vehicle on its shear springs.

An engineering choice: sufficient to bring a rover of 435 kg to rest. It decreases to zero at CREEP_SPEED.
"""
CREEP_SPEED = 0.02
"""Sliding speed above which shear is not damped [m/s]."""
RATE_SHARE = 0.05
"""Fraction of damping by shear rate of rigid bodies relative to that of soil: 10 ms. With the 0.2 s of soil over a
``friction_displacement_m`` of 1 mm, friction of a wheel under 240 N would damp by 38 kN s/m. This is more than the
wheel's spin is stable with in a step of 1 ms: the wheel chatters and creeps."""
