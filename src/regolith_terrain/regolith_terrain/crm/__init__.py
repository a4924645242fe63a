# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil as a continuum of particles (CRM, smoothed particle hydrodynamics), for benches where fidelity is worth hours.

An elasto-plastic soil that flows, heaps up and closes behind what moves through it (Hu et al. 2021). A bed holds its
particles, and markers for walls and bodies; a step is one of the midpoint rule. Where it differs from the reference:

1. Gradients are scaled so that they are exact on a lattice; without that soil at rest bears 2 % more than its weight.
2. Markers carry on shear as well as pressure, so that soil on a slope rests on its floor.
3. Friction that grows with the rate is solved for implicitly and does not lag behind it.

What it does not do: density stays as it is, so soil neither dilates nor packs under the frictional law, and a gap that
opens is forgotten where the soil closes up again.
"""
