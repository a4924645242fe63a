# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules under their former names, so that imports in other packages keep working.

Our own packages never use a former name (``test/test_architecture.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

new_names: dict[str, str] = {}
"""New names of moved modules by their former ones; both dotted."""


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Redirect()) if fullname in new_names else None


class _Redirect(Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: the import system makes an empty module, which :meth:`exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module by the moved one, so that there is only one of it."""
        sys.modules[module.__name__] = import_module(new_names[module.__name__])


_finder = _Finder()


def moved(package: str, modules: Mapping[str, str]) -> None:
    """Make modules importable by their former names.

    :param package: that held them
    :param modules: former name -> new one, both dotted; a new one is in ``package`` unless it names another
    """
    for old, new in modules.items():
        new_names[f'{package}.{old}'] = new if new.startswith('regolith_') else f'{package}.{new}'
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)


def names_of(package: str, module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package named like a module it replaced; the module is imported on first use."""

    def getattribute(name: str) -> Any:
        # 'from package import room' asks here before it looks for a module of that name.
        if name.startswith('__') or find_spec(f'{package}.{name}') is not None:
            raise AttributeError(name)
        return getattr(import_module(module), name)

    return getattribute
