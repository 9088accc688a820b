"""The local usage log: what was searched, described, called and refused, in a bounded file that never leaves.

One JSON object a line in ``usage.jsonl``: ``t`` (seconds since 1970), ``e`` (the event) and what belongs to it.

| event      | fields                                                                                         |
| ---------- | ---------------------------------------------------------------------------------------------- |
| `request`  | `c`: the catalog's fingerprint. One request to the model with the bridge in it                   |
| `catalog`  | `c`, `tools`, `before`, `now`: tokens of the tools array without and with the bridge             |
| `round`    | a message of the model's in which it did nothing but look for tools                              |
| `search`   | `hits`: how many, `sure`: whether the answer was; `query` only under `stats: queries`            |
| `describe` | `names`                                                                                        |
| `call`     | `name`, `via`: `bridge` or `direct`                                                            |
| `correct`  | `name`: a call that was put right, its name or its arguments                                     |
| `refuse`   | a call that was answered with what to send instead; `name` where one was understood               |
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = "toolsearch"
"""The folder below ``$HERMES_HOME`` that holds the log."""

MAX_BYTES = 1 << 20
"""The size at which the log becomes ``usage.1.jsonl`` and a new one begins: at most twice this is kept."""

MAX_LINE = 4000
"""Bytes of a line. POSIX appends so much in one piece, so lines of several processes do not mix."""


class Log:
    """The log below one Hermes home. An append opens, writes and closes (10 µs): nothing is lost in a crash."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER
        self.path = self.folder / "usage.jsonl"
        self.older = self.folder / "usage.1.jsonl"
        self.tools = self.folder / "tools.json"

    def append(self, event: str, /, **fields: Any) -> None:
        """Add one event. Raises OSError where the folder cannot be written."""
        line = json.dumps({"t": round(time.time(), 1), "e": event, **fields}, ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "replace")
        if len(data) >= MAX_LINE:
            return
        try:
            size = self._write(data + b"\n")
        except FileNotFoundError:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            size = self._write(data + b"\n")
        if size > MAX_BYTES:
            self._rotate()

    def keep_tools(self, servers: Mapping[str, Mapping[str, int]]) -> None:
        """Keep which tools were there last: server -> name -> tokens. Nothing has to be connected to speak of them."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self.folder / f"tools.{os.getpid()}"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINK, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(servers, file)
        temporary.replace(self.tools)

    def known_tools(self) -> dict[str, dict[str, int]]:
        """Server -> name -> tokens of the tools that were there last; empty where none were seen."""
        with suppress(OSError, ValueError, AttributeError):
            data = json.loads(self.tools.read_text(encoding="utf-8"))
            return {
                str(server): {str(name): _whole(cost) for name, cost in tools.items()} for server, tools in data.items()
            }
        return {}

    def events(self, since: float = 0.0) -> Iterator[dict[str, Any]]:
        """The events from ``since`` (seconds since 1970) on, oldest first; a line that is none is passed over."""
        for path in (self.older, self.path):
            with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
                for line in file:
                    with suppress(ValueError):
                        event = json.loads(line)
                        if isinstance(event, dict) and isinstance(event.get("t"), int | float) and event["t"] >= since:
                            yield event

    def _write(self, data: bytes) -> int:
        """Append ``data``; the size of the file after it."""
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK, 0o600)
        try:
            os.write(handle, data)
            return os.fstat(handle).st_size
        finally:
            os.close(handle)

    def _rotate(self) -> None:
        """Begin a new log, unless another process has done so since we looked."""
        lock = self.folder / "rotating"
        with suppress(FileExistsError, FileNotFoundError):
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                if self.path.stat().st_size > MAX_BYTES:
                    self.path.replace(self.older)
            finally:
                lock.unlink()


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # nobody can have the log written somewhere else


@dataclass(frozen=True, slots=True)
class Summary:
    """What a span of the log comes to.

    ``unanswered`` are searches without a sure hit, ``rounds`` the extra requests that looking for tools took.
    ``saved`` are tokens of tool definitions that requests did not carry, over ``counted`` of ``requests``: those whose
    catalog was measured. ``calls`` maps tool to times, ``unused`` server to the tools nobody called, ``queries`` the
    texts that found nothing sure, where they are kept.
    """

    requests: int = 0
    counted: int = 0
    searches: int = 0
    unanswered: int = 0
    described: int = 0
    called: int = 0
    direct: int = 0
    corrected: int = 0
    refused: int = 0
    rounds: int = 0
    saved: int = 0
    first: float | None = None
    calls: Mapping[str, int] = field(default_factory=dict)
    unused: Mapping[str, Sequence[str]] = field(default_factory=dict)
    queries: Sequence[str] = ()


def summarize(events: Iterable[Mapping[str, Any]], known: Mapping[str, Iterable[str]]) -> Summary:
    """Add up ``events``; ``known`` are the tools that were there, by server."""
    counts: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    saving: dict[str, int] = {}
    missed: list[str] = []
    first: float | None = None
    for event in events:
        first = event["t"] if first is None else min(first, event["t"])
        kind = str(event.get("e"))
        counts[kind] += 1
        if kind == "request":
            requests[str(event.get("c"))] += 1
        elif kind == "catalog":
            saving[str(event.get("c"))] = _whole(event.get("before")) - _whole(event.get("now"))
        elif kind == "search" and not (event.get("sure") and event.get("hits")):
            counts["unanswered"] += 1
            if event.get("query"):
                missed.append(str(event["query"]))
        elif kind == "describe":
            counts["described"] += len(event.get("names") or ())
        elif kind == "call":
            calls[str(event.get("name"))] += 1
            counts["direct"] += event.get("via") == "direct"
    return Summary(
        requests=counts["request"],
        counted=sum(times for catalog, times in requests.items() if catalog in saving),
        searches=counts["search"],
        unanswered=counts["unanswered"],
        described=counts["described"],
        called=counts["call"] - counts["direct"],
        direct=counts["direct"],
        corrected=counts["correct"],
        refused=counts["refuse"],
        rounds=counts["round"],
        saved=sum(times * saving[catalog] for catalog, times in requests.items() if catalog in saving),
        first=first,
        calls=dict(sorted(calls.items(), key=lambda item: (-item[1], item[0]))),
        unused={
            server: unused
            for server, names in sorted(known.items())
            if (unused := [n for n in names if n not in calls])
        },
        queries=tuple(dict.fromkeys(missed)),
    )


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0
