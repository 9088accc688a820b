"""Getting in and out: a wheel, the enabling command, a folder in Hermes' home, and what stays behind."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testing import hosts
from testing.hermes_home import HermesHome
from testing.hosts import Host

BRIDGE = {"tool_search", "tool_describe", "tool_call"}
PACKAGE = hosts.ROOT / "hermes_plugin_toolsearch"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    names = ("setup.cfg", "pyproject.toml", "README.md", "LICENSE", "hermes_plugin_toolsearch", "tools")
    for name in names:  # built from a copy, so that no build folder appears in the checkout
        path = hosts.ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name)
        elif path.exists():
            shutil.copy(path, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture
def fresh(host: Host, tmp_path: Path) -> Host:
    """The same release, installed anew and without the plugin."""
    root = tmp_path / "venv"
    hosts.create(root)
    hosts.install(root, [hosts.requirement(host.version)])
    return Host(host.version, root)


def fingerprint(host: Host) -> dict[str, str]:
    """A digest of every file that Hermes and its dependencies installed; compiled files come and go."""
    files = (path for path in host.site_packages.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def pip(host: Host, *arguments: str) -> None:
    """Run pip in a host's environment."""
    subprocess.run([host.python, "-m", "pip", *arguments], check=True, capture_output=True)


def test_from_wheel_to_folder_and_out(fresh: Host, wheel: Path, make_model: Any, tmp_path: Path, notes: Any) -> None:
    """A wheel is enabled, disabled, uninstalled, then a copied folder works; Hermes' own files never change."""
    before = fingerprint(fresh)
    home = HermesHome(tmp_path, fresh, make_model({"": ["Hello."]}), servers={"notes": notes}, plugins=())
    offered = home.oneshot("Hello").turns[0].tools

    hosts.install(fresh.root, [str(wheel)])
    command = [str(fresh.root / "bin" / "hermes-toolsearch")]
    enabled = home.run([*command, "enable"])
    assert enabled.returncode == 0, enabled.stderr
    assert set(home.oneshot("Hello").turns[0].tool_names) >= BRIDGE
    installed = fingerprint(fresh)
    assert {path: installed.get(path) for path in before} == before

    assert home.run([*command, "disable"]).returncode == 0
    assert home.oneshot("Hello").turns[0].tools == offered

    pip(fresh, "uninstall", "--quiet", "--yes", "hermes-plugin-toolsearch")
    left = fingerprint(fresh)
    assert {path: left.get(path) for path in before} == before
    assert not [path for path in left if "toolsearch" in path]

    shutil.copytree(PACKAGE, home.path / "plugins" / "toolsearch", ignore=shutil.ignore_patterns("__pycache__"))
    home.config["plugins"]["enabled"] = ["toolsearch"]
    home.write_config()
    assert set(home.oneshot("Hello").turns[0].tool_names) >= BRIDGE

    pip(fresh, "uninstall", "--quiet", "--yes", "PyStemmer")
    assert "Hello." in home.chat("Hello").stdout  # the newest host keeps no log of a one-shot turn
    assert "-m pip install PyStemmer" in home.log
