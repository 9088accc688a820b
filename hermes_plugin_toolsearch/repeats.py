"""What a session keeps doing without getting anywhere, and the plain words that should stop it.

Small models repeat a refused call word for word, and search on where they should call. Each further time is answered
in other words, with what to do instead, so that no error is read more than ``SAME_ANSWERS`` times.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence

from .catalog import digest
from .refusals import Refusal

SEARCHES = 3
"""Searches without a call from which on the answer says to call or to stop."""

SAME_ANSWERS = 2
"""How often a refusal is answered in the same words, give or take a remark that it was sent before."""

_REMEMBERED = 64


class Repeats:
    """Counts for one session. Not to be shared between sessions; a lost count among threads does no harm."""

    def __init__(self) -> None:
        self._searches = 0
        self._refused: OrderedDict[str, int] = OrderedDict()

    def searched(self, found: Sequence[str] = (), *, call: str = "tool_call") -> str | None:
        """Count a search that found these tools; from the third without a call on, return what to do instead."""
        self._searches += 1
        if self._searches < SEARCHES:
            return None
        told = f"{self._searches} searches without a call. Do not search again for this: "
        if found:
            example = json.dumps({"name": found[0], "arguments": {}}, ensure_ascii=False)
            return told + f"run one of the tools found with {call}, for instance {call}({example}) with its arguments."
        return told + "tell the user that no connected tool does it, or go on with the tools that you see."

    def called(self) -> None:
        """A tool was called: searches are counted from zero again."""
        self._searches = 0

    def refused(self, refusal: Refusal) -> Refusal:
        """Count ``refusal`` and return what to answer: the same, then with a remark, then in short what to do."""
        key = digest(json.dumps(refusal.message, default=str))
        count = self._refused.pop(key, 0) + 1
        self._refused[key] = count
        while len(self._refused) > _REMEMBERED:
            self._refused.popitem(last=False)
        if count == 1:
            return refusal
        message = dict(refusal.message)
        corrected = message.get("corrected_call")
        if count <= SAME_ANSWERS:
            remedy = "Send corrected_call with your values filled in." if corrected else "Do something else."
            message["error"] = (
                f"You sent this before and it was refused for the same reason. {remedy} {message['error']}"
            )
            return Refusal(message)
        short: dict[str, object] = {"error": f"Refused {count} times, unchanged. Do not send this again."}
        if corrected:
            short["corrected_call"] = corrected
        short["next"] = "If you cannot send the corrected call, answer the user without this tool and say why."
        return Refusal(short)
