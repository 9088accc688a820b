"""A plugin that writes down what each hook was shown, and blocks the tools it is told to block.

Copied into `$HERMES_HOME/plugins/recorder`. `RECORDER_LOG` is the file it appends to, one JSON object
`{"hook", "tool", "args", "thread"}` a line; `RECORDER_BLOCK` names tools, divided by commas, whose calls it blocks.
"""

import json
import os
import threading
from pathlib import Path

OBSERVED = ("pre_tool_call", "post_tool_call", "transform_tool_result", "pre_approval_request", "pre_llm_call")


def register(ctx):
    """Register one observer for each hook that this host knows, and for its middleware where it has any."""
    for hook in OBSERVED:
        ctx.register_hook(hook, _observer(hook))
    if hasattr(ctx, "register_middleware"):
        ctx.register_middleware("tool_request", _observer("tool_request"))


def _observer(hook):
    def observe(*args, **kwargs):
        name = kwargs.get("tool_name") or kwargs.get("function_name")
        record = {"hook": hook, "tool": name, "args": kwargs.get("args"), "thread": threading.current_thread().name}
        with Path(os.environ["RECORDER_LOG"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, default=str) + "\n")
        if hook == "pre_tool_call" and name in os.environ.get("RECORDER_BLOCK", "").split(","):
            return {"action": "block", "message": f"{name} is blocked by policy"}
        return None

    return observe
