"""What a process that ended amounts to: its exit code declares, for some commands as an answer."""

from __future__ import annotations

import json
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Outcome, OutcomeKind


def ran(args: str | list[str], code: int, stdout: str | None = "", stderr: str | None = "") -> Outcome:
    """What a process amounts to; as an object and as a text it has to be the same."""
    found = classify_output(CompletedProcess(args, code, stdout, stderr))
    told = {"command": args, "exit_code": code, "stdout": stdout, "stderr": stderr}
    assert classify_output(told) == classify_output(json.dumps(told)) == found
    assert found.basis is Basis.DECLARED or outcomes.kind_of(found) is OutcomeKind.NO_EVIDENCE
    return found


def nothing(outcome: Outcome, /) -> NoEvidenceReason:
    assert isinstance(outcome, outcomes.NoEvidence)
    return outcome.reason


NOTHING_FOUND: list[str | list[str]] = [
    ["grep", "-rn", "refused", "/var/log"],
    ["/usr/bin/rg", "--json", "refused"],
    ["pgrep", "nginx"],
    ["git", "-C", "/srv/app", "grep", "TODO"],
    ["sh", "-c", "grep refused app.log"],
    ["bash", "-lc", "cat app.log | grep 'refused | reset'"],
    ["sudo", "-u", "app", "grep", "refused", "app.log"],
    ["timeout", "-k", "1", "5", "grep", "refused", "app.log"],
    ["env", "LC_ALL=C", "grep", "refused", "app.log"],
    ["kubectl", "-n", "shop", "exec", "cart-0", "-c", "app", "--", "grep", "refused", "/log"],
    ["docker", "exec", "-u", "root", "cart", "grep", "refused", "/log"],
    ["ssh", "-p", "22", "db-1", "grep refused /log | grep -v health"],
    "LC_ALL=C grep refused app.log 2>/dev/null",
    "journalctl -u cart | grep -i refused",
    "cd /var/log && grep refused app.log",
    "date; grep refused app.log",
]


@pytest.mark.parametrize("args", NOTHING_FOUND, ids=lambda args: args if isinstance(args, str) else " ".join(args))
def test_a_search_that_ends_with_1_found_nothing(args: str | list[str]) -> None:
    outcome = ran(args, 1)
    assert nothing(outcome) is NoEvidenceReason.NO_MATCH


@pytest.mark.parametrize(
    "args",
    [
        "make build && grep refused build.log",
        "set -e; ./check.sh; grep refused app.log",
        "set -o pipefail; ./dump.sh | grep refused",
        ["bash", "-euo", "pipefail", "-c", "./dump.sh | grep refused"],
        ["sh", "-ec", "./check.sh; grep refused app.log"],
    ],
)
def test_where_another_command_may_have_ended_it_a_search_proves_nothing(args: str | list[str]) -> None:
    assert nothing(ran(args, 1)) is NoEvidenceReason.PARTIAL_EMPTY


@pytest.mark.parametrize(
    "said", ['Error from server (NotFound): pods "cart-9" not found', "cat: app.log: no such file"]
)
def test_a_search_that_complains_proves_nothing(said: str) -> None:
    outcome = ran("kubectl logs cart-9 | grep refused", 1, stderr=said)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.PARTIAL_EMPTY, (said,))


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ("kubectl logs cart-9 2>/dev/null | grep refused", 1),
        ("journalctl -u cart 2>&1 | grep -i refused", 1),
        ("sh -c 'dmesg |& grep oom'", 1),
        ("grep refused none.log 2>/dev/null || true", 0),
    ],
)
def test_where_complaints_are_thrown_away_an_empty_output_proves_nothing(args: str, code: int) -> None:
    assert nothing(ran(args, code)) is NoEvidenceReason.PARTIAL_EMPTY


def test_where_stderr_is_not_captured_a_pipeline_that_is_empty_proves_nothing() -> None:
    assert nothing(ran("kubectl logs cart-9 | grep refused", 1, "", None)) is NoEvidenceReason.PARTIAL_EMPTY
    assert nothing(ran("grep refused app.log", 1, "", None)) is NoEvidenceReason.NO_MATCH


def test_what_a_client_says_of_the_code_itself_is_no_complaint() -> None:
    args = ["kubectl", "exec", "cart-0", "--", "grep", "refused", "/log"]
    assert nothing(ran(args, 1, stderr="command terminated with exit code 1\n")) is NoEvidenceReason.NO_MATCH


@pytest.mark.parametrize(
    ("args", "code", "stdout"),
    [
        (["diff", "a.yaml", "b.yaml"], 1, "1c1\n< a\n---\n> b\n"),
        (["git", "diff", "--exit-code"], 1, "-a\n+b\n"),
        (["kubectl", "diff", "-f", "x.yaml"], 1, "+  replicas: 3\n"),
        (["terraform", "plan", "-detailed-exitcode"], 2, "Plan: 1 to add"),
        (["python3", "-m", "pytest", "-q"], 1, "1 failed, 3 passed"),
        (["systemctl", "is-active", "cart"], 3, "inactive\n"),
        (["grep", "-c", "refused", "app.log"], 1, "0\n"),
        (["ping", "-c", "1", "10.0.0.9"], 1, "1 packets transmitted, 0 received"),
    ],
)
def test_a_code_that_is_an_answer_leaves_the_output_as_evidence(args: list[str], code: int, stdout: str) -> None:
    outcome = ran(args, code, stdout)
    assert outcome == outcomes.Success(support=outcomes.Support.INDIRECT, output=stdout)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["cmp", "-s", "a", "b"], 1),
        (["test", "-f", "/x"], 1),
        (["[", "-f", "/x", "]"], 0),
        (["grep", "-q", "x", "f"], 0),
    ],
)
def test_an_answer_by_code_alone_is_kept_as_that(args: list[str], code: int) -> None:
    outcome = ran(args, code)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.output == f"exit code {code}"


@pytest.mark.parametrize(
    ("args", "code", "stdout", "stderr"),
    [
        (["grep", "-r", "refused", "/"], 2, "/log:refused\n", "grep: /proc/1: Permission denied\n"),
        (["find", "/var"], 1, "/var/log\n", "find: '/var/lib/x': Permission denied\n"),
        ("journalctl | tail -5", 0, "line\n", "Failed to open /var/log/journal/x\n"),
    ],
)
def test_what_it_could_not_see_makes_it_partial(args: str | list[str], code: int, stdout: str, stderr: str) -> None:
    outcome = ran(args, code, stdout, stderr)
    assert isinstance(outcome, outcomes.Success)
    assert stderr.strip() in outcome.partial[0]
    assert outcome.output == f"{stdout}\n[stderr]\n{stderr}"


@pytest.mark.parametrize(
    ("args", "code", "kind", "words"),
    [
        (["grep", "refused", "none.log"], 2, FailureKind.ERROR, "exit code 2: grep: none.log: no such file"),
        (["ls", "/none"], 2, FailureKind.ERROR, "exit code 2: ls"),
        (["make"], 1, FailureKind.ERROR, "exit code 1: make"),
        (["curl", "https://db.test"], 28, FailureKind.TIMEOUT, "exit code 28: it timed out; curl"),
        (["curl", "https://db.test"], 7, FailureKind.UNAVAILABLE, "could not be reached"),
        (["ssh", "db-1", "uptime"], 127, FailureKind.UNAVAILABLE, "not found"),
        (["timeout", "5", "./dump"], 124, FailureKind.TIMEOUT, "it timed out"),
        (["timeout", "-s", "KILL", "5", "./dump"], 137, FailureKind.TIMEOUT, "ended by SIGKILL"),
        (["./dump"], 126, FailureKind.DENIED, "may not be executed"),
        (["./dump"], 127, FailureKind.UNAVAILABLE, "not found"),
        (["./dump"], 137, FailureKind.ERROR, "ended by SIGKILL (by hand, or for want of memory)"),
        (["./dump"], -9, FailureKind.ERROR, "ended by SIGKILL"),
        (["./dump"], -15, FailureKind.CANCELLED, "ended by SIGTERM"),
        (["./dump"], -11, FailureKind.ERROR, "ended by SIGSEGV"),
        (["./dump"], -64, FailureKind.ERROR, "ended by signal 64"),
        (["grep", "x", "f"], -2, FailureKind.CANCELLED, "ended by SIGINT"),
    ],
)
def test_any_other_code_is_a_failure_that_keeps_what_was_said(
    args: list[str], code: int, kind: FailureKind, words: str
) -> None:
    stdout = "" if code == 2 else "part 1"
    outcome = ran(args, code, stdout, f"{args[0]}: none.log: no such file")
    assert isinstance(outcome, outcomes.Failure)
    assert outcome.kind is kind
    assert words in outcome.message
    assert "no such file" in outcome.message
    stderr = f"{args[0]}: none.log: no such file"
    assert outcome.output == (f"{stdout}\n[stderr]\n{stderr}" if stdout else stderr)


def test_a_failure_without_stderr_says_what_came_last() -> None:
    outcome = ran(["make"], 2, "cc -c a.c\na.c:1: error: no main")
    assert isinstance(outcome, outcomes.Failure)
    assert "no main" in outcome.message


@pytest.mark.parametrize(
    "args", ["if grep -q x f; then echo y; fi", "grep $(cat p) f", "grep x <<E\na\nE", "for f in *; do grep x $f; done"]
)
def test_where_the_shell_is_not_read_no_code_is_an_answer(args: str) -> None:
    assert isinstance(ran(args, 1), outcomes.Failure)


@pytest.mark.parametrize(
    ("tool", "stdout"),
    [
        (
            "query_logs",
            '2026-03-08T12:00:01Z level=error msg="no route to host"\n2026-03-08T12:00:02Z level=fatal panic',
        ),
        ("query_logs", "build finished: 0 errors, 0 warnings"),
        ("query_metrics", "error_budget_remaining 0.97"),
        ("query_logs", '{"bytes":413,"port":429,"max_tokens":16384,"timeout":5}'),
        ("run_check", "SYNTAX OK\n"),
        ("lookup_knowledge", "Error: ECONNREFUSED - what it means\n1. Look at the port"),
        ("query_logs", 'Traceback (most recent call last):\n  File "w.py", line 3\nValueError: bad'),
        ("query_logs", "401 Unauthorized user=u-17 path=/login (12 events)"),
    ],
)
def test_words_of_failure_in_the_output_of_a_good_end_are_evidence(tool: str, stdout: str) -> None:
    """Field case C06."""
    outcome = ran([tool], 0, stdout)
    assert outcome == outcomes.Success(support=outcomes.Support.INDIRECT, output=stdout)


@pytest.mark.parametrize("stdout", ["", " \n", "[]", "No resources found in shop namespace.", '{"items":[]}'])
def test_a_good_end_with_nothing_is_no_evidence(stdout: str) -> None:
    assert nothing(ran(["kubectl", "get", "pods"], 0, stdout)) is NoEvidenceReason.EMPTY_RESULT


def test_a_good_end_that_speaks_on_stderr_alone_is_read_there() -> None:
    assert nothing(ran(["kubectl", "get", "pods"], 0, "", "No resources found in shop namespace.\n"))
    found = ran(["nginx", "-t"], 0, "", "nginx: configuration file test is successful")
    assert isinstance(found, outcomes.Success)


def test_a_pipeline_that_ends_well_after_a_complaint_proves_nothing() -> None:
    outcome = ran("kubectl logs cart-9 | head -5", 0, "", "Error from server (NotFound)")
    assert nothing(outcome) is NoEvidenceReason.PARTIAL_EMPTY


def test_an_output_that_nobody_captured_is_no_evidence() -> None:
    outcome = classify_output(CompletedProcess(["uptime"], 0))
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.partial == ("the output of the command was not captured",)


def test_a_process_in_bytes_and_one_that_looks_like_it_are_read() -> None:
    assert isinstance(classify_output(CompletedProcess(["grep", "x"], 1, b"", b"")), outcomes.NoEvidence)
    alike = SimpleNamespace(returncode=3, stdout="", stderr="no route to host")
    assert isinstance(classify_output(alike), outcomes.Failure)


@pytest.mark.parametrize(
    "row", [{"exit_code": 1, "pod": "cart-0"}, {"exit_code": "1", "stdout": "x"}, {"code": 1, "stdout": "x"}]
)
def test_a_row_that_tells_of_exit_codes_is_data(row: dict[str, object]) -> None:
    assert isinstance(classify_output(row), outcomes.Success)


WORDS = st.sampled_from(
    ["grep", "sudo", "sh", "-c", "|", "&&", ";", "'", '"', "\\", "2>&1", "timeout", "5", "$(", "x=y", "exec", "--"]
)


@given(st.lists(WORDS, max_size=8), st.integers(-70, 300), st.sampled_from(["", "out"]), st.sampled_from(["", "err"]))
def test_whatever_ran_has_one_outcome_and_a_strange_code_is_never_a_proof(
    words: list[str], code: int, stdout: str, stderr: str
) -> None:
    for args in (words, " ".join(words)):
        outcome = classify_output(CompletedProcess(args, code, stdout, stderr))
        if code not in {0, 1, 2}:
            assert isinstance(outcome, outcomes.Failure)


def test_a_long_line_of_a_shell_takes_linear_time() -> None:
    for text in ("'" * 19_999, "a " * 9_999, '"\\' * 9_999, "\\" * 19_999, "a|" * 9_999, "((" * 9_999):
        assert isinstance(classify_output(CompletedProcess(text, 3, "", "")), outcomes.Failure)


@pytest.mark.parametrize(
    ("flag", "kind"),
    [
        ("timed_out", FailureKind.TIMEOUT),
        ("timedOut", FailureKind.TIMEOUT),
        ("interrupted", FailureKind.CANCELLED),
    ],
)
def test_a_process_without_a_code_that_did_not_come_to_its_end_is_a_failure(flag: str, kind: FailureKind) -> None:
    outcome = classify_output({"stdout": "line 1", "stderr": "still waiting", "exit_code": None, flag: True})
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.output) == (kind, "line 1\n[stderr]\nstill waiting")
    assert "still waiting" in outcome.message


def test_a_process_that_says_that_it_was_not_interrupted_is_what_it_gave() -> None:
    assert isinstance(classify_output({"stdout": "3 lines", "stderr": "", "interrupted": False}), outcomes.Success)
