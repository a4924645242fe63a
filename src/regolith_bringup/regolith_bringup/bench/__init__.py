# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The speed figures of ``./regolith bench``, explained in bench/README.md."""
