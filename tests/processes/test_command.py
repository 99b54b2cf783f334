"""The command as a process: streams that close or fill, any locale, missing extras, interrupts, a quick start."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir
from io import BytesIO
from pathlib import Path

import pytest

from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.cli import run
from groundtrace_app.cli.record import record_lines
from groundtrace_testing.command import DRAFT, command, environment, line_of, lines_of, ran, script, small_incident

BAD_INPUT, UNAVAILABLE, WITHHELD, INTERRUPTED = 2, 3, 6, 130

pytestmark = pytest.mark.processes

STRANGE = "caf\u00e9 \u6f22\u5b57 \U0001f600"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log, and a store with one session whose texts are strange; made once."""
    made = tmp_path_factory.mktemp("recorded")
    small_incident(made)
    calls = BytesIO(lines_of(line_of("a", output=STRANGE), line_of("b")))
    assert record_lines(calls, flags={"store": str(made / "groundtrace.db")}) == 0
    return made


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def shell(
    folder: Path, line: str, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line, "bash", *command(*words)],
        cwd=folder,
        env=environment(env),
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("words", [("show", "inc-7"), ("record", "--schema")])
def test_a_reader_that_leaves_is_no_fault(folder: Path, words: tuple[str, ...]) -> None:
    done = shell(folder, '"$@" | true; echo "${PIPESTATUS[0]}"', *words)
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_a_full_output_is_one_line_and_an_exit_code(folder: Path) -> None:
    done = shell(folder, '"$@" >/dev/full', "show", "inc-7")
    assert done.returncode == UNAVAILABLE
    assert done.stderr.startswith(b"groundtrace: standard output: cannot be written")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_closed_streams_break_nothing(folder: Path, closed: str) -> None:
    done = shell(folder, f'"$@" {closed}', "show", "inc-7")
    assert (done.returncode, done.stderr) == (0, b"")


ASCII = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(("env", "form"), [(ASCII, []), (ASCII, ["--json"]), ({"LC_ALL": "C", "PYTHONUTF8": "0"}, [])])
def test_any_locale_shows_any_text(folder: Path, env: dict[str, str], form: list[str]) -> None:
    shown = ran("show", "inc-7", *form, folder=folder, env=env)
    assert (shown.code, shown.err) == (0, "")
    assert "caf" in shown.out
    assert not form or json.loads(shown.out)["rows"][0]["output_preview"] == STRANGE


@pytest.mark.parametrize(
    ("module", "words", "extra"),
    [
        ("typer", ("sessions",), "groundtrace[cli]"),
        ("rich", ("show", "inc-7"), "groundtrace[cli]"),
        ("psycopg", ("sessions", "--store", "postgresql://127.0.0.1:1/x"), "groundtrace[postgres]"),
        ("psycopg_pool", ("sessions", "--store", "postgresql://127.0.0.1:1/x"), "groundtrace[postgres]"),
    ],
)
def test_a_missing_extra_is_one_line_that_says_how_to_install_it(
    folder: Path, module: str, words: tuple[str, ...], extra: str
) -> None:
    done = without(module, folder, *words)
    assert done.returncode == BAD_INPUT
    assert extra in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("groundtrace: ")


def test_without_re2_literal_patterns_work_and_an_expression_says_what_to_install(folder: Path) -> None:
    call = ("call", "query_logs")
    found = without("re2", folder, *call, '{"pattern": "failover"}', "--logs", "db.log")
    assert (found.returncode, found.stderr) == (0, "")
    refused = without("re2", folder, *call, '{"pattern": "fail.*", "regex": true}', "--logs", "db.log")
    assert refused.returncode == UNAVAILABLE
    assert "groundtrace[logs]" in refused.stderr


def without(module: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in an interpreter in which `module` cannot be found, as where its extra is not installed."""
    program = (
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {module!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
        "import importlib.util\n"
        "find = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, package=None: None if name == {module!r} else find(name, package)\n"
        "from groundtrace_app.cli import main\n"
        "main()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def _interrupts() -> Iterator[None]:
    """What is started hears of interrupts, even where the tests run in the background of a shell and hear of none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupts")
@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_the_middle_of_a_question_leaves_row_and_evaluation(
    folder: Path, request_to_end: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    model = script(folder, executor=[{"hang": True}])
    words = command(
        "ask", "did db fail over?", "--logs", "db.log", "--model", model, "--session", "cut", "--store", "c.db"
    )
    process = subprocess.Popen(words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_row(folder, process)
    process.send_signal(request_to_end)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (INTERRUPTED, b"")
    assert err.strip() == b"groundtrace: interrupted; what was recorded until then is kept"
    assert run(["show", "cut", "--json", "--store", str(folder / "c.db")]) == 0
    kept = json.loads(capfd.readouterr().out)
    assert [row["tool_name"] for row in kept["rows"]] == ["query_logs"]
    assert [(one["decision"], one["cause"]) for one in kept["evaluations"]] == [("LOW_CONFID", "cancelled")]


def wait_for_row(folder: Path, process: subprocess.Popen[bytes]) -> None:
    store = SqliteStore(folder / "c.db", read_only=True)
    until = time.monotonic() + 30
    while not store.rows("cut").value_or(()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "no row within 30 s"
        time.sleep(0.02)
    store.close()


WAITING = """
import os, signal, sys, threading, time
from groundtrace_app.cli.interrupts import hear_interrupts
from groundtrace_app.cli.streams import one_line_faults

class Finalized:
    def __del__(self):
        raise KeyboardInterrupt

def take(request):
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), request)

hear_interrupts()
one_line_faults()
try:
    {asking}
    {waiting}
except KeyboardInterrupt:
    print("interrupted")
"""
TAKEN_BY_A_THREAD = "threading.Thread(target=take, args=(signal.{},)).start()"
ASKING = {
    "an interrupt that a thread takes": TAKEN_BY_A_THREAD.format("SIGINT"),
    "a request to end that a thread takes": TAKEN_BY_A_THREAD.format("SIGTERM"),
    "an interrupt that a finalizer drops": "Finalized()",
}


@pytest.mark.usefixtures("_interrupts")
@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING.keys())
@pytest.mark.parametrize("waiting", ["threading.Event().wait()", "os.read(os.pipe()[0], 1)"], ids=["lock", "pipe"])
def test_an_interrupt_reaches_the_main_thread_wherever_it_waits(asking: str, waiting: str) -> None:
    program = WAITING.format(asking=asking, waiting=waiting)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.usefixtures("_interrupts")
def test_an_interrupted_recording_keeps_what_was_read(folder: Path) -> None:
    process = subprocess.Popen(
        command("record", "--store", "c.db"),
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(lines_of(line_of("a", session_id="cut")))
    process.stdin.flush()
    wait_for_row(folder, process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (INTERRUPTED, b"1 stored, 0 spooled, 0 refused\n")


def test_a_pipe_hears_no_progress_and_a_terminal_does(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = script(folder, verifier=[{"text": '{"verdict": "REJECT"}'}])
    words = ("ask", "did db fail over?", "--logs", "db.log", "--model", model)
    with chdir(folder):
        assert run(words) == WITHHELD
    assert capfd.readouterr().err == ""
    heard = on_terminal(folder, *words)
    assert b"checking the answer" in heard
    assert heard.endswith(b"\r\x1b[2K")
    assert DRAFT.encode() not in heard


def test_a_step_that_takes_long_is_seen_to_go_on(folder: Path) -> None:
    waiting = (
        "import time; from groundtrace_app.cli.progress import ProgressLine\n"
        "with ProgressLine() as line: line.tell('asking query_logs'); time.sleep(2.4)"
    )
    heard = on_terminal(folder, program=[sys.executable, "-c", waiting]).decode()
    first, *later = [shown.strip() for shown in heard.split("\r\x1b[2K") if shown.strip()]
    assert first == "asking query_logs"
    assert later[0] in {f"asking query_logs ({seconds} s)" for seconds in (1, 2)}
    assert heard.endswith("\r\x1b[2K")


def on_terminal(folder: Path, *words: str, program: list[str] | None = None) -> bytes:
    """Run the command, or another program, with a terminal as standard error; return all that it showed there."""
    ours, theirs = pty.openpty()
    env = environment({"TERM": "xterm"})
    run_it = program or command(*words)
    with subprocess.Popen(run_it, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        heard = b""
        while select.select([ours], [], [], 30)[0]:
            try:
                part = os.read(ours, 65_536)
            except OSError:
                break
            if not part:
                break
            heard += part
        process.wait(timeout=30)
    os.close(ours)
    return heard


def test_help_loads_none_of_the_parts_that_work() -> None:
    program = (
        "import sys; from groundtrace_app.cli import run; run(['--help']); "
        "print(*sorted({'pydantic', 'rich', 'sqlite3', 'asyncio', 'returns', 'groundtrace'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=60, check=True
    )
    assert "doctor" in done.stdout
    assert not {"pydantic", "sqlite3", "returns", "groundtrace"} & set(done.stdout.splitlines()[-1].split())


def test_the_version_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    out, err = capfd.readouterr()
    assert (out.startswith("groundtrace"), out.count("\n"), err) == (True, 1, "")


def test_each_line_of_help_is_whole() -> None:
    done = subprocess.run(command("--help"), env=environment(), capture_output=True, text=True, timeout=60, check=True)
    usage, *lines = done.stdout.splitlines()
    assert usage == "Usage: groundtrace [OPTIONS] COMMAND [ARGS]..."
    assert not [line for line in lines if line.endswith("...") or len(line) > 80]
