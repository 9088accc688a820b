"""Whether there is a Hermes here, and where its home is."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from .. import settings


def in_hermes() -> bool:
    """Whether Hermes is installed in this environment."""
    return importlib.util.find_spec("hermes_constants") is not None


def home() -> Path:
    """The home of the Hermes that is installed here, or the one that the environment names."""
    if not in_hermes():
        return settings.home()
    from ..hermes import host

    return host.home()
