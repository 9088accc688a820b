"""What model providers refuse, and the request as they must see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..config import DEFAULT_NAMES, BridgeNames

OPENAI_DESCRIPTION_CHARS = 1024
"""OpenAI's and Azure's limit on a function description: HTTP 400 ``string_above_max_length`` beyond it."""


class Provider(NamedTuple):
    """Where an agent's requests go: provider name, host of its base URL, API mode and model, all lower case."""

    name: str
    hostname: str
    api_mode: str
    model: str

    @classmethod
    def of(cls, agent: Any) -> Provider:
        """The provider that ``agent`` would ask now; it changes with ``/model`` and with a fallback."""

        def text(attribute: str) -> str:
            value = getattr(agent, attribute, None)
            return value.lower() if isinstance(value, str) else ""

        return cls(text("provider"), urlsplit(text("base_url")).hostname or "", text("api_mode"), text("model"))

    def bridge_names(self) -> BridgeNames:
        """The bridge's names that this provider takes.

        xAI (chat completions and Responses) and OpenAI's Responses API reserve ``tool_search`` for themselves and
        answer HTTP 400 to a request that declares it. ``tool_call`` is a tag of the qwen family's own chat template,
        which its models confuse with a function of that name.
        """
        search, call = DEFAULT_NAMES.search, DEFAULT_NAMES.call
        responses = self.api_mode in ("codex_responses", "codex_app_server")
        if (
            self.name in ("xai", "xai-oauth")
            or self.hostname == "api.x.ai"
            or (responses and (self.name == "openai-codex" or self.hostname in ("api.openai.com", "chatgpt.com")))
        ):
            search = "find_tools"
        if "qwen" in self.model or "qwq" in self.model:
            call = "run_tool"
        return BridgeNames(search=search, describe=DEFAULT_NAMES.describe, call=call)

    def description_max_chars(self) -> int | None:
        """The longest function description this provider is known to take, or None."""
        if self.name.startswith("azure") or self.hostname.endswith((".openai.azure.com", ".azure.com")):
            return OPENAI_DESCRIPTION_CHARS
        if self.hostname == "api.openai.com" or self.name == "openai":
            return OPENAI_DESCRIPTION_CHARS
        return None


def refuses_long_description(error: BaseException) -> bool:
    """Whether a provider refused the request because a function description is too long."""
    text = str(error)
    return "string_above_max_length" in text and "description" in text


def paired(
    messages: Sequence[Any], names: BridgeNames, is_tool: Callable[[str], bool] = lambda name: False
) -> list[Any]:
    """``messages`` as a strict provider takes them; what needs no change is passed on, the rest is copied.

    A result is labelled with the name its call was written under: providers that pair the two by name (Gemini)
    refuse the whole history otherwise, for good. Bridge calls written under other names, before a change of model,
    take the names that this request declares, unless a real tool has such a name (``is_tool``).
    """
    renamed = {
        getattr(other, role): getattr(names, role)
        for other in _ALL_NAMES
        for role in ("search", "describe", "call")
        if getattr(other, role) != getattr(names, role)
    }
    written: dict[str, str] = {}
    out: list[Any] = []
    for message in messages:
        if not isinstance(message, Mapping):
            out.append(message)
        elif message.get("role") == "assistant" and message.get("tool_calls"):
            fixed = _renamed_calls(message, renamed, is_tool)
            for call in fixed["tool_calls"]:
                function = call.get("function") if isinstance(call, Mapping) else None
                if isinstance(function, Mapping) and isinstance(call.get("id"), str):
                    written[call["id"]] = str(function.get("name"))
            out.append(fixed)
        elif message.get("role") == "tool" and "name" in message:
            name = written.get(str(message.get("tool_call_id")), message["name"])
            out.append(message if name == message["name"] else {**message, "name": name})
        else:
            out.append(message)
    return out


_ALL_NAMES = (DEFAULT_NAMES, BridgeNames(search="find_tools", call="run_tool"))


def _renamed_calls(
    message: Mapping[str, Any], renamed: Mapping[str, str], is_tool: Callable[[str], bool]
) -> Mapping[str, Any]:
    def other(call: Any) -> str | None:
        name = str((call.get("function") or {}).get("name")) if isinstance(call, Mapping) else ""
        return renamed[name] if name in renamed and not is_tool(name) else None

    others = [other(call) for call in message["tool_calls"]]
    if not any(others):
        return message
    calls = [
        {**call, "function": {**call["function"], "name": name}} if name else call
        for call, name in zip(message["tool_calls"], others, strict=True)
    ]
    return {**message, "tool_calls": calls}
