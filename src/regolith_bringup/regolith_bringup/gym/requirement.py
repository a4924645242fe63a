# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium, which is optional."""

from __future__ import annotations

from typing import Any


def load_gymnasium() -> Any:
    """Return module ``gymnasium``.

    Raises:
        ImportError: If it is not installed; states how to install it.
    """
    try:
        import gymnasium
    except ImportError as error:
        raise ImportError(
            "regolith_bringup.gym: needs gymnasium, which is not installed; fix: pip install 'regolith-sim[gym]', or"
            " pip install 'gymnasium>=1.1'"
        ) from error
    return gymnasium
