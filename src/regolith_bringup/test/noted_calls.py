# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for what a command calls: it notes the calls."""

from __future__ import annotations

from typing import Any

DOMAIN = ('--domain', '17')


class Noted:
    """Stands for a client or a function: notes calls as (name, positional, keywords), and responds as it was set up."""

    def __init__(self, **results: Any) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._answers = results

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls.append(('', given, named))
        return self._answers.get('returns', self)

    def __enter__(self) -> Noted:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.append(('left', (), {}))

    def __getattr__(self, name: str) -> Any:
        if name == 'known':
            return self._answers['known']

        def call(*given: Any, **named: Any) -> Any:
            self.calls.append((name, given, named))
            result = self._answers.get(name)
            return result(*given, **named) if callable(result) else result

        return call

    def of(self, name: str) -> tuple[Any, ...]:
        """Return the positional arguments of the one call of a name."""
        (found,) = [given for called, given, named in self.calls if called == name and not named]
        return found
