# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM terrain model: soil as a continuum of particles (smoothed particle hydrodynamics).

An elasto-plastic soil that flows, heaps up and closes behind moving bodies (Hu et al. 2021). A bed holds its particles,
and markers for walls and bodies. A step is one of the midpoint rule. Differences from the reference:

1. Gradients are scaled to be exact on a lattice. Without that, soil at rest supports 2 % more than its weight.
2. Markers extrapolate shear as well as pressure, so soil on a slope rests on its floor.
3. Rate-dependent friction is solved implicitly and does not lag behind the rate.

Limits: density is constant, so soil neither dilates nor compacts under the frictional law. A gap that opens leaves no
trace where the soil closes again.
"""
