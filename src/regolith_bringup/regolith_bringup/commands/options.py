# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option('--json', help='Print one JSON value on stdout and nothing else there.')]
DomainOption = Annotated[str | None, typer.Option('--domain', metavar='N', help='ROS domain. Default: ROS_DOMAIN_ID.')]
NamespaceOption = Annotated[str, typer.Option('--namespace', metavar='NAME', help='Of the run.')]
