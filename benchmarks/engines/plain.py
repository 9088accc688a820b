"""The text of a tool for engines that rank texts and know nothing of tools."""

from __future__ import annotations

import re
from typing import Any


def text(tool: dict[str, Any]) -> str:
    """Name with its separators as spaces, description and parameter names."""
    parameters = (tool.get("inputSchema") or {}).get("properties") or {}
    return f"{re.sub(r'[_.:/-]+', ' ', tool['name'])} {tool.get('description') or ''} {' '.join(parameters)}"


def words(value: str) -> list[str]:
    """Lower-cased runs of ASCII letters and digits."""
    return re.findall(r"[a-z0-9]+", value.lower())
