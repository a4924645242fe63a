# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The speed figures behind ``./regolith bench``; bench/README.md says how to read them."""
