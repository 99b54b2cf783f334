"""What an audit finds: how far the evidence of a session carries, and what its answer leaves unsaid."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.audit import SessionAudit, audit_session, least_first
from groundtrace.audit_rules import Rule
from groundtrace.entries import EvidenceLevel
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.mentions import doubt_mentioned, emptiness_mentioned, failure_mentioned
from groundtrace.statements import states_something
from groundtrace.summary import entries_of, summarize
from groundtrace.verdict import Cause, Verdict
from groundtrace_testing.gate_rows import deduped, failure, indirect, no_evidence, success
from groundtrace_testing.records import an_evaluation

QUIET = {Rule.NOT_VERIFIED}


def imported(text: str) -> Evaluation:
    """The record of an answer that another agent's user was given."""
    return an_evaluation(
        decision=Verdict.LOW_CONFID, cause=Cause.VERIFIER_DISABLED, withheld=False, shown=text, answer=text
    )


def audited(*rows: Invocation, answer: Evaluation | None = None, expected: tuple[str, ...] = ()) -> SessionAudit:
    answers = () if answer is None else (answer,)
    return audit_session("night-shift", entries_of(summarize(rows)), answers, expected=expected)


def rules(audit: SessionAudit) -> set[Rule]:
    return {one.rule for one in audit.findings} - QUIET


def tool(row: Invocation, name: str) -> Invocation:
    return replace(row, tool_name=name, input_fingerprint=row.id)


def test_direct_evidence_allows_a_pass_and_finds_nothing() -> None:
    audit = audited(success(1), answer=imported("The disk of db-1 filled up at 03:12."))
    assert (audit.level, audit.allowed, rules(audit)) == (EvidenceLevel.DIRECT, Verdict.PASS, set())
    assert audit.why == "1 of 1 call found something, at best DIRECT"


def test_a_confident_answer_over_no_evidence_is_the_gravest_of_an_unverified_session() -> None:
    """Field case E02."""
    audit = audited(failure(1), no_evidence(2), answer=imported("The cause is a bad deploy."))
    assert audit.allowed is Verdict.LOW_CONFID
    assert audit.why == "2 calls, and none found anything: 1 empty, 1 failed"
    assert audit.findings[0].rule is Rule.CONFIDENT_WITHOUT_EVIDENCE


def test_an_answer_that_admits_its_gap_is_not_called_confident() -> None:
    audit = audited(failure(1), answer=imported("The log search failed, so I could not determine the cause."))
    assert rules(audit) == set()


def test_a_pass_over_no_evidence_is_found_whoever_gave_it() -> None:
    passed = an_evaluation(decision=Verdict.PASS, cause=Cause.VERIFIED, withheld=False, shown="It was DNS.")
    assert Rule.PASS_WITHOUT_EVIDENCE in rules(audited(no_evidence(1), answer=passed))


def test_failures_that_the_answer_keeps_silent_about_are_named_by_tool() -> None:
    rows = [tool(success(1), "query_logs"), tool(failure(2), "query_metrics"), tool(failure(3), "query_metrics")]
    audit = audited(*rows, answer=imported("The disk filled up."))
    (found,) = [one for one in audit.findings if one.rule is Rule.UNMENTIONED_FAILURE]
    assert found.names == ("query_metrics (2)",)
    assert found.line == "calls failed, and the answer does not say so: query_metrics (2)"
    spoken = audited(*rows, answer=imported("The disk filled up. The metrics could not be read."))
    assert rules(spoken) == set()


def test_an_empty_source_beside_a_found_one_is_named_unless_the_same_source_found_something() -> None:
    rows = [tool(success(1), "query_logs"), tool(no_evidence(2), "query_metrics")]
    silent = audited(*rows, answer=imported("The disk filled up."))
    assert rules(silent) == {Rule.UNMENTIONED_EMPTY}
    found_later = audited(*rows, tool(success(3), "query_metrics"), answer=imported("The disk filled up."))
    assert rules(found_later) == set()


def test_silence_about_a_tool_that_is_ignored_is_no_finding() -> None:
    rows = (success(1), tool(failure(2), "shop/stock"), tool(no_evidence(3), "query_logs"))
    entries, answer = entries_of(summarize(rows)), imported("The disk of db-1 filled up at 03:12.")
    whole = audit_session("night-shift", entries, [answer])
    assert {Rule.UNMENTIONED_FAILURE} <= rules(whole)
    less = audit_session("night-shift", entries, [answer], ignored=("shop", "query_logs"))
    assert not {Rule.UNMENTIONED_FAILURE, Rule.UNMENTIONED_EMPTY} & rules(less)
    assert less.tools == whole.tools


def test_a_source_that_was_never_asked_is_named() -> None:
    audit = audited(success(1), answer=imported("Fine."), expected=("query_logs", "read_runbook"))
    (found,) = [one for one in audit.findings if one.rule is Rule.NEVER_ASKED]
    assert "read_runbook" in found.names


def test_repeats_hints_and_parts_are_told() -> None:
    assert Rule.REPEATS in rules(audited(success(1), deduped(2), answer=imported("Fine.")))
    assert Rule.INDIRECT_ONLY in rules(audited(indirect(1), answer=imported("Fine.")))
    assert Rule.PARTIAL_ONLY in rules(audited(indirect(1, partial=True), answer=imported("Fine.")))


def test_a_session_without_an_answer_says_so_and_nothing_about_what_it_mentions() -> None:
    assert rules(audited(failure(1))) == {Rule.NO_ANSWER}


def test_a_withheld_answer_is_not_judged_and_nothing_of_it_is_held() -> None:
    """Field case E05."""
    rejected = an_evaluation(
        decision=Verdict.REJECT, cause=Cause.VERIFIER_REJECT, withheld=True, answer="CANARY", shown="Answer withheld."
    )
    audit = audited(failure(1), answer=rejected)
    assert rules(audit) == set()
    assert "CANARY" not in repr(audit)


def test_sessions_are_sorted_by_how_little_they_rest_on() -> None:
    weak = replace(audited(failure(1), answer=imported("It was DNS.")), session_id="weak")
    silent = replace(audited(failure(1)), session_id="silent")
    hint = replace(audited(indirect(1), answer=imported("Fine.")), session_id="hint")
    firm = replace(audited(success(1), answer=imported("Fine.")), session_id="firm")
    order = [one.session_id for one in sorted((firm, hint, silent, weak), key=least_first)]
    assert order == ["weak", "silent", "hint", "firm"]


@pytest.mark.parametrize(
    ("answer", "failed", "empty"),
    [
        ("Prometheus timed out, so no metrics were seen.", True, True),
        ("The metrics tool returned an error.", True, False),
        ("No metrics were found for checkout.", False, True),
        ("I was unable to reach the metrics server.", True, False),
        ("Checkout failed because its disk was full.", False, False),
        ("The query returned nothing.", False, True),
        ("Everything is fine.", False, False),
        ("", False, False),
    ],
)
def test_a_gap_counts_as_told_where_a_sentence_says_what_and_where(
    answer: str,
    failed: bool,  # noqa: FBT001 - a column of the table
    empty: bool,  # noqa: FBT001
) -> None:
    assert failure_mentioned(answer, "query_metrics") is failed
    assert emptiness_mentioned(answer, "query_metrics") is empty


@pytest.mark.parametrize(
    ("answer", "tool_name"),
    [
        ("I could not reach the logs.", "query_logs"),
        ("I can't see the logs.", "query_logs"),
        ("I wasn\u2019t able to pull the logs.", "query_logs"),
        ("I don't have access to the logs.", "query_logs"),
        ("The logs are down right now.", "query_logs"),
        ("Loki gave an HTTP 500, so I rely on what I saw before.", "query_logs"),
        ("Log access was blocked.", "queryLogs"),
        ("I got no response from the log store.", "mcp__grafana__queryLogs"),
        ("Grafana did not respond.", "query_metrics"),
        ("The metrics lookup ended with an exception.", "query_metrics"),
        ("There was a problem querying the dashboards.", "query_metrics"),
        ("My first grep did not work, so I tried another.", "Bash"),
        ("The first command exited with code 2.", "Bash"),
        ("The runbook search is offline.", "lookup_knowledge"),
        ("The payment did not go through.", "charge_card"),
        ("I was unable to book the flight.", "book_reservation"),
        ("- logs: \u274c unavailable", "query_logs"),
    ],
)
def test_a_failed_source_is_told_in_many_words_and_by_other_names(answer: str, tool_name: str) -> None:
    assert failure_mentioned(answer, tool_name)


@pytest.mark.parametrize(
    ("answer", "tool_name"),
    [
        ("The root cause was a failed deploy of the api service.", "query_logs"),
        ("The service crashed because of an error in the config file.", "query_logs"),
        ("The logs show that payments failed.", "query_logs"),
        ("The logs show connection refused errors.", "query_logs"),
        ("Logs contain 12 errors.", "query_logs"),
        ("The server cannot connect to the database.", "query_metrics"),
        ("The log search failed.", "query_metrics"),
        ("Prometheus timed out.", "query_logs"),
    ],
)
def test_a_failure_that_a_source_reports_or_another_source_had_is_not_told_of_this_one(
    answer: str, tool_name: str
) -> None:
    assert not failure_mentioned(answer, tool_name)


@pytest.mark.parametrize(
    "answer",
    [
        "Hello! How can I help you today?",
        "Which cluster do you mean?",
        "I'm sorry, but I can't help with that.",
        "To help you, please provide:\n- your order number\n- your email",
        "Thanks for reaching out! I'd be happy to help.",
        "Sure, let me look at that.",
        "Unfortunately, I need the order number to proceed.",
        "If you can't find it, you might want to check your email. Once you have it, I can look it up.",
        "First, I'll need your user id. You can check your account. This will help me check it.",
    ],
)
def test_an_answer_that_states_nothing_is_not_called_confident(answer: str) -> None:
    assert rules(audited(answer=imported(answer))) == set()


@pytest.mark.parametrize(
    "answer",
    [
        "Sure, the cause is DNS.",
        "Hello, the disk is full.",
        "Sorry, it was DNS.",
        "Yes.",
        "The cause? A bad deploy.",
        "42",
    ],
)
def test_a_claim_behind_a_greeting_is_a_claim(answer: str) -> None:
    assert rules(audited(answer=imported(answer))) == {Rule.CONFIDENT_WITHOUT_EVIDENCE}


@pytest.mark.parametrize(
    "answer",
    [
        "Which shard is orders on? Please provide it, and I'll look.",
        "I found no traces.",
        "The lookup returned nothing.",
        "query_logs gave zero lines; I need the cluster to go on.",
        "I couldn't query the traces.",
        "It appears to be the cache.",
        "I will need the following:\n1. your email\n2. your order number",
        "Once you send me the trace id I can look.",
        "Happy to help.",
        "However, I still need your order number.",
        "Once that's done, we can look at the shards. If there's anything else, just say so!",
        "You can find these details in your confirmation email.",
        "For this, I'll need the cluster. They will be able to assist you.",
    ],
)
def test_an_answer_that_tells_of_an_empty_search_alone_is_not_called_confident(answer: str) -> None:
    assert Rule.CONFIDENT_WITHOUT_EVIDENCE not in rules(audited(no_evidence(1), answer=imported(answer)))


@pytest.mark.parametrize(
    "answer",
    [
        "The cache is down.",
        "I found no traces, so the cache is healthy.",
        "I found no traces because the collector is down.",
        "I didn't find anything. The disk is full.",
        "I couldn't query the traces. The cache is full.",
        "Thanks for waiting. A bad deploy caused it.",
        "I need your email. The order was lost.",
        "There was no outage.",
        "However, the cache is full.",
        "You can find the fault in the cache.",
        "Once the cache filled up, the requests failed.",
    ],
)
def test_a_claim_beside_an_empty_search_is_a_claim(answer: str) -> None:
    assert Rule.CONFIDENT_WITHOUT_EVIDENCE in rules(audited(no_evidence(1), answer=imported(answer)))


@pytest.mark.parametrize(
    ("answer", "confident"),
    [
        ("Loki returned a 503.", False),
        ("The log search timed out.", False),
        ("The log search timed out because the disk is full.", True),
        ("The log search timed out. It is the disk.", True),
        ("Prometheus timed out.", True),
    ],
)
def test_that_a_failed_tool_failed_is_no_claim(
    answer: str,
    confident: bool,  # noqa: FBT001 - a column of the table
) -> None:
    row = tool(failure(1), "query_logs")
    assert (Rule.CONFIDENT_WITHOUT_EVIDENCE in rules(audited(row, answer=imported(answer)))) is confident


def test_what_is_shown_of_a_bare_session_is_what_it_states() -> None:
    answers = (imported("The cache is full."), imported("You're welcome! Don't hesitate to ask. Talk to you soon."))
    assert audit_session("night-shift", (), answers).said == "The cache is full."
    assert audit_session("night-shift", (), answers[1:]).findings[0].rule is Rule.NOT_VERIFIED


def test_the_doubt_of_one_answer_does_not_cover_the_claim_of_another() -> None:
    answers = (imported("I can't determine the cause."), imported("The cause is DNS."))
    audit = audit_session("night-shift", (), answers)
    assert rules(audit) == {Rule.CONFIDENT_WITHOUT_EVIDENCE}


@pytest.mark.parametrize("name", ["think", "TodoWrite", "sequential_thinking"])
def test_a_tool_that_only_keeps_a_thought_leaves_no_gap(name: str) -> None:
    rows = [success(1), tool(no_evidence(2), name)]
    assert rules(audited(*rows, answer=imported("The disk filled up."))) == set()


def test_doubt_is_told_by_the_answer_itself() -> None:
    assert doubt_mentioned("I could not determine the cause.")
    assert doubt_mentioned("There is not enough evidence.")
    assert not doubt_mentioned("The cause is a full disk.")


@given(answer=st.text(max_size=200), name=st.text(max_size=40))
def test_mentions_are_total(answer: str, name: str) -> None:
    assert isinstance(failure_mentioned(answer, name), bool)
    assert isinstance(emptiness_mentioned(answer, name), bool)
    assert isinstance(doubt_mentioned(answer), bool)
    assert isinstance(states_something(answer), bool)


def test_a_long_answer_takes_linear_time() -> None:
    assert not failure_mentioned("no " * 300_000, "query_metrics")
    assert not doubt_mentioned("could not " * 100_000 + "x")
    assert not states_something("ok. " * 100_000)
    assert not failure_mentioned("the logs show failed " * 50_000, "query_logs")
