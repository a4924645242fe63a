# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Public names of a package that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, names: Mapping[str, Sequence[str]]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package (PEP 562).

    The package imports nothing until a name is used, so a command that needs one part does not load all others.

    Args:
        package: Name of the package.
        names: Public names by module, relative to the package.
    """
    module_of = {name: module for module, several in names.items() for name in several}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        return getattr(import_module(f'{package}.{module_of[name]}'), name)

    public = sorted(module_of)
    return public, get, lambda: public
