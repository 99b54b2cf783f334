"""The command `groundtrace` for tests: as a process of its own, and over a small incident with scripted roles."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DRAFT = "CANARY-5b1e the primary was rebooted by hand at 03:12"
REASON = "CANARY-90dd e1 does not say so"
PLAN = '{"calls": [{"tool": "query_logs", "params": {"pattern": "failover", "app": "db"}}]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a process of the command ended."""

    code: int
    out: str
    err: str


def environment(more: Mapping[str, str] | None = None, /) -> dict[str, str]:
    """The environment of a process that finds what this one imports, and holds no setting of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDTRACE_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1", **(more or {})}


def command(*words: str) -> list[str]:
    """The words that start the command as a process."""
    return [sys.executable, "-m", "groundtrace_app", *words]


def ran(
    *words: str, folder: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, seconds: float = 60
) -> Ran:
    """Run the command in `folder` and return how it ended."""
    done = subprocess.run(
        command(*words),
        cwd=folder,
        input=stdin,
        env=environment(env),
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout.decode("utf-8"), err=done.stderr.decode("utf-8"))


@contextmanager
def variable(name: str, value: str, /) -> Iterator[None]:
    """Set one variable of this process's environment for a command that runs in it."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def line_of(call_id: str | None = "c-1", /, **changed: object) -> str:
    """One line of `record`; a change of None leaves a key out."""
    members: dict[str, object] = {
        "id": call_id,
        "session_id": "inc-7",
        "tool_name": "query_logs",
        "input_params": {"pattern": "refused", "app": "shop"},
        "started_at": "2026-05-04T10:00:00Z",
        "duration_ms": 12,
        "output": "10:00:00 shop refused",
        "outcome": {"kind": "success", "support": "DIRECT"},
        **changed,
    }
    return json.dumps({name: value for name, value in members.items() if value is not None})


def lines_of(*lines: str) -> bytes:
    """Lines as standard input gives them."""
    return "".join(f"{line}\n" for line in lines).encode()


def small_incident(folder: Path) -> Path:
    """Make a log with one failover of `db` and return it."""
    log = folder / "db.log"
    log.write_text(
        "2026-05-04T03:11:58Z app=db checkpoint complete\n2026-05-04T03:12:00Z app=db failover to db-1 finished\n"
    )
    return log


def script(folder: Path, /, *, verifier: Sequence[object] = (), executor: Sequence[object] = (DRAFT,)) -> str:
    """Write a script of one call, this draft and these verifier's replies; return the model's name."""
    roles = {"planner": [PLAN, '{"calls": []}'], "executor": list(executor), "verifier": list(verifier)}
    place = folder / "script.json"
    place.write_text(json.dumps(roles))
    return f"script:{place}"


def verdict(word: str, *labels: str) -> str:
    """A verifier's reply."""
    return json.dumps({"verdict": word, "evidence_ids": list(labels), "reasons": [REASON]})
