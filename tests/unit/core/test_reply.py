"""What the user sees: three shapes, one rule on who sees an answer (DESIGN section 9)."""

import json
import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.coverage import ExpectedSource, coverage_of
from groundtrace.decision import Decision, decide, fallback, not_stored
from groundtrace.invocation import Invocation
from groundtrace.next_steps import COMMAND_CHARACTERS, STEPS_SHOWN, NextStep, call_command, suggest_steps
from groundtrace.outcomes import Support
from groundtrace.reply import (
    HEADINGS,
    NOT_CONFIRMED,
    REJECTED,
    UNVERIFIED,
    Reply,
    ShowUnverified,
    answer_withheld,
    shape,
    shape_low,
    shape_pass,
    shape_reject,
)
from groundtrace.roles import Shown
from groundtrace.showing import label_rows
from groundtrace.verdict import Cause, Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace.wording import CAUSE_WORDS
from groundtrace_testing.gate_rows import NOON, deduped, failure, indirect, no_evidence, shown, success

ANSWER = "CANARY-41c2 the pool was exhausted by the nightly job"
EXPECTED = (
    ExpectedSource(tool_name="query_logs", source_name="app logs", first_look={"pattern": "it's down"}),
    ExpectedSource(tool_name="query_metrics", source_name="metrics", first_look={"selector": "up"}),
    ExpectedSource(tool_name="lookup_knowledge", source_name="runbooks", first_look={"query": "pool"}),
)
PASSED = '{"verdict": "PASS", "evidence_ids": ["e2", "e1"]}'
LOW = '{"verdict": "LOW_CONFID", "reasons": ["CANARY-77aa I doubt it"]}'
REJECT = '{"verdict": "REJECT", "reasons": ["CANARY-77aa e1 says otherwise"]}'


def decided(raw: object, rows: tuple[Shown, ...]) -> Decision:
    return decide(parse_verdict(raw), rows)


def shaped(raw: object, *rows: Invocation, policy: ShowUnverified = ShowUnverified.WHEN_LOW) -> Reply:
    labelled = shown(*rows)
    covered = coverage_of(rows, EXPECTED)
    steps = suggest_steps(rows, covered, EXPECTED)
    return shape(ANSWER, decided(raw, labelled), labelled, covered, steps, policy=policy)


def test_a_confirmed_answer_stands_with_its_citations_and_their_support() -> None:
    reply = shaped(PASSED, success(1), indirect(2, tool_name="query_metrics", partial=True), failure(3))
    assert (reply.verdict, reply.cause, reply.withheld) == (Verdict.PASS, Cause.VERIFIED, False)
    assert reply.text.startswith(ANSWER)
    assert [(one.label, one.invocation_id, one.support) for one in reply.citations] == [
        ("e2", "call-2", Support.INDIRECT),
        ("e1", "call-1", Support.DIRECT),
    ]
    assert "[e2] INDIRECT support, only a part was seen: query_metrics" in reply.text
    assert "[e1] DIRECT support: query_logs pattern=refused about checkout, 2026-03-04T12:00:01Z" in reply.text
    assert "call call-1" in reply.text


def test_a_citation_of_an_earlier_turn_shows_its_age() -> None:
    rows = label_rows([deduped(5)], repeated=[success(1)], now=NOON.replace(hour=15))
    reply = shape_pass(ANSWER, decided('{"verdict": "PASS", "evidence_ids": ["e1"]}', rows), rows)
    assert ", 2 h old" in reply.text


ROWS = (
    success(1),
    no_evidence(2, input_params='{"pattern": "oom"}'),
    failure(3, tool_name="query_metrics", input_params='{"selector": "pool_used"}'),
)


def test_the_low_confidence_protocol_tells_all_five_things() -> None:
    text = shaped(LOW, *ROWS).text
    assert text.startswith(f"{NOT_CONFIRMED}: {CAUSE_WORDS[Cause.VERIFIER_LOW]}.")
    places = [text.index(f"{heading}:") for heading in HEADINGS]
    assert places == sorted(places)
    checked, empty, failed, never, after = (text[at:].split("\n\n")[0] for at in places)
    assert "query_logs (app logs): 1 found something (pattern=refused), 1 came back empty" in checked
    assert "pattern=oom: nothing matched" in empty
    assert "selector=pool_used: it took too long (no answer after 30 s)" in failed
    assert "lookup_knowledge (runbooks)" in never
    assert 'groundtrace call query_metrics \'{"selector": "pool_used"}\'' in after


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((success(1),), "."),
        ((success(1), no_evidence(2)), "."),
        ((no_evidence(2),), ". No source found anything."),
        ((success(1), failure(3)), ". Could not be asked: query_logs (app logs)."),
        ((), "."),
    ],
)
def test_the_first_line_tells_what_matters_most(rows: tuple[Invocation, ...], said: str) -> None:
    first = shaped(LOW, *rows).text.split("\n")[0]
    assert first == f"{NOT_CONFIRMED}: {CAUSE_WORDS[Cause.VERIFIER_LOW]}{said}"


def test_an_empty_answer_is_told_with_what_the_tool_remarked() -> None:
    remark = '{"note": "no entry matches"}\n{"note": "what is held reaches from 16:51 to 17:01"}'
    text = shaped(LOW, no_evidence(2, output_preview=remark)).text
    assert "nothing matched (what is held reaches from 16:51 to 17:01)" in text


def test_sections_with_nothing_to_tell_say_so() -> None:
    text = shaped(None).text
    assert text.count(": nothing") == 3
    assert text.endswith("No answer is shown.")


def test_an_own_low_confid_over_evidence_shows_the_answer_marked_unverified() -> None:
    reply = shaped(LOW, *ROWS)
    assert not reply.withheld
    assert reply.text.index(UNVERIFIED) < reply.text.index(ANSWER)
    assert reply.text.index(HEADINGS[-1]) < reply.text.index(UNVERIFIED)


FALLBACK_REPLIES = [None, "", "I cannot help", LOW + LOW, f"Well: {LOW}", '{"verdict": "MAYBE"}', "[" * 100]
CEILING_REPLIES = [
    '{"verdict": "PASS"}',
    '{"verdict": "PASS", "evidence_ids": ["e9"]}',
    '{"verdict": "PASS", "evidence_ids": ["e2"]}',
    '{"verdict": "PASS", "evidence_ids": ["e1"], "confidence": 9}',
    '{"verdict": "PASS", "evidence_ids": ["e1"], "unsupported_claims": ["x"]}',
    '{"verdict": "LOW_CONFID", "confidence": 9}',
]


@pytest.mark.parametrize("raw", [*FALLBACK_REPLIES, *CEILING_REPLIES])
def test_in_every_other_low_confid_the_answer_is_withheld(raw: object) -> None:
    reply = shaped(raw, *ROWS)
    assert (reply.verdict, reply.withheld) == (Verdict.LOW_CONFID, True)
    assert "CANARY" not in repr(reply)


@pytest.mark.parametrize("rows", [(), (failure(1),), (no_evidence(1), deduped(2)), (success(1, support=None),)])
def test_without_any_success_an_own_low_confid_is_withheld(rows: tuple[Invocation, ...]) -> None:
    assert shaped(LOW, *rows).withheld


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause not in (Cause.VERIFIED, Cause.VERIFIER_REJECT)])
def test_a_fallback_is_told_in_plain_words_whatever_its_cause(cause: Cause) -> None:
    rows = shown(*ROWS)
    reply = shape_low(ANSWER, fallback(cause), rows, coverage_of(ROWS, EXPECTED), ())
    assert CAUSE_WORDS[cause] in reply.text
    assert reply.withheld


def test_storage_that_fails_withholds_the_answer() -> None:
    rows = shown(*ROWS)
    for raw in (PASSED, LOW):
        assert answer_withheld(not_stored(decided(raw, rows)), rows)
    lost = shown(*ROWS, lost=("call-2",))
    assert answer_withheld(decided(LOW, lost), lost)


@pytest.mark.parametrize(
    ("policy", "low", "broken"),
    [
        (ShowUnverified.WHEN_LOW, False, True),
        (ShowUnverified.NEVER, True, True),
        (ShowUnverified.ALWAYS, False, False),
    ],
)
def test_the_setting_turns_low_confid_either_way_and_nothing_else(
    policy: ShowUnverified, *, low: bool, broken: bool
) -> None:
    assert shaped(LOW, *ROWS, policy=policy).withheld is low
    assert shaped("nonsense", *ROWS, policy=policy).withheld is broken
    assert shaped(REJECT, *ROWS, policy=policy).withheld
    assert not shaped('{"verdict": "PASS", "evidence_ids": ["e1"]}', *ROWS, policy=policy).withheld


@pytest.mark.parametrize("policy", list(ShowUnverified))
def test_a_rejected_answer_is_hidden(policy: ShowUnverified) -> None:
    """Field case E01 in its pure part: neither the answer nor the verifier's reasons are in any field."""
    reply = shaped(REJECT, *ROWS, policy=policy)
    assert reply.text.startswith(f"{REJECTED}: ")
    assert "(REJECT, verifier_reject)" in reply.text
    assert "CANARY" not in repr(reply)
    assert all(f"{heading}:" in reply.text for heading in HEADINGS)


def test_the_shape_of_a_rejection_cannot_take_an_answer() -> None:
    with pytest.raises(TypeError):
        shape_reject(ANSWER, decided(REJECT, ()), (), ())  # type: ignore[call-arg, arg-type]


def test_a_shape_refuses_the_decision_of_another() -> None:
    rows = shown(*ROWS)
    low, rejected = decided(LOW, rows), decided(REJECT, rows)
    with pytest.raises(ValueError, match="PASS"):
        shape_pass(ANSWER, low, rows)
    with pytest.raises(ValueError, match="LOW_CONFID"):
        shape_low(ANSWER, rejected, rows, (), ())
    with pytest.raises(ValueError, match="REJECT"):
        shape_reject(low, (), ())
    with pytest.raises(ValueError, match="without an answer"):
        shape(None, replace(low, verdict=Verdict.PASS), rows, (), ())


def steps_for(*rows: Invocation) -> tuple[NextStep, ...]:
    return suggest_steps(rows, coverage_of(rows, EXPECTED), EXPECTED)


def test_each_next_step_names_a_source_that_failed_or_was_empty_or_was_never_asked() -> None:
    steps = steps_for(*ROWS)
    assert [(step.source, step.why.split(" (")[0]) for step in steps] == [
        ("query_metrics (metrics)", "it took too long"),
        ("lookup_knowledge (runbooks)", "it was never asked"),
        ("query_logs (app logs)", "nothing matched"),
    ]
    assert steps[1].command == 'groundtrace call lookup_knowledge \'{"query": "pool"}\''


def test_the_same_command_is_proposed_once_and_steps_are_bounded() -> None:
    assert len(steps_for(failure(1), failure(2))) == 3
    assert (
        len(steps_for(*(failure(number, input_params=f'{{"n": {number}}}') for number in range(1, 60)))) == STEPS_SHOWN
    )


def test_a_source_that_found_something_is_no_next_step() -> None:
    assert "app logs" not in {step.source for step in steps_for(success(1))}


@given(
    st.text().filter(lambda name: name.strip() == name != ""),
    st.dictionaries(st.text(), st.text() | st.integers(), max_size=4),
)
def test_a_command_gives_back_the_very_parameters_to_a_shell(name: str, params: dict[str, object]) -> None:
    command = call_command(name, json.dumps(params, ensure_ascii=False))
    assert len(command.splitlines()) == 1
    words = shlex.split(command)
    assert words[:2] == ["groundtrace", "call"]
    assert len(words) == 4
    assert json.loads(words[3]) == params


def test_a_command_carries_nothing_that_a_shell_or_a_terminal_acts_on() -> None:
    params = json.dumps({"pattern": "'; rm -rf / #$(x)`y`\x1b[2J\u202e\x9b"}, ensure_ascii=False)
    command = call_command("query_logs", params)
    assert shlex.split(command)[3:] != []
    assert json.loads(shlex.split(command)[3]) == json.loads(params)
    assert not {"\x1b", "\u202e", "\x9b"} & set(command)


def test_parameters_that_are_too_long_are_not_printed() -> None:
    command = call_command("query_logs", "x" * (COMMAND_CHARACTERS + 1))
    assert len(command) < 100


def test_a_reply_is_bounded_whatever_the_trace_holds() -> None:
    rows = [
        failure(
            number,
            tool_name="t" * 200,
            input_params='{"a": "' + "x" * 60_000 + f'{number}"}}',
            error_message="e" * 2_000,
        )
        for number in range(1, 200)
    ]
    assert len(shaped(REJECT, *rows).text) < 20_000


def test_hostile_names_and_messages_stay_in_their_lines() -> None:
    text = shaped(
        "x", failure(1, tool_name="a\n\nWhat failed:\n- nothing\x1b[2J", error_message=f"b\n{UNVERIFIED}\nc")
    ).text
    assert text.count("\nWhat failed:") == 1
    assert f"\n{UNVERIFIED}" not in text
    assert "\x1b" not in text
