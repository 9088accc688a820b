"""Edits of ``$HERMES_HOME/config.yaml`` that a person can trust.

Comments, quotes and order are kept, the file as it was is kept beside it, the new one takes its place in one step,
and nothing is written where nothing would change. A file that cannot be edited safely is left alone, and the error
says what to write by hand. ``hermes.yaml`` is read too: a key of ``tools.tool_search`` that stands only there is
edited there, since a list in ``config.yaml`` would take the whole list's place.
"""

from __future__ import annotations

import io
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLUGIN = "toolsearch"
CONFIG_FILES = ("config.yaml", "hermes.yaml")
"""Where ``tools.tool_search`` is read, the first file winning where both set a key."""

BACKUP_SUFFIX = ".before-toolsearch"
"""Added to a file's name for the copy of what it was before the last edit."""

Edit = Callable[[MutableMapping[str, Any]], list[str]]
"""Changes a configuration in place and says in sentences what it did; raises NotEditableError."""


class NotEditableError(Exception):
    """A configuration file that was left as it is; the message says why and what to write by hand."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an edit did to ``path``, in sentences; ``backup`` is None where there was nothing to keep or to change."""

    path: Path
    done: tuple[str, ...]
    changed: bool
    backup: Path | None = None


def home() -> Path:
    """``$HERMES_HOME``, or ``~/.hermes``; inside a Hermes the host is asked instead (:func:`.hermes.host.home`)."""
    return Path(os.environ.get("HERMES_HOME", "").strip() or Path.home() / ".hermes").expanduser()


def enable(folder: Path) -> Outcome:
    """Have Hermes load the plugin. Raises NotEditableError."""
    by_hand = f"plugins:\n  enabled: [{PLUGIN}]"

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        done = []
        plugins = _mapping(config, "plugins", by_hand)
        if PLUGIN in _listed(plugins.get("disabled")):
            _take(plugins, "disabled", [PLUGIN])
            done.append(f"took {PLUGIN} out of plugins.disabled")
        if PLUGIN not in _listed(plugins.get("enabled")):
            _append(plugins, "enabled", [PLUGIN], by_hand)
            done.append(f"added {PLUGIN} to plugins.enabled")
        return done

    return _edit(folder / CONFIG_FILES[0], edit, by_hand, unchanged=f"{PLUGIN} is enabled already")


def disable(folder: Path) -> Outcome:
    """Have Hermes no longer load the plugin. Raises NotEditableError."""

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        plugins = config.get("plugins")
        if not isinstance(plugins, MutableMapping) or PLUGIN not in _listed(plugins.get("enabled")):
            return []
        _take(plugins, "enabled", [PLUGIN])
        return [f"took {PLUGIN} out of plugins.enabled"]

    by_hand = f"take {PLUGIN} out of plugins.enabled"
    return _edit(folder / CONFIG_FILES[0], edit, by_hand, unchanged=f"{PLUGIN} is not enabled")


def pin(folder: Path, names: Iterable[str]) -> Outcome:
    """Keep tools, globs or servers (``mcp-github``) visible. Raises NotEditableError."""
    wanted = list(dict.fromkeys(names))
    by_hand = f"tools:\n  tool_search:\n    pin: [{', '.join(map(repr, wanted))}]"

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        section = _section(config, by_hand)
        new = [_quoted(name) for name in wanted if name not in _listed(section.get("pin"))]
        if new:
            _append(section, "pin", new, by_hand)
        return [f"pinned {name}" for name in new]

    return _edit(_file_of(folder, "pin"), edit, by_hand, unchanged=f"{_and(wanted)} pinned already")


def unpin(folder: Path, names: Iterable[str]) -> Outcome:
    """Take back pins, as they are written in the configuration. Raises NotEditableError."""
    wanted = list(dict.fromkeys(names))

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        section = _existing_section(config)
        old = [name for name in wanted if name in _listed(section.get("pin"))]
        if old:
            _take(section, "pin", old)
        return [f"unpinned {name}" for name in old]

    by_hand = f"take {', '.join(wanted)} out of tools.tool_search.pin"
    return _edit(_file_of(folder, "pin"), edit, by_hand, unchanged=f"{_and(wanted)} not pinned")


def trust(folder: Path, server: str, level: str) -> Outcome:
    """Set how much of a server's own text the listing shows. Raises NotEditableError."""
    by_hand = f"tools:\n  tool_search:\n    listing_trust:\n      {server}: {level}"

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        levels = _mapping(_section(config, by_hand), "listing_trust", by_hand)
        if levels.get(server) == level:
            return []
        levels[_quoted(server)] = level
        return [f"the listing shows {_LEVELS[level]} of {server}"]

    return _edit(_file_of(folder, "listing_trust"), edit, by_hand, unchanged=f"{server} is at {level} already")


_LEVELS = {"full": "names and descriptions", "names": "the names only", "counts": "only the number of tools"}


def put(folder: Path, key: str, value: str) -> Outcome:
    """Set one plain key of ``tools.tool_search``. Raises NotEditableError."""
    by_hand = f"tools:\n  tool_search:\n    {key}: '{value}'"

    def edit(config: MutableMapping[str, Any]) -> list[str]:
        section = _section(config, by_hand)
        if section.get(key) == value:
            return []
        section[key] = _quoted(value)
        return [f"set {key} to {value}"]

    return _edit(_file_of(folder, key), edit, by_hand, unchanged=f"{key} is {value} already")


def read(path: Path) -> Mapping[str, Any]:
    """The configuration in ``path``; empty where there is no such file. Raises NotEditableError."""
    text = _read(path, "")
    return _plain(path, text, "") if text is not None else {}


def _edit(path: Path, edit: Edit, by_hand: str, *, unchanged: str) -> Outcome:
    """Apply ``edit`` to the file and check that it did to the file exactly what it does to the data."""
    target = Path(os.path.realpath(path))  # a link into a folder of dotfiles stays a link
    text = _read(target, by_hand)
    before = _plain(path, text or "", by_hand)
    wanted = deepcopy(dict(before))
    done = edit(wanted)
    if not done:
        return Outcome(path, (unchanged,), changed=False)
    new = _edited(path, text or "", edit, by_hand)
    if not _says(new, wanted):
        raise NotEditableError(_refusal(path, "it is written in a way that cannot be edited safely", by_hand))
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise NotEditableError(_refusal(path, "it is read-only", by_hand))
    if _read(target, by_hand) != text:
        raise NotEditableError(_refusal(path, "something else changed it just now; try again", by_hand))
    try:
        backup = _keep(target) if text is not None else None
        _replace(target, new)
    except OSError as error:
        raise NotEditableError(_refusal(path, str(error.strerror or error), by_hand)) from error
    return Outcome(path, tuple(done), changed=True, backup=backup)


def _read(path: Path, by_hand: str) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise NotEditableError(_refusal(path, f"it cannot be read ({error})", by_hand)) from error


def _plain(path: Path, text: str, by_hand: str) -> Mapping[str, Any]:
    """The data in ``text`` as Hermes reads it."""
    import yaml

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}: {getattr(error, 'problem', None) or 'not YAML'})" if mark else ""
        raise NotEditableError(_refusal(path, f"it is broken{where}; correct it first", by_hand)) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise NotEditableError(_refusal(path, "it holds no mapping of settings", by_hand))
    return data


def _says(text: str, wanted: object) -> bool:
    """Whether Hermes would read ``wanted`` from ``text``."""
    import yaml

    try:
        return bool(yaml.safe_load(text) == wanted)
    except yaml.YAMLError:
        return False


def _edited(path: Path, text: str, edit: Edit, by_hand: str) -> str:
    """The file's text with ``edit`` applied, everything else as it was."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    document = YAML()
    document.preserve_quotes = True
    document.width = 1 << 20  # no line of the user's is broken anew
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    mapping, offset = _indents(text)
    document.indent(mapping=mapping, sequence=offset + 2, offset=offset)
    try:
        content = document.load(text)
    except YAMLError as error:  # what PyYAML lets pass: a key that stands there twice
        reason = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise NotEditableError(_refusal(path, reason, by_hand)) from error
    comments = ""
    if content is None:  # an empty document holds no place for its comments
        comments, content = text and text.rstrip("\n") + "\n", {}
    edit(content)
    out = io.StringIO()
    document.dump(content, out)
    new = comments + out.getvalue()
    return new.replace("\n", "\r\n") if windows else new


def _indents(text: str) -> tuple[int, int]:
    """How far ``text`` indents a nested mapping, and the dash of a list below its key; 2 and 2 where it has none."""
    mapping = offset = None
    above = 0
    for line in text.splitlines():
        stripped = line.lstrip(" ")
        if not stripped or stripped.startswith("#"):
            continue
        depth = len(line) - len(stripped)
        if stripped.startswith("- "):
            offset = depth - above if offset is None and depth >= above else offset
        else:
            mapping = depth - above if mapping is None and depth > above else mapping
            above = depth
        if mapping is not None and offset is not None:
            break
    return mapping or 2, 2 if offset is None else offset


def _keep(target: Path) -> Path:
    """Copy the file beside itself, with its mode, so that a secret in it is no more exposed than before."""
    backup = target.with_name(target.name + BACKUP_SUFFIX)
    _write(backup, target.read_bytes(), stat.S_IMODE(target.stat().st_mode))
    return backup


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
    _write(target, text.encode("utf-8"), mode)


def _write(target: Path, data: bytes, mode: int) -> None:
    """Put ``data`` in ``target``'s place in one step: a reader sees the old file or the new one, never a part."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        with suppress(OSError, AttributeError):  # an owner other than ours can be kept only by root
            owner = target.stat()
            os.chown(temporary, owner.st_uid, owner.st_gid)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _refusal(path: Path, reason: str, by_hand: str) -> str:
    message = f"{path} was not changed: {reason}."
    return f"{message} To do it by hand:\n\n{by_hand}" if by_hand else message


def _file_of(folder: Path, key: str) -> Path:
    """The file in which a key of ``tools.tool_search`` stands, the first where it stands in both or in none."""
    first, second = (folder / name for name in CONFIG_FILES)
    with suppress(NotEditableError):  # the edit itself says what is wrong with a file
        if key not in _existing_section(read(first)) and key in _existing_section(read(second)):
            return second
    return first


def _section(config: MutableMapping[str, Any], by_hand: str) -> MutableMapping[str, Any]:
    """``tools.tool_search`` as a mapping; a bare true or false becomes what it stands for."""
    tools = _mapping(config, "tools", by_hand)
    if isinstance(tools.get("tool_search"), bool):
        tools["tool_search"] = {"enabled": _quoted("auto" if tools["tool_search"] else "off")}
    return _mapping(tools, "tool_search", by_hand)


def _existing_section(config: Mapping[str, Any]) -> MutableMapping[str, Any]:
    tools = config.get("tools")
    section = tools.get("tool_search") if isinstance(tools, Mapping) else None
    return section if isinstance(section, MutableMapping) else {}


def _mapping(parent: MutableMapping[str, Any], key: str, by_hand: str) -> MutableMapping[str, Any]:
    value = parent.get(key)
    if value is None:
        value = parent[key] = {}
    if not isinstance(value, MutableMapping):
        raise NotEditableError(f"Nothing was changed: {key} holds {value!r} instead of settings. Write:\n\n{by_hand}")
    return value


def _listed(value: Any) -> list[Any]:
    """What stands in a list of names, which may also be one name or nothing."""
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list) else []


def _append(parent: MutableMapping[str, Any], key: str, names: list[str], by_hand: str) -> None:
    value = parent.get(key)
    if isinstance(value, list):
        value.extend(names)
    elif value is None or isinstance(value, str):
        parent[key] = [*_listed(value), *names]
    else:
        raise NotEditableError(f"Nothing was changed: {key} holds {value!r} instead of a list. Write:\n\n{by_hand}")


def _take(parent: MutableMapping[str, Any], key: str, names: list[str]) -> None:
    value = parent[key]
    if isinstance(value, list) and any(name not in names for name in value):
        for name in names:
            while name in value:
                value.remove(name)
    else:
        parent[key] = []  # a new list: an emptied one would keep comments where they break the file


def _quoted(text: str) -> str:
    """``text`` in quotes where Hermes, which reads with PyYAML, would take it bare for something else: ``off``."""
    from ruamel.yaml.scalarstring import SingleQuotedScalarString

    quoted: str = SingleQuotedScalarString(text)
    return text if _says(text, text) else quoted


def _and(names: list[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
