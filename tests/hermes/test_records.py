"""What a person reads later names the tools that ran."""

from __future__ import annotations

import json
from typing import Any

from testing.scripted_model import Call

READ = """
import json
from hermes_cli.plugins import discover_plugins
discover_plugins()
from agent.insights import InsightsEngine
from hermes_state import SessionDB
from run_agent import AIAgent
db = SessionDB()
usage = InsightsEngine(db)._get_tool_usage(0)
agent = AIAgent(model="m", provider="custom", base_url="http://127.0.0.1:9/v1", api_key="unused", quiet_mode=True)
messages = db.get_messages_as_conversation("{session}")
trajectory = agent._convert_to_trajectory_format(messages, "q", True)
print("\\nOUTCOME " + json.dumps({{"usage": usage, "trajectory": trajectory}}))
"""


def test_insights_and_trajectories_name_the_real_tool(make_model: Any, make_home: Any, notes: Any, host: Any) -> None:
    """Usage counts what ran, once each, and an exported conversation shows the real calls (C9)."""
    add, show = host.mcp_name("notes", "add_note"), host.mcp_name("notes", "list_notes")
    entries = [{"name": show, "arguments": {}}, {"name": add, "arguments": {"text": "bread"}}]
    script = [
        [Call("tool_call", {"name": add, "arguments": {"text": "milk"}})],
        [Call("tool_call", {"calls": entries})],
        "Done.",
    ]
    home = make_home(make_model(script), servers={"notes": notes})
    session = home.chat("Note it.").session_id
    run = home.python(READ.format(session=session))
    assert "OUTCOME " in run.stdout, run.stderr[-3000:]
    read = json.loads(run.stdout.partition("\nOUTCOME ")[2])
    assert {row["tool_name"]: row["count"] for row in read["usage"]} == {add: 2, show: 1}
    exported = json.dumps(read["trajectory"])
    assert f'\\"name\\": \\"{add}\\"' in exported
