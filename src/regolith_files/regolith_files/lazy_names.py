# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Public names of a package or sub-package that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def export_lazily(
    package: str, names: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package (PEP 562).

    The package imports nothing until a name is used, so a command that needs one part does not load all others.

    Args:
        package: Name of the package or sub-package.
        names: Public names by module, relative to the package.
        modules: Modules of the package that are public as modules.
    """
    module_of = {name: module for module, several in names.items() for name in several}

    def get(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(f'{package}.{module_of[name]}'), name)
        if name in modules:
            return import_module(f'{package}.{name}')
        raise AttributeError(f'module {package!r} has no attribute {name!r}')

    public = sorted([*module_of, *modules])
    return public, get, lambda: public
