# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Performance benchmarks of ``./regolith bench``, explained in bench/README.md."""
