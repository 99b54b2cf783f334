"""`groundtrace store` as a process: interrupts and what goes on behind them, terminals that are asked, flat memory."""

import gzip
import os
import pty
import signal
import subprocess
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from groundtrace.upkeep import Cursor
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.store_file import open_export
from groundtrace_testing.command import command, environment, ran
from groundtrace_testing.records import NOON, a_row, an_evaluation

DONE, BAD_INPUT, INTERRUPTED = 0, 2, 130
ROWS = 1_200

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some thousand rows with long outputs; read only by these tests."""
    path = tmp_path_factory.mktemp("large") / "large.db"
    opened = SqliteStore(path)
    rows = [
        a_row(session_id=f"s{number // 20:04}", id=f"{number:05}", output_preview="caf\u00e9 " * 300)
        for number in range(ROWS)
    ]
    opened.append(rows).unwrap()
    opened.upkeep().save_all([an_evaluation(session_id=f"s{number:04}") for number in range(ROWS // 20)]).unwrap()
    opened.close()
    return path


@pytest.fixture(scope="module")
def whole(store: Path) -> bytes:
    """What an export that nothing interrupts writes."""
    folder = store.parent
    assert ran("store", "export", "whole.jsonl", "--store", str(store), folder=folder).code == DONE
    return (folder / "whole.jsonl").read_bytes()


def ended_early(words: Sequence[str], folder: Path, seen: Path, size: int, sign: signal.Signals) -> int | None:
    """Run until `seen` is that large, then end it; None if an export was whole by then, though it may say otherwise."""
    with subprocess.Popen(
        command(*words), cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None and not (seen.exists() and seen.stat().st_size > size):
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(sign)
        code = process.wait(timeout=30)
    return code if (folder / f"{seen.name}.progress").exists() else None


@pytest.mark.parametrize(
    ("sign", "name"),
    [
        (signal.SIGINT, "out.jsonl"),
        (signal.SIGKILL, "out.jsonl.gz"),
    ],
)
def test_an_interrupted_export_goes_on_without_a_repeated_or_lost_line(
    store: Path, whole: bytes, tmp_path: Path, sign: signal.Signals, name: str
) -> None:
    words, out = ("store", "export", name, "--store", str(store)), tmp_path / name
    size = 400_000 if name.endswith("l") else 2_000
    code = ended_early(words, tmp_path, out, size, sign)
    assert code in {INTERRUPTED, -signal.SIGKILL, None}
    if code is not None:
        assert (tmp_path / f"{name}.progress").exists()
        done = ran(*words, folder=tmp_path)
        assert (done.code, done.err) == (DONE, "")
        assert done.out.startswith(f"{name} is whole: 1,260 lines")
    written = out.read_bytes()
    assert (gzip.decompress(written) if name.endswith("gz") else written) == whole
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_half_written_part_is_cut_off_before_the_export_goes_on(store: Path, whole: bytes, tmp_path: Path) -> None:
    words, out = ("store", "export", "out.jsonl", "--store", str(store)), tmp_path / "out.jsonl"
    if ended_early(words, tmp_path, out, 400_000, signal.SIGKILL) is not None:
        with out.open("ab") as held:
            held.write(b'{"record": "torn')
        assert ran(*words, folder=tmp_path).code == DONE
    assert out.read_bytes() == whole


def test_an_export_that_was_begun_with_other_options_is_not_mixed(store: Path, tmp_path: Path) -> None:
    words, out = ("store", "export", "out.jsonl", "--store", str(store)), tmp_path / "out.jsonl"
    for _ in range(10):
        # One that was whole before it could be interrupted is tried again.
        if ended_early(words, tmp_path, out, 1, signal.SIGINT) is not None:
            break
        out.unlink()
    assert (tmp_path / "out.jsonl.progress").exists()
    done = ran(*words, "--reveal-withheld", folder=tmp_path)
    assert (done.code, done.out) == (BAD_INPUT, "")
    assert "this export was begun with other options, or from another store; repeat those, remove both" in done.err


def test_two_exports_do_not_write_one_file(store: Path, tmp_path: Path) -> None:
    held = open_export(tmp_path / "out.jsonl", Cursor(), "").unwrap()
    done = ran("store", "export", "out.jsonl", "--store", str(store), folder=tmp_path)
    held.close()
    assert (done.code, done.err.partition(";")[0]) == (
        BAD_INPUT,
        "groundtrace: out.jsonl: another export is writing it",
    )


def test_a_reader_that_leaves_is_no_fault(store: Path, tmp_path: Path) -> None:
    line = ' "$@" | head -n 1'
    done = subprocess.run(
        ["bash", "-c", line, "bash", *command("store", "export", "--store", str(store))],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


def test_an_interrupted_load_is_whole_after_it_was_run_again(store: Path, whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(whole)
    words = ("store", "load", "in.jsonl", "--store", "copy.db")
    ended_early(words, tmp_path, tmp_path / "copy.db-wal", 200_000, signal.SIGINT)
    done = ran(*words, folder=tmp_path)
    assert (done.code, done.out) == (DONE, "1,260 stored, 0 conflicts, 0 withheld, 0 refused\n")
    again = ran("store", "export", "--store", "copy.db", folder=tmp_path)
    assert again.out.encode() == whole


def test_lines_in_another_locale_are_utf_8_all_the_same(store: Path, tmp_path: Path) -> None:
    env = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = ran("store", "export", "--store", str(store), "--session", "s0001", folder=tmp_path, env=env)
    assert "caf\u00e9" in done.out


def _on_a_terminal(words: Sequence[str], folder: Path, answer: bytes) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    with subprocess.Popen(
        command(*words), cwd=folder, env=environment(), stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(theirs)
        out, err = process.communicate(timeout=60)
    os.close(ours)
    return process.returncode, (out + err).decode()


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 2), (b"\n", 2), (b"y\n", 0), (b"yes\n", 0)])
def test_a_terminal_is_asked_before_anything_goes(tmp_path: Path, answer: bytes, left: int) -> None:
    opened = SqliteStore(tmp_path / "groundtrace.db")
    opened.append([a_row(id=name, started_at=NOON - timedelta(days=900)) for name in "ab"]).unwrap()
    code, said = _on_a_terminal(("store", "prune", "--older-than", "90d"), tmp_path, answer)
    assert code == DONE
    assert "with 2 calls and 0 decisions, would be removed for good." in said
    assert ("Nothing was removed." in said, "Removed 1 session" in said) == (left == 2, left == 0)
    assert len(opened.rows("acme/outage").unwrap()) == left
    opened.close()


def test_a_terminal_that_said_yes_is_not_asked(tmp_path: Path) -> None:
    opened = SqliteStore(tmp_path / "groundtrace.db")
    opened.append([a_row(started_at=NOON - timedelta(days=900))]).unwrap()
    code, said = _on_a_terminal(("store", "prune", "--older-than", "90d", "--yes"), tmp_path, b"")
    assert (code, "Remove them?" in said) == (DONE, False)
    assert opened.rows("acme/outage").unwrap() == ()
    opened.close()
