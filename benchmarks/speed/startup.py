"""What the plugin costs a session that has nothing to defer: `python -m benchmarks.speed.startup`.

Processor time of everything of the plugin, in a real one-shot turn of a real Hermes without MCP servers: its imports
and registration, and what it does until the turn has ended. Needs the hosts of ``testing.hosts``.
"""

from __future__ import annotations

import compileall
import json
import statistics
import tempfile
from pathlib import Path

from benchmarks import common
from testing import hosts
from testing.hermes_home import HermesHome
from testing.scripted_model import ScriptedModel

HOSTS = ("0.19.0", "0.22.2.post1")
TURNS = 7

TURN = """
import atexit, functools, json, sys, threading, time
import gc
import tools.tool_search  # the host's own, which it imports in every session: not our cost
gc.disable()  # a collection of the host's whole heap falls into anybody's time

spent = {"registration": 0.0, "turn": 0.0}
here = threading.local()  # since: when the plugin took over in this thread, None while the host runs

def book():
    now = time.thread_time()
    spent[here.part] += now - here.since
    here.since = now

def ours(function, part="turn"):
    @functools.wraps(function)
    def timed(*args, **kwargs):
        if getattr(here, "since", None) is not None:
            return function(*args, **kwargs)
        here.since, here.part = time.thread_time(), part
        try:
            return function(*args, **kwargs)
        finally:
            book()
            here.since = None
    return timed

def theirs(function):
    @functools.wraps(function)
    def untimed(*args, **kwargs):
        since = getattr(here, "since", None)
        if since is None:
            return function(*args, **kwargs)
        book()
        here.since = None
        try:
            return function(*args, **kwargs)
        finally:
            here.since = time.thread_time()
    return untimed

def register(ctx):
    import hermes_plugin_toolsearch
    from hermes_plugin_toolsearch.hermes import plugin, seams
    wrap = seams.wrap
    def timed_wrap(owner, name, wrapper, *, seam):
        return wrap(owner, name, ours(lambda original, *a, **k: wrapper(theirs(original), *a, **k)), seam=seam)
    seams.wrap = timed_wrap
    seams.install_on_agent = ours(seams.install_on_agent)
    plugin.turn_note = ours(plugin.turn_note)
    kept(ctx)
    try:
        from hermes_plugin_toolsearch.hermes import assembly_hook
        assembly_hook.draft = ours(assembly_hook.draft)
    except ImportError:
        pass

import hermes_plugin_toolsearch
kept = hermes_plugin_toolsearch.register
hermes_plugin_toolsearch.register = ours(register, "registration")
atexit.register(lambda: print("SPENT " + json.dumps(spent), file=sys.stderr, flush=True))
sys.argv = ["hermes", "chat", "-t", "file,terminal", "-q", "Hello"]
from hermes_cli.main import main
main()
"""


def measure(version: str) -> dict[str, float]:
    """Milliseconds of registration and of the turn, medians of ``TURNS`` processes after one that warms the disk."""
    host = hosts.get(version)
    compileall.compile_dir(hosts.ROOT / "hermes_plugin_toolsearch", quiet=2)  # as an installation does
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(["Hello."] * (TURNS + 1)) as model:
        home = HermesHome(Path(folder), host, model)
        for turn in range(TURNS + 1):
            run = home.python(TURN)
            line = next((line for line in run.stderr.splitlines() if line.startswith("SPENT ")), None)
            if line is None:
                raise RuntimeError(f"the turn did not end: {run.stderr[-500:]}")
            for part, seconds in json.loads(line.removeprefix("SPENT ")).items() if turn else ():
                found.setdefault(part, []).append(1000 * seconds)
    return {part: statistics.median(values) for part, values in found.items()}


def loads_nothing(version: str) -> bool:
    """Whether ``hermes --version`` runs without a line of the plugin."""
    host = hosts.get(version)
    with tempfile.TemporaryDirectory() as folder, ScriptedModel() as model:
        home = HermesHome(Path(folder), host, model)
        run = home.run([str(host.python), "-X", "importtime", str(host.command()), "--version"])
    return version.partition(".post")[0] in run.stdout and "hermes_plugin_toolsearch." not in run.stderr


def report() -> str:
    """The section's Markdown: a row a host."""
    rows = []
    for version in HOSTS:
        spent = measure(version)
        idle = "nothing" if loads_nothing(version) else "its import"
        rows.append([version, f"{spent['registration']:.0f} ms", f"{spent['turn']:.0f} ms", idle])
    text = (
        "**Start-up**: processor time of all of the plugin in a one-shot turn without MCP servers, toolsets "
        "`file,terminal`. Hermes 0.19 then has nothing to defer. 0.22 defers tools of its own in every session: its "
        "turn includes a listing, and the host's own making of the array where the plugin asks for it."
    )
    return f"{text}\n\n{common.table(['Hermes', 'to register', 'in the turn', '`hermes --version`'], rows)}"


if __name__ == "__main__":
    print(report())
