"""Edits of the configuration: what the file says after them, what is kept, and when nothing is touched."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import yaml

from hermes_plugin_toolsearch import settings

COMMENTED = """\
# mine
model:
  default: some-model   # the cheap one
  api_key: 'it''s "quoted"'
plugins:
  enabled:
    - other  # not ours

# servers
mcp_servers:
  github: {command: npx, args: [-y, server]}
"""


def write(home: Path, text: str, name: str = "config.yaml") -> Path:
    """Write a file of the home."""
    path = home / name
    path.write_text(text, encoding="utf-8")
    return path


def data(home: Path, name: str = "config.yaml") -> dict:
    """What a file of the home says."""
    return yaml.safe_load((home / name).read_text(encoding="utf-8"))


def test_enabling_adds_one_line_and_keeps_the_rest(tmp_path):
    """Enabling changes one list: comments, quotes, order and every other line stay as they were."""
    path = write(tmp_path, COMMENTED)

    outcome = settings.enable(tmp_path)

    after = path.read_text().splitlines()
    assert [line for line in after if line != "    - toolsearch"] == COMMENTED.splitlines()
    assert ["other", "toolsearch"] == data(tmp_path)["plugins"]["enabled"]
    assert ("added toolsearch to plugins.enabled",) == outcome.done


@pytest.mark.parametrize("text", [COMMENTED, COMMENTED.replace("  ", "    "), COMMENTED.replace("\n", "\r\n")])
def test_the_indentation_and_line_ends_of_the_file_are_kept(tmp_path, text):
    """A file with wide indentation or with Windows line ends keeps them in every line."""
    path = tmp_path / "config.yaml"
    path.write_bytes(text.encode())

    settings.enable(tmp_path)

    kept = path.read_bytes().decode().splitlines(keepends=True)
    assert set(text.splitlines(keepends=True)) <= set(kept)


def test_enabling_twice_changes_nothing_the_second_time(tmp_path):
    """An edit that is done already leaves the file and its backup alone, and says so."""
    path = write(tmp_path, COMMENTED)
    settings.enable(tmp_path)
    before = path.stat().st_mtime_ns, path.read_bytes()

    again = settings.enable(tmp_path)

    assert (False, None) == (again.changed, again.backup)
    assert ("toolsearch is enabled already",) == again.done
    assert before == (path.stat().st_mtime_ns, path.read_bytes())


def test_enabling_and_disabling_gives_the_same_settings_back(tmp_path):
    """What disabling takes out is exactly what enabling put in."""
    write(tmp_path, COMMENTED)

    settings.enable(tmp_path)
    settings.disable(tmp_path)

    assert yaml.safe_load(COMMENTED) == data(tmp_path)


def test_disabling_what_is_not_enabled_says_so(tmp_path):
    """With nothing to take out there is no file made and none changed."""
    assert ("toolsearch is not enabled",) == settings.disable(tmp_path).done
    assert not (tmp_path / "config.yaml").exists()


def test_enabling_lifts_an_explicit_disable(tmp_path):
    """Hermes' deny list wins over its allow list, so the name is taken out of it."""
    write(tmp_path, "plugins:\n  enabled: [toolsearch]\n  disabled: [toolsearch, other]\n")

    outcome = settings.enable(tmp_path)

    assert {"enabled": ["toolsearch"], "disabled": ["other"]} == data(tmp_path)["plugins"]
    assert ("took toolsearch out of plugins.disabled",) == outcome.done


@pytest.mark.parametrize(
    "text", [None, "", "# nothing yet\n", "plugins:\n", "plugins:\n  enabled:\n", "plugins: {enabled: toolsearch}\n"]
)
def test_a_missing_or_nearly_empty_file_is_filled(tmp_path, text):
    """A missing file, an empty one, one of comments only and one with empty keys all end enabled."""
    if text is not None:
        write(tmp_path, text)

    settings.enable(tmp_path)

    assert "toolsearch" in data(tmp_path)["plugins"]["enabled"]
    assert (text or "").startswith("#") == ("# nothing yet" in (tmp_path / "config.yaml").read_text())


def test_a_new_file_is_private(tmp_path):
    """A file that did not exist is readable by its owner alone, in a folder that is made where it is missing."""
    settings.enable(tmp_path / "new")

    assert 0o600 == stat.S_IMODE((tmp_path / "new" / "config.yaml").stat().st_mode)


def test_the_previous_file_is_kept_beside_it_with_its_mode(tmp_path):
    """The backup holds the bytes before the edit and is no more readable than the file was."""
    path = write(tmp_path, COMMENTED)
    path.chmod(0o600)

    backup = settings.enable(tmp_path).backup

    assert backup == tmp_path / "config.yaml.before-toolsearch"
    assert COMMENTED == backup.read_text()
    assert (0o600, 0o600) == (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(backup.stat().st_mode))
    assert ["config.yaml", backup.name] == sorted(file.name for file in tmp_path.iterdir())


def test_a_link_to_the_file_stays_a_link(tmp_path):
    """A configuration that lives in a folder of dotfiles is edited there."""
    real = write(tmp_path, COMMENTED, "dotfile.yaml")
    (tmp_path / "config.yaml").symlink_to(real)

    settings.enable(tmp_path)

    assert (tmp_path / "config.yaml").is_symlink()
    assert "toolsearch" in real.read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1\nb: 2\n", "it is broken (line 2"),
        ("a:\tb: 1\n", "it is broken"),
        ("a: 1\na: 2\n", 'found duplicate key "a"'),
        ("- a list\n", "it holds no mapping of settings"),
        ("plugins: 3\n", "plugins holds 3 instead of settings"),
        ("plugins:\n  enabled: {a: 1}\n", "instead of a list"),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_left_alone(tmp_path, text, reason):
    """The file keeps its bytes, and the message says what is wrong and what to write by hand."""
    path = write(tmp_path, text)

    with pytest.raises(settings.NotEditableError) as error:
        settings.enable(tmp_path)

    assert reason in str(error.value)
    assert "plugins:\n  enabled: [toolsearch]" in str(error.value)
    assert text == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_a_file_that_is_no_text_is_left_alone(tmp_path):
    """Bytes that are not UTF-8 are never decoded with losses."""
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: \xff\xfe\n")

    with pytest.raises(settings.NotEditableError, match="cannot be read"):
        settings.enable(tmp_path)

    assert b"a: \xff\xfe\n" == path.read_bytes()


def test_a_read_only_file_is_respected(tmp_path):
    """A file without a write bit is not replaced, though its folder would allow it, and not for root either."""
    path = write(tmp_path, COMMENTED)
    path.chmod(0o444)

    with pytest.raises(settings.NotEditableError, match="it is read-only"):
        settings.enable(tmp_path)

    assert COMMENTED == path.read_text()


def test_pins_are_added_and_taken_back(tmp_path):
    """Pins are names, globs and servers; the ones that stand there already are not added again."""
    write(tmp_path, COMMENTED)

    settings.pin(tmp_path, ["mcp-github", "mcp__time__*"])
    again = settings.pin(tmp_path, ["mcp-github", "alpha"])
    settings.unpin(tmp_path, ["mcp__time__*", "never there"])

    assert ["mcp-github", "alpha"] == data(tmp_path)["tools"]["tool_search"]["pin"]
    assert ("pinned alpha",) == again.done


@pytest.mark.parametrize(("written", "meant"), [("true", "auto"), ("false", "off")])
def test_a_bare_switch_keeps_its_meaning_beside_a_pin(tmp_path, written, meant):
    """``tool_search: false`` becomes a mapping that still says off."""
    write(tmp_path, f"tools:\n  tool_search: {written}\n")

    settings.pin(tmp_path, ["mcp-github"])

    assert {"enabled": meant, "pin": ["mcp-github"]} == data(tmp_path)["tools"]["tool_search"]


def test_trust_is_set_per_server(tmp_path):
    """Each server has its own level; a name that YAML would read as a number or a switch stays a name."""
    settings.trust(tmp_path, "github", "names")
    settings.trust(tmp_path, "on", "counts")
    again = settings.trust(tmp_path, "github", "names")

    assert {"github": "names", "on": "counts"} == data(tmp_path)["tools"]["tool_search"]["listing_trust"]
    assert not again.changed


def test_a_word_that_yaml_takes_for_a_switch_stays_a_word(tmp_path):
    """``off`` is written in quotes: Hermes' YAML reads it as false without them."""
    settings.put(tmp_path, "stats", "off")

    assert "off" == data(tmp_path)["tools"]["tool_search"]["stats"]


def test_a_key_that_stands_only_in_hermes_yaml_is_edited_there(tmp_path):
    """A pin in config.yaml would take the place of the whole list in hermes.yaml, so the list is edited where it is."""
    write(tmp_path, COMMENTED)
    write(tmp_path, "tools:\n  tool_search:\n    pin: [mcp-time]\n", "hermes.yaml")

    settings.pin(tmp_path, ["mcp-github"])
    settings.trust(tmp_path, "time", "names")

    assert ["mcp-time", "mcp-github"] == data(tmp_path, "hermes.yaml")["tools"]["tool_search"]["pin"]
    assert {"listing_trust": {"time": "names"}} == data(tmp_path)["tools"]["tool_search"]


def test_a_file_that_changes_meanwhile_is_not_overwritten(tmp_path, mocker):
    """What another program writes between our read and our write survives."""
    path = write(tmp_path, COMMENTED)
    real = settings._edited

    def slow(*arguments):
        text = real(*arguments)
        path.write_text("model: changed\n")
        return text

    mocker.patch.object(settings, "_edited", slow)
    with pytest.raises(settings.NotEditableError, match="try again"):
        settings.enable(tmp_path)

    assert "model: changed\n" == path.read_text()


def test_the_home_is_where_the_environment_says(tmp_path, monkeypatch):
    """``$HERMES_HOME`` wins; without it the folder is ``~/.hermes``."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    assert tmp_path == settings.home()
    monkeypatch.setenv("HERMES_HOME", " ")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / ".hermes" == settings.home()
