# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Who may take part: everyone must stand on the same ground."""

from __future__ import annotations

from collections.abc import Mapping

PROTOCOL = '3'
"""Version of the messages between world and participants, in which all must agree like in all else."""


class Agreement:
    """What participants must agree on, each parameter as the first who named it gave it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def differences(self, name: str, parameters: Mapping[str, str]) -> str | None:
        """Return a sentence naming the parameters that differ and both values, or None where all agree.

        :param name: of the participant that asks to join
        :param parameters: parameter -> value as it has them; those nobody named yet cannot differ
        """
        found = []
        for key in sorted(parameters):
            owner, value = self._known.get(key, (name, parameters[key]))
            if value != parameters[key]:
                found.append(f'{key} is {parameters[key]} at {name} but {value} at {owner}')
        if not found:
            return None
        return '; '.join(found[:5]) + (f' (and {len(found) - 5} more)' if len(found) > 5 else '')

    def adopt(self, name: str, parameters: Mapping[str, str]) -> None:
        """Remember what ``name`` brought that nobody had named before."""
        for key in parameters:
            self._known.setdefault(key, (name, parameters[key]))
