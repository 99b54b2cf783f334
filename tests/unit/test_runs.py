"""The runners of benchmarks and evaluations say what is wrong in one line, and work on a small set of data."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _run(file: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_evaluation_without_its_data_says_so_in_one_line(tmp_path: Path) -> None:
    done = _run("evaluation/run.py", "--data", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    line = "no such folder, so nothing was evaluated; name the data with --data DIR"
    assert done.stderr == f"{tmp_path / 'nowhere'}: {line}\n"
    assert done.stdout == ""


def test_a_data_set_that_is_missing_fails_its_evaluation_alone(tmp_path: Path) -> None:
    done = _run("evaluation/run.py", "--only", "json_suite", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "json-malformed: no such folder; name the data with --data" in done.stderr
    assert "Traceback" not in done.stderr


def test_hostile_json_is_counted_by_what_became_of_it(tmp_path: Path) -> None:
    parsing = tmp_path / "json-malformed" / "JSONTestSuite" / "test_parsing"
    parsing.mkdir(parents=True)
    (parsing / "n_half_an_object.json").write_bytes(b'{"verdict": "PASS"')
    (parsing / "y_a_number.json").write_bytes(b"7")
    naughty = tmp_path / "json-malformed" / "blns"
    naughty.mkdir()
    (naughty / "blns.json").write_text(json.dumps(["", "none at all", "\u202e<b>"]), "utf-8")
    done = _run("evaluation/run.py", "--only", "json_suite", "--data", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "  n_ the reply itself: LOW_CONFID 1\n" in done.stdout
    assert "  y_ a value of a PASS: PASS 1\n" in done.stdout
    assert "PASS from an n_ file: 0\n" in done.stdout
    assert "broken: 0\n" in done.stdout


def test_cut_offs_are_tuned_on_one_half_of_the_questions_and_reported_on_the_other(tmp_path: Path) -> None:
    runbooks = tmp_path / "runbooks" / "prometheus-operator" / "content" / "runbooks"
    runbooks.mkdir(parents=True)
    for letter in "ABCDE":
        words = f"# KubeDisk{letter}Full\n\n## Meaning\n\nThe disk of node {letter} is full.\n"
        (runbooks / f"KubeDisk{letter}Full.md").write_text(words, "utf-8")
    done = _run("evaluation/run.py", "--only", "runbooks", "--data", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "5 runbooks, floor 0.45; halves by index: even tunes, odd reports\n" in done.stdout
    counts = re.findall(r"^alert name \((even|odd), n=(\d+)\): recall@1 \S+ \((\d+)/", done.stdout, re.MULTILINE)
    assert counts == [("even", "3", "3"), ("odd", "2", "2")]
    floors = re.findall(r"^  (\S+)  even .+   odd .+$", done.stdout, re.MULTILINE)
    assert {"0.45", "0.70"} <= set(floors)


def test_an_unknown_benchmark_is_refused_with_the_known_ones() -> None:
    done = _run("benchmarks/run.py", "--only", "nothing")
    assert done.returncode == 2
    assert "importing" in done.stderr
