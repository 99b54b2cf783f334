"""What one tool call amounted to: Success, NoEvidence, Deduped or Failure (DESIGN section 3).

Values and their total factories only. How an outcome is recognised in a tool's answer is `classify`; how it is
stored is `recording`. Write `outcomes.Success`, never a bare `Success`: `returns` has classes of the same names.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from groundtrace.text import clean, cut, is_blank

ERROR_CHARACTERS = 2_000
"""The longest stored error message, in characters (section 4)."""

ID_CHARACTERS = 200
"""The longest id of an invocation, in characters: with its session it is a key, and an index page has an end."""

MOST_REFERENCES = 50
"""So many calls one call can repeat; the ids of more might not fit in a row."""


class Support(StrEnum):
    """How far a Success carries: the source itself shows it (DIRECT), or it hints at it or shows a part (INDIRECT)."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"


class Basis(StrEnum):
    """How an outcome is known: `declared` by exception, flag, status or shape, or `inferred` from a whole text."""

    DECLARED = "declared"
    INFERRED = "inferred"


class OutcomeKind(StrEnum):
    """The four outcomes as stored words."""

    SUCCESS = "success"
    NO_EVIDENCE = "no_evidence"
    DEDUPED = "deduped"
    FAILURE = "failure"


class NoEvidenceReason(StrEnum):
    """Why a completed call returned nothing usable."""

    NO_MATCH = "no_match"
    BELOW_RELEVANCE = "below_relevance"
    EMPTY_RESULT = "empty_result"
    NOT_A_NUMBER = "not_a_number"
    PARTIAL_EMPTY = "partial_empty"


class DedupReason(StrEnum):
    """Why a call brought nothing new; `refused_repeat` and `other` occur on imported rows only."""

    SAME_QUERY = "same_query"
    SAME_DOCUMENTS = "same_documents"
    REFUSED_REPEAT = "refused_repeat"
    OTHER = "other"


class FailureKind(StrEnum):
    """How a call broke."""

    ERROR = "error"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    DENIED = "denied"
    CANCELLED = "cancelled"
    BAD_OUTPUT = "bad_output"
    UNAVAILABLE = "unavailable"
    NOT_RECORDED = "not_recorded"


IMPORTED_DEDUP = frozenset({DedupReason.REFUSED_REPEAT, DedupReason.OTHER})
RETRYABLE_KINDS = frozenset({FailureKind.TIMEOUT, FailureKind.RATE_LIMITED, FailureKind.UNAVAILABLE})

Output: TypeAlias = str | bytes
"""A tool's whole answer, unredacted and uncut; bytes are read as UTF-8. Held, never copied, however large it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """The call completed and returned usable evidence.

    `partial` says in words what was not seen (empty: the answer is complete). Partial data is never DIRECT:
    ValueError.
    """

    support: Support
    output: Output
    partial: tuple[str, ...] = ()
    basis: Basis = Basis.DECLARED

    def __post_init__(self) -> None:
        """Refuse an output that is no text, and a partial answer that claims DIRECT support."""
        if not isinstance(self.output, (str, bytes)):
            raise ValueError("the output of a Success is text or bytes; `output_of` makes it of any value")
        if self.partial and self.support is Support.DIRECT:
            raise ValueError("a partial Success cannot be DIRECT; use Support.INDIRECT")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEvidence:
    """The call completed and returned nothing usable; `output` is what the tool said of it, if anything.

    `partial` says what was not seen: an empty partial answer is no proof of absence.
    """

    reason: NoEvidenceReason
    output: Output | None = None
    partial: tuple[str, ...] = ()
    basis: Basis = Basis.DECLARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduped:
    """The call brought nothing new: `of` are the ids of the invocations that it repeats, the first one first.

    `of` may be empty only for the two imported reasons with basis `inferred`, and names at most 50 calls; else
    ValueError. `inherited` is the outcome of the first of them, None where an imported trace does not say.
    """

    reason: DedupReason
    of: tuple[str, ...]
    inherited: OutcomeKind | None = None
    basis: Basis = Basis.DECLARED

    def __post_init__(self) -> None:
        """Refuse a repeat of nothing, and references that no row can have as its id."""
        unknown = self.reason in IMPORTED_DEDUP and self.basis is Basis.INFERRED
        if not self.of and not unknown:
            raise ValueError("a Deduped needs the ids of the invocations that it repeats")
        if any(is_blank(reference) or len(reference) > ID_CHARACTERS for reference in self.of):
            raise ValueError(f"a Deduped refers to ids of 1 to {ID_CHARACTERS} characters that are not blank")
        if len(self.of) > MOST_REFERENCES:
            raise ValueError(f"a Deduped refers to at most {MOST_REFERENCES} calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The call broke. `message` is not blank (ValueError); `output` is what had come before it broke, if anything."""

    kind: FailureKind
    message: str
    retryable: bool = False
    output: Output | None = None
    basis: Basis = Basis.DECLARED

    def __post_init__(self) -> None:
        """Refuse a failure that explains nothing."""
        if is_blank(self.message):
            raise ValueError("a Failure needs a message that is not blank")


Outcome: TypeAlias = Success | NoEvidence | Deduped | Failure

_KIND_BY_TYPE: dict[type, OutcomeKind] = {
    Success: OutcomeKind.SUCCESS,
    NoEvidence: OutcomeKind.NO_EVIDENCE,
    Deduped: OutcomeKind.DEDUPED,
    Failure: OutcomeKind.FAILURE,
}

# By class name and not by class: asyncio, concurrent.futures and every client library bring classes of these names,
# and the core imports none of them. The first name found on the way up an exception's ancestry decides.
_KIND_BY_EXCEPTION: dict[str, FailureKind] = {
    "CancelledError": FailureKind.CANCELLED,
    "KeyboardInterrupt": FailureKind.CANCELLED,
    "SystemExit": FailureKind.CANCELLED,
    "GeneratorExit": FailureKind.CANCELLED,
    "TimeoutError": FailureKind.TIMEOUT,
    "Timeout": FailureKind.TIMEOUT,
    "TimeoutException": FailureKind.TIMEOUT,
    "TimeoutExpired": FailureKind.TIMEOUT,
    "APITimeoutError": FailureKind.TIMEOUT,
    "ConnectionTimeout": FailureKind.TIMEOUT,
    "PoolTimeout": FailureKind.TIMEOUT,
    "ServerTimeoutError": FailureKind.TIMEOUT,
    "PermissionError": FailureKind.DENIED,
    "ConnectionError": FailureKind.UNAVAILABLE,
    "ConnectError": FailureKind.UNAVAILABLE,
    "APIConnectionError": FailureKind.UNAVAILABLE,
    "ClientConnectionError": FailureKind.UNAVAILABLE,
    "NetworkError": FailureKind.UNAVAILABLE,
    "NewConnectionError": FailureKind.UNAVAILABLE,
    "RemoteProtocolError": FailureKind.UNAVAILABLE,
    "gaierror": FailureKind.UNAVAILABLE,
    "RateLimitError": FailureKind.RATE_LIMITED,
    "JSONDecodeError": FailureKind.BAD_OUTPUT,
    "UnicodeDecodeError": FailureKind.BAD_OUTPUT,
}


def kind_of(outcome: Outcome, /) -> OutcomeKind:
    """Return the stored word for an outcome."""
    return _KIND_BY_TYPE[type(outcome)]


def failure_from(error: BaseException, /, *, output: Output | None = None) -> Failure:
    """Return the Failure that tells an exception truly; total, whatever its text, `str` or ancestry does.

    The message starts with the type's name, since many exceptions have no text of their own.
    """
    kind = _kind_of_exception(error)
    return Failure(
        kind=kind, message=_message_of(error), retryable=kind in RETRYABLE_KINDS, output=output, basis=Basis.DECLARED
    )


def failure_because(kind: FailureKind, message: str, /, *, retryable: bool | None = None) -> Failure:
    """Return a Failure from untrusted text; a blank message becomes one that says so."""
    text = cut(clean(message), ERROR_CHARACTERS)
    can_retry = kind in RETRYABLE_KINDS if retryable is None else retryable
    return Failure(kind=kind, message="no message was recorded" if is_blank(text) else text, retryable=can_retry)


def deduped_from(
    reason: str, of: tuple[str, ...], /, *, inherited: OutcomeKind | None = None, basis: Basis = Basis.DECLARED
) -> Deduped:
    """Return the nearest valid Deduped for untrusted parts; an unknown reason or a missing reference is `other`.

    A reference that is too long is cut, and those beyond the first 50 are left out.
    """
    told = [reference for reference in of if not is_blank(reference)][:MOST_REFERENCES]
    references = tuple(cut(clean(reference), ID_CHARACTERS) for reference in told)
    known = reason in DedupReason.__members__.values()
    word = DedupReason(reason) if known else DedupReason.OTHER
    if references:
        return Deduped(reason=word, of=references, inherited=inherited, basis=basis if known else Basis.INFERRED)
    word = word if word in IMPORTED_DEDUP else DedupReason.OTHER
    return Deduped(reason=word, of=(), inherited=inherited, basis=Basis.INFERRED)


def _kind_of_exception(error: BaseException) -> FailureKind:
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in _KIND_BY_EXCEPTION:
            return _KIND_BY_EXCEPTION[ancestor.__name__]
    return FailureKind.ERROR


def _message_of(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception whose own `str` raises must still be recorded
        text = ""
    return cut(clean(name if is_blank(text) else f"{name}: {text}"), ERROR_CHARACTERS)
