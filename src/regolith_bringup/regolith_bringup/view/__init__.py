# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The view of a run: what its messages tell, as pictures in Rerun and as markers for other viewers.

What converts knows neither ROS nor where messages come from, a bag or a world that runs. ``ground``, ``soil``,
``shade`` and ``layers`` know no viewer either.
"""
