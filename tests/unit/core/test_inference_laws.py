"""Laws of inference: total, never DIRECT, words inside a long answer decide nothing, hostile text costs little."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.inference import FLAGGED_FAILED, FLAGGED_FINE, infer
from groundtrace.inference.pointers import ONLY_A_PATH
from groundtrace.outcomes import Basis, DedupReason, FailureKind, OutcomeKind, Support, kind_of
from groundtrace.transcripts.events import Returned

ONE_MB = 1_000_000
"""Enough: a search that goes back and forth takes some 10^12 steps here, minutes at the least."""
SECONDS = 2.0
"""A bound that no machine misses, and that no search that goes back and forth keeps."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.lists(
    st.sampled_from(
        ["no", "error:", "not found", "0", "results", "/a/b", "{", "'", "failed", "\n", ".", "|", "stdout:"]
    )
).map(" ".join)


def seen_in(output: object, *, tool: str = "ask", arguments: object = None, **told: object) -> outcomes.Outcome:
    """What a call amounts to that came back with an output, and whatever its peer told beside it."""
    returned = Returned(place="", call_id=None, output=output, **told)  # type: ignore[arg-type]
    return infer(returned, tool_name=tool, arguments=arguments)


@given(VALUES | WORDS, st.text(max_size=10), VALUES)
def test_whatever_came_back_there_is_an_outcome_and_no_success_is_direct(
    output: object, tool: str, arguments: object
) -> None:
    seen = seen_in(output, tool=tool, arguments=arguments)
    assert not isinstance(seen, outcomes.Success) or seen.support is Support.INDIRECT


@given(WORDS)
def test_words_inside_a_long_answer_decide_nothing(words: str) -> None:
    lines = "\n".join(f"2026-01-02T10:00:{second:02} api handled the order in {second} ms" for second in range(60))
    assert kind_of(seen_in(f"{lines}\n{words}\n{lines}")) is OutcomeKind.SUCCESS


@pytest.mark.parametrize(
    "unit", ["a", " ", "\n", "no ", "Error: ", "{", "[", "'", "<a ", "a/", "| ", "not found ", "Output: ", "stdout:\n"]
)
def test_a_megabyte_of_one_thing_takes_no_time(unit: str) -> None:
    text = unit * (ONE_MB // len(unit))
    began = process_time()
    seen_in(text)
    assert process_time() - began < SECONDS


@pytest.mark.parametrize("length", [390, 590, 3_990, 31_000, 60_000])
@pytest.mark.parametrize(
    "head", ["", "no ", "Error ", "the ", "Traceback (most recent call last):\n", "Output saved to "]
)
def test_no_text_as_long_as_a_rule_reads_makes_it_go_back_and_forth(head: str, length: int) -> None:
    began = process_time()
    for unit in ("a ", "a", "no a ", "has no ", "a.b/", "x: ", "failed ", "not found ", "a. ", "\\'", "in a "):
        seen_in(f"{head}{unit * (length // len(unit))}\x01", tool="bash", arguments={"command": "a", "b": "abc"})
    assert process_time() - began < SECONDS


def test_a_peer_s_flag_stands_beside_what_the_body_says() -> None:
    failed = seen_in("Error from server (NotFound): pods not found", failed=False)
    assert isinstance(failed, outcomes.Failure)
    assert FLAGGED_FINE in failed.message
    empty = seen_in("No results found", failed=True)
    assert isinstance(empty, outcomes.NoEvidence)
    assert empty.partial == (FLAGGED_FAILED,)
    told = seen_in("12 rows", failed=True, kind=FailureKind.TIMEOUT)
    assert (kind_of(told), getattr(told, "kind", None)) == (OutcomeKind.FAILURE, FailureKind.TIMEOUT)


def test_a_call_without_a_result_is_not_recorded() -> None:
    seen = seen_in(None)
    assert isinstance(seen, outcomes.Failure)
    assert seen.kind is FailureKind.NOT_RECORDED


def test_a_refused_repeat_is_a_repeat_and_no_failure() -> None:
    seen = seen_in("Refusing to run this call: it was already made with the same arguments.", failed=True)
    assert seen == outcomes.Deduped(reason=DedupReason.REFUSED_REPEAT, of=(), basis=Basis.INFERRED)


@pytest.mark.parametrize(
    ("command", "code", "kind"),
    [
        ("grep kiwi app.log", 1, OutcomeKind.NO_EVIDENCE),
        ("kubectl get pods", 1, OutcomeKind.FAILURE),
        ("grep kiwi app.log", 2, OutcomeKind.FAILURE),
    ],
)
def test_an_exit_code_is_read_by_its_command(command: str, code: int, kind: OutcomeKind) -> None:
    assert kind_of(seen_in("", tool="bash", arguments={"command": command}, exit_code=code)) is kind


def test_an_error_beside_data_is_a_warning() -> None:
    body = json.dumps({"error": "one shard is away", "response": {"rows": [{"id": 1}]}})
    seen = seen_in(body)
    assert isinstance(seen, outcomes.Success)
    assert seen.partial == ("its tool reported an error beside the data: one shard is away",)


@pytest.mark.parametrize("tool", ["write_file", "list_files", "get_download_url"])
def test_a_path_is_an_answer_where_a_path_was_asked_for(tool: str) -> None:
    seen = seen_in("/srv/data/kiwi.csv", tool=tool)
    assert isinstance(seen, outcomes.Success)
    assert ONLY_A_PATH not in seen.partial


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ('{"detail":"Method Not Allowed"}\n---\n{"stage":"ready"}', OutcomeKind.FAILURE),
        ('{"stage":"ready"}\n---\n{"detail":"Method Not Allowed"}', OutcomeKind.SUCCESS),
        ('{"detail":"Oslo"}\n---\n{"stage":"ready"}', OutcomeKind.SUCCESS),
    ],
)
def test_a_command_of_several_parts_is_judged_by_the_first(output: str, kind: OutcomeKind) -> None:
    command = 'curl -s http://shop/ | head -5; echo "---"; curl -s http://shop/stage'
    assert kind_of(seen_in(output, tool="bash", arguments={"command": command})) is kind
