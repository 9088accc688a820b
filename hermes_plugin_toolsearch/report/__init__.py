"""The report: one self-contained page of what tool search does to a session's prompt.

``figures`` gathers the numbers, ``charts`` draws them as SVG, ``page`` puts them into HTML, ``picture`` has a browser
that is at hand take a picture of it.
"""

from __future__ import annotations

from .figures import Figures, gather
from .page import html

__all__ = ["Figures", "gather", "html"]
