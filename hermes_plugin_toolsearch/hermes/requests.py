"""The request as it leaves for the model provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..config import DEFAULT_NAMES
from . import assembly_hook, meanwhile, providers, seams, usage
from .session import current


def build_api_kwargs(original: Callable[..., Any], agent: Any, api_messages: Any, *args: Any, **kwargs: Any) -> Any:
    """Build a request whose tools and history this provider takes.

    A fallback can change the provider in the middle of a turn; the array is then made anew under the names that the
    new one takes.
    """
    session = current()
    try:
        if session is not None and session.agent is agent:
            names = session.published.assembly.names if session.published else DEFAULT_NAMES
            if session.published and names != session.config.names(providers.Provider.of(agent).bridge_names()):
                assembly = session.assembly()
                assembly_hook.publish(session, assembly)
                names = assembly.names
            api_messages = providers.paired(api_messages, names, session.has_tool)
    except Exception:
        seams.fall_back("preparing a request for its provider")
    return original(agent, api_messages, *args, **kwargs)


def api_call(original: Callable[..., Any], agent: Any, api_kwargs: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the model; where it refuses a long function description, shorten the listing once and call again."""
    session = current()
    usage.request(session)
    meanwhile.request(session)
    try:
        return original(agent, api_kwargs, *args, **kwargs)
    except Exception as error:
        if session is None or session.max_chars is not None or not providers.refuses_long_description(error):
            raise
        shorter = _shortened(session, agent, api_kwargs)
        if shorter is None:
            raise
    return original(agent, shorter, *args, **kwargs)


def _shortened(session: Any, agent: Any, api_kwargs: Any) -> Any:
    """``api_kwargs`` with the bridge's descriptions within the limit, remembered for the session; or None."""
    try:
        if not isinstance(api_kwargs, dict) or session.published is None:
            return None
        session.max_chars = providers.OPENAI_DESCRIPTION_CHARS
        assembly_hook.republish(session)
        texts = {
            definition["function"]["name"]: definition["function"]["description"]
            for definition in agent.tools
            if definition["function"]["name"] in session.published.assembly.names.as_set()
        }
        tools = []
        for tool in api_kwargs.get("tools") or ():
            function = tool.get("function", tool)
            if function.get("name") in texts:
                function = {**function, "description": texts[function["name"]]}
                tool = {**tool, "function": function} if "function" in tool else function  # noqa: PLW2901
            tools.append(tool)
        return {**api_kwargs, "tools": tools}
    except Exception:
        seams.fall_back("shortening a description that the provider refused")
        return None
