"""A model provider whose answers are written down beforehand, served over loopback in the OpenAI wire format.

A script is a list of steps, and the model's k-th answer in a conversation is step k. Which script a conversation
follows is decided by its first user message, so that a subagent, whose first message is its goal, follows a script of
its own. The position is read from the request (the number of assistant messages in it) and not counted here: a request
that is sent again gets the same answer again, and a resumed session goes on where it was.

    with ScriptedModel({"list issues": [[Call("tool_search", {"query": "list issues"})], "There are two."]}) as model:
        run_something(model.base_url)
        assert "tool_search" in model.turns[0].tool_names
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SCRIPT_ENDED = "SCRIPT ENDED"
WAIT = 60.0  # seconds that a step waits for another conversation, then it is answered all the same
AUXILIARY_ANSWER = "A scripted title"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as the model writes it; a `str` as arguments is sent as it is, malformed or not."""

    name: str
    arguments: Json | str = field(default_factory=dict)
    id: str | None = None

    def encoded(self) -> str:
        """The arguments as they stand on the wire."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True, slots=True)
class Answer:
    """Text, calls, or both, for a step that needs both."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class After:
    """A step that is held back until another conversation has had so many turns: a parent that waits for its child."""

    conversation: str
    turns: int
    then: Step


@dataclass(frozen=True, slots=True)
class Request:
    """One completion request as the provider received it."""

    path: str
    body: Json

    @property
    def messages(self) -> list[Json]:
        """The conversation, oldest first."""
        return self.body.get("messages") or []

    @property
    def tools(self) -> list[Json]:
        """The `tools` array: what the model was offered and what the user pays for."""
        return self.body.get("tools") or []

    @property
    def tool_names(self) -> list[str]:
        """The offered function names, in order."""
        return [tool["function"]["name"] for tool in self.tools]

    @property
    def first_user_text(self) -> str:
        """The text of the conversation's first user message."""
        return next((text_of(message) for message in self.messages if message["role"] == "user"), "")

    @property
    def results(self) -> list[str]:
        """The text of every tool message so far, oldest first."""
        return [text_of(message) for message in self.messages if message["role"] == "tool"]

    @property
    def answered(self) -> int:
        """How often the model has answered in this conversation."""
        return sum(message["role"] == "assistant" for message in self.messages)


Step = str | Answer | After | Sequence[Call] | Callable[[Request], "Step"]
Script = Sequence[Step]
Rule = Callable[[Json], Json | None]


def text_of(message: Json) -> str:
    """A message's text, whether its content is a string or a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class ScriptedModel:
    """An OpenAI-compatible server on a free loopback port; a context manager.

    `scripts` maps a part of a first user message to the script that its conversation follows, the first match wins; a
    bare list is the script of every conversation. Requests without tools (titles, summaries) get `auxiliary` and no
    step. Each rule sees a request's body and returns the error body of a 400 answer, or None where it has no objection.
    With `log`, every request is also appended to that file, one JSON object `{"path", "body"}` a line.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script] | Script = (),
        *,
        rules: Sequence[Rule] = (),
        auxiliary: str = AUXILIARY_ANSWER,
        log: Path | None = None,
        port: int = 0,
    ) -> None:
        self.scripts = dict(scripts) if isinstance(scripts, Mapping) else {"": scripts}
        self.rules = rules
        self.auxiliary = auxiliary
        self.requests: list[Request] = []
        self.refusals: list[Json] = []
        self._log = log
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True

    @property
    def base_url(self) -> str:
        """The provider's base URL, `/v1` included."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def turns(self) -> list[Request]:
        """The requests that offered tools: one for each step, plus repeated ones."""
        return [request for request in self.requests if request.tools]

    def conversation(self, key: str) -> list[Request]:
        """The turns of the conversations whose first user message contains `key`."""
        return [request for request in self.turns if key in request.first_user_text]

    def start(self) -> ScriptedModel:
        """Serve in a background thread."""
        threading.Thread(target=self._server.serve_forever, name="scripted-model", daemon=True).start()
        return self

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        self._server.serve_forever()

    def stop(self) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> ScriptedModel:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def refusal(self, request: Request) -> Json | None:
        """Record a request and return the error body of the first rule that objects to it."""
        with self._lock:
            self.requests.append(request)
            if self._log:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"path": request.path, "body": request.body}) + "\n")
        for rule in self.rules:
            if error := rule(request.body):
                self.refusals.append(error)
                return error
        return None

    def answer(self, request: Request) -> Answer:
        """What the script says to a request, every call with an id."""
        if not request.tools:
            return Answer(self.auxiliary)
        step = self._step(request)
        while callable(step) or isinstance(step, After):
            step = step(request) if callable(step) else self._wait(step)
        if isinstance(step, str):
            return Answer(step)
        answer = step if isinstance(step, Answer) else Answer(calls=tuple(step))
        calls = (Call(call.name, call.arguments, call.id or f"call_{next(self._ids)}") for call in answer.calls)
        return Answer(answer.text, tuple(calls))

    def _wait(self, after: After) -> Step:
        deadline = time.monotonic() + WAIT
        while len(self.conversation(after.conversation)) < after.turns and time.monotonic() < deadline:
            time.sleep(0.05)
        return after.then

    def _step(self, request: Request) -> Step:
        script = next((script for key, script in self.scripts.items() if key in request.first_user_text), ())
        return script[request.answered] if request.answered < len(script) else SCRIPT_ENDED


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            entry = {"id": "scripted-model", "object": "model", "created": 0, "owned_by": "testing"}
            self._send_json(200, {"object": "list", "data": [entry]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            if not self.path.endswith("/chat/completions"):
                self._send_json(404, {"error": {"message": f"no such endpoint: {self.path}"}})
                return
            request = Request(self.path, body)
            if error := model.refusal(request):
                self._send_json(400, error)
            elif body.get("stream"):
                self._send_events(_chunks(request, model.answer(request)))
            else:
                self._send_json(200, _completion(request, model.answer(request)))

        def _send_json(self, status: int, payload: Json) -> None:
            data = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _send_events(self, events: Iterator[Json]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in events:
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _usage(request: Request) -> Json:
    """Token counts at four characters a token; providers count more exactly, nothing here depends on it."""
    prompt = len(json.dumps(request.body)) // 4
    return {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}


def _completion(request: Request, answer: Answer) -> Json:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.encoded()}}
        for call in answer.calls
    ]
    message = {"role": "assistant", "content": answer.text or None} | ({"tool_calls": calls} if calls else {})
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.body.get("model", "scripted-model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": _usage(request),
    }


def _chunks(request: Request, answer: Answer) -> Iterator[Json]:
    def chunk(delta: Json, finish: str | None = None) -> Json:
        return {
            "id": "chatcmpl-scripted",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": request.body.get("model", "scripted-model"),
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    yield chunk({"role": "assistant", "content": ""})
    if answer.text:
        yield chunk({"content": answer.text})
    for index, call in enumerate(answer.calls):
        # Name first, arguments in two pieces: the order in which real providers stream a call.
        encoded = call.encoded()
        head = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield chunk({"tool_calls": [head]})
        for piece in (encoded[: len(encoded) // 2], encoded[len(encoded) // 2 :]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if answer.calls else "stop")
    yield chunk({}) | {"choices": [], "usage": _usage(request)}


def _step_from_json(step: str | list[Json]) -> Step:
    return step if isinstance(step, str) else [Call(call["name"], call.get("arguments", {})) for call in step]


def main(argv: Sequence[str] | None = None) -> None:
    """Serve scripts from a JSON file, `{"part of a first user message": ["text" | [{"name", "arguments"}], …]}`."""
    parser = argparse.ArgumentParser(prog="python -m testing.scripted_model", description=main.__doc__)
    parser.add_argument("scripts", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--log", type=Path, help="append every request to this JSON-lines file")
    options = parser.parse_args(argv)
    scripts = {
        key: [_step_from_json(step) for step in script]
        for key, script in json.loads(options.scripts.read_text(encoding="utf-8")).items()
    }
    model = ScriptedModel(scripts, log=options.log, port=options.port)
    print(model.base_url, flush=True)
    try:
        model.serve_forever()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
