"""A picture of the page, taken by a Chromium that is on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "brave-browser",
)
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_SECONDS = 60


class NoPictureError(Exception):
    """No picture could be taken; the message says why and what to do."""


def browser() -> str | None:
    """A Chromium on this machine, or None."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((path for path in found if path), next((path for path in _APPLICATIONS if Path(path).exists()), None))


def take(page: str, target: Path, *, width: int = 1080, dark: bool = False, scale: float = 2) -> None:
    """Write a PNG of the whole ``page``, ``width`` CSS pixels wide, to ``target``. Raises NoPictureError."""
    program = browser()
    if program is None:
        raise NoPictureError(
            "a PNG needs a Chromium or Chrome on this machine (Debian: apt install chromium); "
            "the HTML page can be opened and printed in any browser"
        )
    with tempfile.TemporaryDirectory(prefix="toolsearch-") as folder:
        height = _height(program, page, Path(folder), width)
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        shot = Path(folder) / "page.png"
        _run(
            program,
            source,
            f"--window-size={width},{height}",
            f"--force-device-scale-factor={scale:g}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--screenshot={shot}",
        )
        if not shot.exists():
            raise NoPictureError(f"{program} took no picture")
        shutil.copyfile(shot, target)


def _height(program: str, page: str, folder: Path, width: int) -> int:
    """How tall the page is at ``width``: a copy of it, without its policy, is asked for that by a script."""
    measuring = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace(
        "</body>", "<script>document.title=document.documentElement.scrollHeight</script></body>"
    )
    source = folder / "measuring.html"
    source.write_text(measuring, encoding="utf-8")
    out = _run(program, source, f"--window-size={width},800", "--dump-dom")
    match = re.search(r"<title>(\d+)</title>", out)
    if match is None:
        raise NoPictureError(f"{program} did not show the page")
    return int(match[1])


def _run(program: str, source: Path, *options: str) -> str:
    command = [
        program,
        "--headless=new",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        f"--user-data-dir={source.parent / 'profile'}",
        "--disable-dev-shm-usage",
        *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),  # root has no sandbox there
        *options,
        source.as_uri(),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPictureError(f"{program} could not be run: {error}") from error
    return done.stdout
