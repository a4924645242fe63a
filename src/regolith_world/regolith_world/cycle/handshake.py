# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check at joining that all participants use the same parameters and terrain."""

from __future__ import annotations

from collections.abc import Mapping

PROTOCOL = '5'
"""Version of the messages between the world and participants; one of the compared parameters."""


class ParameterAgreement:
    """The agreed parameters. The first participant that states a parameter sets its value."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def differences(self, name: str, parameters: Mapping[str, str]) -> str | None:
        """Return a text with the parameters that differ and both values; None if there is no difference.

        Args:
            name: Name of the participant that joins.
            parameters: Its values by parameter. A new parameter cannot differ.
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
        """Adopt the new parameters of a participant."""
        for key in parameters:
            self._known.setdefault(key, (name, parameters[key]))
