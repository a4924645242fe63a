# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Grains: discrete elements (DEM) for test benches, spheres or clumps of them.

A **grain** is a rigid body of one or more **balls**; balls touch one another and the **parts** of rigid bodies (planes,
boxes, cylinders, tubes). A step is one pass over balls, which finds the force of each contact, and one over grains,
which sums the forces of each in a fixed order and moves it, so that any number of threads gives the same bits.
"""
