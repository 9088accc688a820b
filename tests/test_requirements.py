"""The dependencies that a folder install has to name."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

from hermes_plugin_toolsearch import requirements


def test_the_list_is_that_of_the_package() -> None:
    """What is checked at run time is what an installation brings."""
    setup = configparser.ConfigParser()
    setup.read(Path(__file__).parent.parent / "setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].split("\n")
    declared = {re.split(r"[<>=!~;\[ ]", line)[0] for line in lines if line and "extra" not in line}
    assert set(requirements.REQUIRED.values()) == declared


def test_a_missing_dependency_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, into which Python; what is there is not named."""
    monkeypatch.setitem(requirements.REQUIRED, "no_such.module", "no-such-thing")
    with pytest.raises(
        ImportError, match=r"needs no-such-thing; install with: .*python.* -m pip install no-such-thing$"
    ):
        requirements.check()
