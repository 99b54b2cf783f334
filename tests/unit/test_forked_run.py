"""`pytest --forks` tells what came of each test, also of one that took its worker with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import groundtrace_testing

_SUPPORT = Path(groundtrace_testing.__file__).parent.parent
_TESTS = """
import os, sys, warnings
from pathlib import Path
import pytest

as_imported = sys.stderr

@pytest.fixture(scope="session")
def start():
    yield os.getpid()
    print("the session of", os.getpid(), "is over")

@pytest.mark.parametrize("number", range(40))
def test_passes(number, start, tmp_path, capfd):
    assert start == os.getpid() != os.getppid()
    assert tmp_path.parent.name.startswith("fork-") and not list(tmp_path.iterdir())
    os.write(1, b"written")
    assert capfd.readouterr().out == "written"
    assert as_imported.fileno() > 2

def test_fails():
    print("seen before the end")
    assert {"a": 1} == {"a": 2}

def test_is_left_out():
    pytest.skip("no reason")

@pytest.mark.filterwarnings("default")
def test_warns():
    warnings.warn("a warning", DeprecationWarning, stacklevel=1)

def test_ends_its_process():
    os._exit(3)
"""


def test_each_test_ends_in_one_of_the_forks_and_is_counted(tmp_path: Path) -> None:
    said = _pytest(tmp_path, _TESTS, "--forks", "3", "--basetemp", str(tmp_path / "base"))
    assert said.returncode == pytest.ExitCode.TESTS_FAILED, said.stdout
    assert "2 failed, 41 passed, 1 skipped, 1 warning" in said.stdout
    assert "the process that was to run this test ended before the test did" in said.stdout
    assert "seen before the end" in said.stdout
    assert "DeprecationWarning: a warning" in said.stdout
    assert said.stderr == ""


def test_a_run_may_end_at_its_first_failure(tmp_path: Path) -> None:
    tests = "import pytest\n\n@pytest.mark.parametrize('n', range(500))\ndef test_fails(n):\n    assert not n\n"
    said = _pytest(tmp_path, tests, "--forks", "2", "-x")
    assert said.returncode == pytest.ExitCode.TESTS_FAILED, said.stdout
    assert "1 failed" in said.stdout
    assert "stopping after 1 failures" in said.stdout


def _pytest(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_some.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-p", "groundtrace_testing.forked_run", "-q", *options]
    environment = {"PYTHONPATH": str(_SUPPORT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
