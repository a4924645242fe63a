# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Time and evolution: cycles, objects, states, intersections, contacts, constraints."""

from regolith_files.moved import moved

moved(__name__, {
    'bounded_yaml': 'regolith_files.bounded_yaml', 'refusal': 'regolith_files.refusal',
    'paths': 'regolith_files.paths', 'plugins': 'regolith_files.plugins',
    'random': 'keyed_random',
})
