r"""A throw-away Hermes home and every way to run Hermes in it: one-shot, chat, resume, gateway, ACP, and plain Python.

    with ScriptedModel(["Hello."]) as model:
        home = HermesHome(tmp_path, hosts.get(), model, servers={"time": replay("time.json")})
        run = home.oneshot("Say hello")
        assert run.stdout == "Hello.\n"
        assert "mcp__time__convert_time" in run.turns[0].tool_names

Nothing outside the home is read or written, no key is needed, and every process that was started is ended.
"""

from __future__ import annotations

import json
import os
import queue
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .hosts import Host
from .scripted_model import Json, Request, ScriptedModel

REPLAY_SCRIPT = Path(__file__).with_name("replay_mcp.py")
TIMEOUT = 120.0  # seconds; a turn takes about five, four times as long on a loaded machine
API_KEY = secrets.token_hex(16)  # the gateway refuses one that could be guessed
DEAD_PROXY = "http://127.0.0.1:9"  # whatever leaves the machine fails at once


def replay(catalog: Path, *options: str) -> Json:
    """The `mcp_servers` entry of a server that replays a catalog file; options as `replay_mcp.py --help` lists them."""
    return {"command": sys.executable, "args": [str(REPLAY_SCRIPT), str(catalog), *options]}


@dataclass(frozen=True, slots=True)
class Run:
    """What a finished Hermes process left behind."""

    returncode: int
    stdout: str
    stderr: str
    requests: list[Request]

    @property
    def turns(self) -> list[Request]:
        """The requests that offered tools to the model."""
        return [request for request in self.requests if request.tools]

    @property
    def session_id(self) -> str:
        """The id that `hermes chat` prints at its end, for `HermesHome.resume`."""
        match = re.search(r"\b\d{8}_\d{6}_[0-9a-f]+\b", self.stdout + self.stderr)
        if match is None:
            raise LookupError(f"no session id in:\n{self.stdout}\n{self.stderr}")
        return match[0]


class HermesHome:
    """A HERMES_HOME under `root` whose model is a `ScriptedModel` and whose MCP servers are `servers`.

    `tool_search` is what stands under `tools.tool_search`, None for nothing. `plugins` are the enabled plugins.
    `extra` is merged over the configuration, mapping by mapping. `home.config` may be changed, then written again by
    `write_config()`.
    """

    def __init__(
        self,
        root: Path,
        host: Host,
        model: ScriptedModel,
        *,
        servers: Mapping[str, Json] | None = None,
        tool_search: object = None,
        plugins: Sequence[str] = ("toolsearch",),
        context_length: int = 200_000,
        extra: Json | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.root = root
        self.host = host
        self.model = model
        self.path = root / "hermes_home"
        self.cwd = root / "work"
        self.path.mkdir(parents=True, exist_ok=True)
        self.cwd.mkdir(exist_ok=True)
        self.config: Json = {
            "model": {
                "provider": "custom",
                "default": "scripted-model",
                "base_url": model.base_url,
                "api_key": "unused",
                "context_length": context_length,
            },
            "plugins": {"enabled": list(plugins)},
            # No scanner and no package that Hermes would download: the attempt takes nine seconds of every start.
            "security": {"tirith_enabled": False, "allow_lazy_installs": False},
            # How long a start waits for its servers, on hosts that ask: a loaded machine needs more than 1.5 s.
            "mcp_discovery_timeout": 30,
            "mcp_servers": dict(servers or {}),
        }
        if tool_search is not None:
            self.config["tools"] = {"tool_search": tool_search}
        self.config = _merged(self.config, extra or {})
        self.env = {
            "PATH": f"{host.root / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(root),
            "HERMES_HOME": str(self.path),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "COLUMNS": "200",
            "https_proxy": DEAD_PROXY,
            "http_proxy": DEAD_PROXY,
            "no_proxy": "127.0.0.1,localhost",
            "PYTHONSAFEPATH": "1",  # the working folder never shadows Hermes' own modules
        } | dict(env or {})
        self.write_config()

    def write_config(self) -> None:
        """Write `config` to `config.yaml`."""
        (self.path / "config.yaml").write_text(yaml.safe_dump(self.config, sort_keys=False), encoding="utf-8")

    @property
    def log(self) -> str:
        """All of Hermes' log files, one after the other; empty before the first run."""
        files = sorted((self.path / "logs").glob("*.log"))
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)

    def oneshot(self, prompt: str, *options: str, **more: Any) -> Run:
        """`hermes -z PROMPT`: one turn, its answer alone on standard output."""
        return self.hermes(*options, "-z", prompt, **more)

    def chat(self, prompt: str, *options: str, **more: Any) -> Run:
        """`hermes chat -q PROMPT`: one turn with its activity feed on standard output."""
        return self.hermes("chat", *options, "-q", prompt, **more)

    def resume(self, session_id: str, prompt: str, *options: str, **more: Any) -> Run:
        """`hermes chat --resume ID -q PROMPT`: one more turn of an earlier session."""
        return self.chat(prompt, "--resume", session_id, *options, **more)

    def kanban_worker(self, title: str, prompt: str, *options: str) -> Run:
        """A one-shot turn as the worker of a new kanban card."""
        self.hermes("kanban", "init")
        card = json.loads(self.hermes("kanban", "create", "--json", title).stdout)
        return self.oneshot(prompt, *options, env={"HERMES_KANBAN_TASK": card["id"]})

    def hermes(self, *arguments: str, **more: Any) -> Run:
        """Any `hermes` command."""
        return self.run([str(self.host.command()), *arguments], **more)

    def python(self, source: str, **more: Any) -> Run:
        """A piece of Python inside the host's environment."""
        return self.run([str(self.host.python), "-c", source], **more)

    def run(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> Run:
        """Run a command in this home to its end.

        Raises:
            TimeoutError: it took longer than `timeout` seconds; what it had printed is in the message.

        """
        first = len(self.model.requests)
        with self._process(command, env, stderr=subprocess.PIPE) as process:
            try:
                stdout, stderr = process.communicate("", timeout=timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                stdout, stderr = process.communicate()
                raise TimeoutError(f"{command} ran over {timeout} s:\n{stdout}\n{stderr}\n{self.log}") from None
        return Run(process.returncode, stdout, stderr, self.model.requests[first:])

    @contextmanager
    def gateway(self, env: Mapping[str, str] | None = None) -> Iterator[Gateway]:
        """`hermes gateway run` with its API server on a free loopback port, from ready until the block ends."""
        port = _free_port()
        settings = {
            "API_SERVER_ENABLED": "true",
            "API_SERVER_KEY": API_KEY,
            "API_SERVER_HOST": "127.0.0.1",
            "API_SERVER_PORT": str(port),
        }
        command = [str(self.host.command()), "gateway", "run"]
        output = self.root / "gateway.out"
        with output.open("w") as file, self._process(command, settings | dict(env or {}), file, file) as process:
            gateway = Gateway(f"http://127.0.0.1:{port}")
            deadline = time.monotonic() + TIMEOUT
            while not gateway.is_ready():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the gateway did not start:\n{output.read_text()}\n{self.log}")
                time.sleep(0.2)
            yield gateway

    @contextmanager
    def acp(self, servers: Sequence[Json] = (), env: Mapping[str, str] | None = None) -> Iterator[AcpSession]:
        """A session of `hermes-acp`, the editor protocol; `servers` are the MCP servers that the client brings."""
        with (
            (self.root / "acp.err").open("w") as file,
            self._process([str(self.host.command("-acp"))], env, subprocess.PIPE, file) as process,
        ):
            yield AcpSession(process, self.cwd, servers)

    @contextmanager
    def _process(
        self, command: Sequence[str], env: Mapping[str, str] | None, stdout: Any = subprocess.PIPE, stderr: Any = None
    ) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            command,
            cwd=self.cwd,
            env=self.env | dict(env or {}),
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            yield process
        finally:
            _end(process)


class Gateway:
    """The API server of a running gateway."""

    def __init__(self, url: str) -> None:
        self.url = url

    def is_ready(self) -> bool:
        """Whether it answers."""
        with suppress(OSError):
            return self.get("/v1/models") is not None
        return False

    def get(self, path: str) -> Json:
        """GET a path, authorised."""
        return self._open(urllib.request.Request(self.url + path, headers=self._headers()))

    def post(self, path: str, body: Json, headers: Mapping[str, str] | None = None) -> Json:
        """POST JSON to a path, authorised."""
        data = json.dumps(body).encode()
        return self._open(urllib.request.Request(self.url + path, data, self._headers() | dict(headers or {})))

    def ask(self, prompt: str, **headers: str) -> str:
        """One turn in a new session; its answer."""
        body = {"model": "hermes", "messages": [{"role": "user", "content": prompt}]}
        return self.post("/v1/chat/completions", body, headers)["choices"][0]["message"]["content"]

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}

    def _open(self, request: urllib.request.Request) -> Json:
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.add_note(error.read().decode(errors="replace"))
            raise


class AcpSession:
    """The client's side of one ACP session: JSON-RPC, one message a line.

    `updates` collects the `session/update` notifications. Every permission that the agent asks for is recorded in
    `permissions` and answered with `decision`, an option's kind such as `allow_once` or `reject_once`.
    """

    def __init__(self, process: subprocess.Popen[str], cwd: Path, servers: Sequence[Json]) -> None:
        self.updates: list[Json] = []
        self.permissions: list[Json] = []
        self.decision = "allow_once"
        self._process = process
        self._messages: queue.Queue[Json | None] = queue.Queue()
        self._last_id = 0
        threading.Thread(target=self._read, name="acp-client", daemon=True).start()
        capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}}
        self.request("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        answer = self.request("session/new", {"cwd": str(cwd), "mcpServers": list(servers)})
        self.session_id = answer["sessionId"]

    def prompt(self, text: str) -> Json:
        """One turn; returns `{"stopReason": …}`."""
        content = [{"type": "text", "text": text}]
        return self.request("session/prompt", {"sessionId": self.session_id, "prompt": content})

    @property
    def text(self) -> str:
        """All that the agent has said so far."""
        chunks = [update for update in self.updates if update["sessionUpdate"] == "agent_message_chunk"]
        return "".join(chunk["content"]["text"] for chunk in chunks).strip()

    @property
    def tool_titles(self) -> list[str]:
        """The titles of the tool calls that the editor was shown."""
        return [update["title"] for update in self.updates if update["sessionUpdate"] == "tool_call"]

    def request(self, method: str, params: Json) -> Json:
        """Send a request and serve the agent's own requests until the answer is there."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + TIMEOUT
        while message := self._messages.get(timeout=max(0, deadline - time.monotonic())):
            if message.get("id") == self._last_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._serve(message)
        raise RuntimeError(f"the agent ended before it answered {method}")

    def _serve(self, message: Json) -> None:
        match message.get("method"):
            case "session/update":
                self.updates.append(message["params"]["update"])
            case "session/request_permission":
                self.permissions.append(message["params"])
                options = message["params"]["options"]
                chosen = next(option["optionId"] for option in options if option["kind"] == self.decision)
                self._send({"id": message["id"], "result": {"outcome": {"outcome": "selected", "optionId": chosen}}})

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.lstrip().startswith("{"):
                self._messages.put(json.loads(line))
        self._messages.put(None)

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


def _merged(base: Json, over: Json) -> Json:
    both = {key: _merged(base[key], over[key]) for key in base.keys() & over.keys() if isinstance(over[key], dict)}
    return base | over | both


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _descendants(pid: int) -> list[int]:
    """All processes under one, youngest last; MCP servers and terminals live in process groups of their own."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in table.splitlines()]
    found = [pid]
    for parent in found:
        found += [child for child, its_parent in pairs if its_parent == parent]
    return found[1:]


def _end(process: subprocess.Popen[str]) -> None:
    """End a process with all that it started: ask first, so that it can end its servers, then force."""
    started = [process.pid, *_descendants(process.pid)]
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
    for pid in started if process.poll() is None else started[1:]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
