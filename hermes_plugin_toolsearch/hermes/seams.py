"""How this plugin gets into the host: every method that is rebound, in one list, and what became of each.

A seam is a method of the host's ``AIAgent`` (or a function that the host imports late) with a wrapper around it. The
wrapper of a seam that the host lacks is not installed; its feature is off, and the doctor says so.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import logging
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any

from .host import log

STATUS: dict[str, str] = {}
"""Seam -> ``installed``, or why it is not."""

_MARK = "__toolsearch__"

Wrapper = Callable[..., Any]
"""Takes the original function first, then its arguments."""


def wrap(owner: Any, name: str, wrapper: Wrapper, *, seam: str) -> bool:
    """Put ``wrapper`` around ``owner.name``, once; whether it is in place now."""
    original = getattr(owner, name, None)
    if not callable(original):
        if seam not in STATUS:
            log.warning("tool search: this host has no %s; what needs it is off", seam)
        STATUS[seam] = "missing on this host"
        return False
    if not getattr(original, _MARK, False):

        @functools.wraps(original)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return wrapper(original, *args, **kwargs)

        setattr(wrapped, _MARK, True)
        setattr(owner, name, wrapped)
    STATUS[seam] = "installed"
    return True


def fall_back(doing: str) -> None:
    """Log a failure after which the host goes on as if the plugin were not there: once with its traceback, then not.

    What fails once fails in every turn, and a log that fills with it hides all else.
    """
    failure = repr(sys.exc_info()[1])
    level = logging.DEBUG if STATUS.get(f"failed: {doing}") == failure else logging.WARNING
    STATUS[f"failed: {doing}"] = failure
    log.log(level, "tool search: %s failed; Hermes goes on without it", doing, exc_info=True)


def after_import(module: str, install: Callable[[], object]) -> None:
    """Run ``install`` now if the host has imported ``module``, else as soon as it has.

    For the agent no later moment is certain: one is built from memoized definitions without a call of anything of
    ours, where the same definitions were asked for before (a banner does that). A module that is in the middle of
    its own import is left to the moments that come after.
    """
    if module in sys.modules:
        install()
    else:
        sys.meta_path.insert(0, _AfterImport(module, install))


class _AfterImport(importlib.abc.MetaPathFinder):
    """Lets one module be imported as ever, and runs something at the end of that."""

    def __init__(self, module: str, install: Callable[[], object]) -> None:
        self._module = module
        self._install = install
        self._looking = False

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find the module by whoever finds it otherwise; anything else is none of its business."""
        if fullname != self._module or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_install(module: Any) -> None:
                execute(module)
                if self in sys.meta_path:  # not before: who only asks for the spec imports nothing
                    sys.meta_path.remove(self)
                try:
                    self._install()
                except Exception:
                    fall_back(f"installing after the import of {fullname}")

            spec.loader.exec_module = execute_and_install  # type: ignore[method-assign]
        return spec


def install_on_agent() -> bool:
    """Install the seams on ``AIAgent``, once its class is complete; whether they are in place.

    ``register`` may run in the middle of the import of ``run_agent``, so this is called again from each of the
    moments that come later: an assembly, the start of a session, the first model call.
    """
    if STATUS.get("AIAgent") == "installed":
        return True
    agent = getattr(sys.modules.get("run_agent"), "AIAgent", None)
    if not hasattr(agent, "run_conversation"):
        return False
    from . import assembly_hook, delegation, direct, execution, feed, host, records, requests, skills

    seams: dict[str, Wrapper | None] = {
        "run_conversation": assembly_hook.run_conversation,
        "_build_system_prompt": skills.build_system_prompt,
        "_execute_tool_calls": execution.execute_tool_calls,
        "_repair_tool_call": direct.repair_tool_call,
        "_build_api_kwargs": requests.build_api_kwargs,
        "_interruptible_api_call": requests.api_call,
        "_interruptible_streaming_api_call": requests.api_call,
        "_dispatch_delegate_task": delegation.dispatch_delegate_task,
        "_fire_tool_gen_started": feed.tool_gen_started,
    }
    own_words = False
    if host.native() == "tiered":
        from . import tiered, wire

        seams |= tiered.AGENT_SEAMS
        own_words = wire.has_own_words()
    else:
        from tools.registry import registry

        wrap(registry, "dispatch", execution.dispatch, seam="registry.dispatch")
    for name, wrapper in seams.items():
        if wrapper is not None:
            wrap(agent, name, wrapper, seam=f"AIAgent.{name}")
    if not own_words:
        feed.install()
    skills.install()
    records.install(agent)
    STATUS["AIAgent"] = "installed"
    return True
