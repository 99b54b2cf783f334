"""Illegal outcomes cannot be built, and each total factory gives a good one (sections 1 and 3)."""

import asyncio
import concurrent.futures
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.outcomes import Basis, DedupReason, FailureKind, OutcomeKind, Support
from groundtrace.text import is_blank


def test_a_partial_success_is_never_direct() -> None:
    with pytest.raises(ValueError, match="partial"):
        outcomes.Success(support=Support.DIRECT, output="x", partial=("half",))


def test_a_failure_explains_itself() -> None:
    with pytest.raises(ValueError, match="message"):
        outcomes.Failure(kind=FailureKind.ERROR, message=" \u200b")


@pytest.mark.parametrize("basis", Basis)
@pytest.mark.parametrize("reason", DedupReason)
def test_a_deduped_names_what_it_repeats_unless_an_imported_trace_does_not_say(
    reason: DedupReason, basis: Basis
) -> None:
    if reason in outcomes.IMPORTED_DEDUP and basis is Basis.INFERRED:
        assert outcomes.Deduped(reason=reason, of=(), basis=basis).of == ()
    else:
        with pytest.raises(ValueError, match="repeats"):
            outcomes.Deduped(reason=reason, of=(), basis=basis)
    with pytest.raises(ValueError, match="blank"):
        outcomes.Deduped(reason=reason, of=("inv-1", " "), basis=basis)
    with pytest.raises(ValueError, match="200 characters"):
        outcomes.Deduped(reason=reason, of=("i" * 201,), basis=basis)
    with pytest.raises(ValueError, match="at most 50"):
        outcomes.Deduped(reason=reason, of=("inv-1",) * 51, basis=basis)


def test_untrusted_references_are_bounded_and_never_refused() -> None:
    deduped = outcomes.deduped_from("same_query", (" ", "i" * 10_000, *("inv-1",) * 10_000))
    assert deduped.of == ("i" * 197 + "...", *("inv-1",) * 49)


class SilentError(Exception):
    @override
    def __str__(self) -> str:
        raise RuntimeError("no text")


class SlowError(TimeoutError):
    pass


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (TimeoutError(), FailureKind.TIMEOUT, "TimeoutError"),
        (concurrent.futures.TimeoutError(), FailureKind.TIMEOUT, "TimeoutError"),
        (SlowError("5 s"), FailureKind.TIMEOUT, "SlowError: 5 s"),
        (asyncio.CancelledError(), FailureKind.CANCELLED, "CancelledError"),
        (KeyboardInterrupt(), FailureKind.CANCELLED, "KeyboardInterrupt"),
        (SystemExit(3), FailureKind.CANCELLED, "SystemExit: 3"),
        (AssertionError(), FailureKind.ERROR, "AssertionError"),
        (KeyError("job"), FailureKind.ERROR, "KeyError: 'job'"),
        (RuntimeError("   "), FailureKind.ERROR, "RuntimeError"),
        (RuntimeError("\u200b"), FailureKind.ERROR, "RuntimeError"),
        (ValueError("bad selector"), FailureKind.ERROR, "ValueError: bad selector"),
        (ConnectionRefusedError("no"), FailureKind.UNAVAILABLE, "ConnectionRefusedError: no"),
        (PermissionError("no"), FailureKind.DENIED, "PermissionError: no"),
        (SilentError(), FailureKind.ERROR, "SilentError"),
        (ValueError("a\0b\ud83d"), FailureKind.ERROR, "ValueError: a\u2400b\ufffd"),
        (
            ExceptionGroup("two", [ValueError("a"), KeyError("b")]),
            FailureKind.ERROR,
            "ExceptionGroup: two (2 sub-exceptions)",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_an_exception_becomes_a_failure_that_says_so(error: BaseException, kind: FailureKind, message: str) -> None:
    """Field case B15."""
    failure = outcomes.failure_from(error)
    assert (failure.kind, failure.message, failure.basis) == (kind, message, Basis.DECLARED)
    assert failure.retryable is (kind in outcomes.RETRYABLE_KINDS)


def test_a_broken_reply_in_json_is_bad_output() -> None:
    with pytest.raises(json.JSONDecodeError) as broken:
        json.loads("{")
    assert outcomes.failure_from(broken.value).kind is FailureKind.BAD_OUTPUT


def test_a_long_message_is_cut_visibly() -> None:
    failure = outcomes.failure_from(ValueError("x" * 9_000))
    assert len(failure.message) == outcomes.ERROR_CHARACTERS
    assert failure.message.endswith("x...")


@given(st.sampled_from(FailureKind), st.text(st.characters()))
def test_a_failure_from_any_text_is_good(kind: FailureKind, text: str) -> None:
    failure = outcomes.failure_because(kind, text)
    assert not is_blank(failure.message)
    assert failure.kind is kind
    failure.message.encode()


@given(
    st.text(st.characters()) | st.sampled_from([*DedupReason]), st.lists(st.text(st.characters()) | st.just("inv-1"))
)
def test_a_deduped_from_any_parts_is_good(reason: str, of: list[str]) -> None:
    deduped = outcomes.deduped_from(reason, tuple(of), inherited=OutcomeKind.SUCCESS)
    assert deduped.inherited is OutcomeKind.SUCCESS
    assert deduped.of or (deduped.reason in outcomes.IMPORTED_DEDUP and deduped.basis is Basis.INFERRED)


def test_a_known_repeat_keeps_its_reason_and_an_unknown_one_is_other() -> None:
    assert outcomes.deduped_from("same_query", ("inv-1",)) == outcomes.Deduped(
        reason=DedupReason.SAME_QUERY, of=("inv-1",)
    )
    assert outcomes.deduped_from("same_query", ()).reason is DedupReason.OTHER
    unknown = outcomes.deduped_from("cached", ("inv-1",))
    assert (unknown.reason, unknown.basis) == (DedupReason.OTHER, Basis.INFERRED)


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (outcomes.Success(support=Support.DIRECT, output="x"), OutcomeKind.SUCCESS),
        (outcomes.NoEvidence(reason=outcomes.NoEvidenceReason.NO_MATCH), OutcomeKind.NO_EVIDENCE),
        (outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("a",)), OutcomeKind.DEDUPED),
        (outcomes.Failure(kind=FailureKind.ERROR, message="x"), OutcomeKind.FAILURE),
    ],
)
def test_each_outcome_has_its_word(outcome: outcomes.Outcome, kind: OutcomeKind) -> None:
    assert outcomes.kind_of(outcome) is kind
