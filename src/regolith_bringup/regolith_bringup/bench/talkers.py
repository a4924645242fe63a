# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The other process of ``bench comms``: twenty robots that talk (``python3 -m`` this)."""

from __future__ import annotations

from regolith_bringup.bench.radios import talk

if __name__ == '__main__':
    talk()
