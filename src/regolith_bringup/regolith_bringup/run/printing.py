# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Output of commands: messages on stderr, JSON values on stdout."""

from __future__ import annotations

import json
import math
import sys
from typing import Any


def print_status(text: str) -> None:
    """Print a human-readable message on stderr."""
    print(text, file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a JSON value. Infinite numbers and NaN become 'inf', '-inf' and 'nan', which ``float()`` reads."""
    print(json.dumps(_with_finite_numbers(value), indent=1, allow_nan=False))


def _with_finite_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_finite_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_finite_numbers(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
