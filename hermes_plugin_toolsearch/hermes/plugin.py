"""What this plugin registers with Hermes, and in which order."""

from __future__ import annotations

from typing import Any

from .. import store
from . import host, seams


def register(ctx: Any) -> None:
    """Register the bridge tools and the hooks, and take the place of the host's own tool search.

    Nothing is set on ``run_agent`` or ``model_tools`` here: this may run in the middle of their import.
    """
    from . import commands, records

    if host.isolated():
        stay_away(ctx)
        return
    store.folder = host.cache_folder
    ctx.register_hook("pre_llm_call", turn_note)
    commands.register(ctx)
    if host.native() == "tiered":
        from . import tiered

        tiered.install(ctx)
    else:
        from . import assembly_hook, bridge_tools

        bridge_tools.register(ctx)
        assembly_hook.install()
    seams.after_import("run_agent", seams.install_on_agent)
    seams.after_import("agent.insights", records.install_insights)


ISOLATED = (
    "plugins.isolation is 'host': this plugin runs outside the Hermes process and cannot reach its tools, so all of it "
    "is off and Hermes works as without it. To use it, set plugins.isolation: in_process."
)


def stay_away(ctx: Any) -> None:
    """Say why nothing is installed in a process that is not Hermes' own, in the log and to who asks ``/toolsearch``."""
    seams.STATUS["plugin"] = ISOLATED
    host.log.warning("tool search: %s", ISOLATED)
    ctx.register_command("toolsearch", lambda arguments="": ISOLATED, description="Why tool search is off.")


def turn_note(conversation_history: Any = (), **kwargs: Any) -> dict[str, str] | None:
    """Add to the user's message what the model should know of its tools in this turn, if anything."""
    from . import assembly_hook
    from .session import current

    session = current()
    if session is not None:
        assembly_hook.settle_again(session)
    note = session.notes_for(conversation_history) if session is not None else ""
    return {"context": note} if note else None
