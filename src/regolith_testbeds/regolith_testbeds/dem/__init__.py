# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""DEM: discrete elements for testbeds, as spheres or clumps of spheres.

A **grain** is a rigid body of one or more **balls**. Balls contact one another and the **parts** of rigid bodies
(planes, boxes, cylinders, tubes). A step has one pass over balls, which computes the force of each contact, and one
over grains, which sums the forces of each in a fixed order and moves it. So results are bit-identical for any number of
threads.
"""
