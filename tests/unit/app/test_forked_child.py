"""A forked child uses what its parent holds, even where a thread of the parent held a lock at the fork."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MEMORY_STORE = """
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.records import a_row
held = MemoryStore()
use = lambda: [fate.value for fate in held.append([a_row(id="child")]).unwrap()]
"""

REPEATS = """
from groundtrace_app.tools.repeats import Repeats
held = Repeats()
held.begin("s-1", "pool size")
use = lambda: [type(held.begin("s-1", "pool size")).__name__]
"""

MARKDOWN = """
import asyncio, pathlib
from groundtrace.sources import KnowledgeQuery
from groundtrace_adapters.sources.markdown import MarkdownKnowledgeSource
pathlib.Path("pool.md").write_text("# Pool\\n\\nThe pool is exhausted: raise its size.\\n")
held = MarkdownKnowledgeSource(".", index_path="index.db")
found = lambda: asyncio.run(held.search(KnowledgeQuery(query="pool exhausted"))).unwrap()
use = lambda: [one.entry for one in found().passages]
use()
"""

FORK = """
import os, signal, threading
locked, done = threading.Event(), threading.Event()
def hold():
    with held._lock:
        locked.set()
        done.wait(20)
threading.Thread(target=hold, daemon=True).start()
locked.wait(20)
child = os.fork()
if child == 0:
    signal.alarm(15)
    print(use(), flush=True)
    os._exit(0)
_, status = os.waitpid(child, 0)
done.set()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize(
    ("made", "given"),
    [
        pytest.param(MEMORY_STORE, "['stored']", id="memory_store"),
        pytest.param(REPEATS, "['Lead']", id="repeats"),
        pytest.param(MARKDOWN, "['pool.md']", id="markdown"),
    ],
)
def test_a_child_is_not_held_by_what_a_thread_of_its_parent_held(made: str, given: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", made + FORK],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
        timeout=60,
    )
    assert (done.stdout.splitlines(), done.stderr) == ([given, "0"], "")
