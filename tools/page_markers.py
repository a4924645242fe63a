# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a page that a program writes, between ``<!-- NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path


def written(page: Path, parts: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a page with the lines of each part between its marks.

    Raises:
        SystemExit: if a mark does not stand there once
    """
    text = page.read_text(encoding='utf-8')
    for name, lines in parts.items():
        mark = re.compile(rf'(<!-- {name} -->\n).*?(<!-- end -->)', re.DOTALL)
        block = '\n'.join(lines) + '\n'
        text, count = mark.subn(lambda m, b=block: m[1] + b + m[2], text)
        if count != 1:
            raise SystemExit(f'{page}: mark <!-- {name} --> stands there {count} times; allowed: once')
    return text
