"""The order in which an imported call is judged: what its peer declared, its wrappers, its shape, its whole text."""

from dataclasses import dataclass, replace

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.inference.absence import shows_nothing
from groundtrace.inference.call import Call
from groundtrace.inference.empty_bodies import holds_nothing
from groundtrace.inference.error_bodies import absence_of, envelope_of, error_of
from groundtrace.inference.error_pages import error_page
from groundtrace.inference.error_texts import says_it_failed
from groundtrace.inference.exit_codes import ended_badly, found_nothing
from groundtrace.inference.kinds import kind_of_message
from groundtrace.inference.literal import form_of
from groundtrace.inference.pointers import ONLY_A_PATH, ONLY_THE_QUERY, points_elsewhere, repeats_the_query
from groundtrace.inference.sections import first_section
from groundtrace.inference.wrappers import Peeled, peel
from groundtrace.json_text import JsonValue, plain
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support
from groundtrace.text import clean, cut, is_blank

_NESTED = 4
"""So many envelopes within one another are opened."""

_MARK_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """An answer as read: the whole text, what stands inside its wrappers, and the value which that writes."""

    whole: str
    peeled: Peeled
    form: JsonValue

    @property
    def body(self) -> str:
        """Return the answer without its wrappers."""
        return self.peeled.body


def read(text: str, /) -> Read:
    """Return an answer peeled and read."""
    peeled = peel(text)
    return Read(whole=text, peeled=peeled, form=form_of(peeled.body))


def judged(answer: Read, call: Call, /, *, depth: int = 0) -> outcomes.Outcome:
    """Return what a whole answer amounts to by its own words and shape alone; total."""
    own = _by_exit(answer, call) or _by_shape(answer) or _by_envelope(answer, call, depth)
    if own is not None:
        return own
    declared = _absent(answer) or _declared(answer)
    if not isinstance(declared, outcomes.Success):
        return declared
    return _by_body(answer, call) or _by_text(answer, call) or declared


def _by_exit(answer: Read, call: Call) -> outcomes.Outcome | None:
    peeled = answer.peeled
    if found_nothing(peeled, call):
        return _nothing(answer, NoEvidenceReason.NO_MATCH)
    told = ended_badly(peeled, call)
    if told is None:
        return None
    first = next((line.strip() for line in peeled.body[:4_000].splitlines() if line.strip()), "")
    failure = _failure(answer, f"{told}: {first}" if first else told)
    return replace(failure, kind=FailureKind.TIMEOUT, retryable=True) if peeled.late else failure


def _by_shape(answer: Read) -> outcomes.Outcome | None:
    if repeats_the_query(answer.form):
        return _nothing(answer, NoEvidenceReason.EMPTY_RESULT, ONLY_THE_QUERY)
    return None


def _by_envelope(answer: Read, call: Call, depth: int) -> outcomes.Outcome | None:
    """Judge an object of an error and an answer by the answer; an error beside data is a warning."""
    envelope = envelope_of(answer.form)
    if envelope is None or depth >= _NESTED:
        return None
    inner = judged(_inside(answer, envelope.answer), call, depth=depth + 1)
    if not envelope.error:
        return inner
    if isinstance(inner, outcomes.Success) and _is_data(envelope.answer):
        mark = cut(clean(f"its tool reported an error beside the data: {envelope.error}"), _MARK_CHARACTERS)
        return replace(inner, partial=(*inner.partial, mark))
    more = f"; {inner.message}" if isinstance(inner, outcomes.Failure) else ""
    return _failure(answer, envelope.error + more)


def _inside(answer: Read, value: JsonValue) -> Read:
    if isinstance(value, str):
        return replace(read(value), whole=answer.whole)
    return Read(whole=answer.whole, peeled=Peeled(body=_form_text(value)), form=value)


def _form_text(value: JsonValue) -> str:
    return "" if value is None else plain(value)


def _is_data(value: JsonValue) -> bool:
    form = form_of(value) if isinstance(value, str) else value
    return isinstance(form, dict | list) and bool(form)


def _absent(answer: Read) -> outcomes.Outcome | None:
    return None if absence_of(answer.form) is None else _nothing(answer, NoEvidenceReason.NO_MATCH)


def _by_body(answer: Read, call: Call) -> outcomes.Outcome | None:
    first = first_section(answer.body, call)
    message = error_of(answer.form if first is None else form_of(first))
    if message is not None and not call.quotes:
        return _failure(answer, message)
    return _nothing(answer, NoEvidenceReason.EMPTY_RESULT) if holds_nothing(answer.form) else None


def _by_text(answer: Read, call: Call) -> outcomes.Outcome | None:
    body = answer.form if isinstance(answer.form, str) else answer.body
    if shows_nothing(body, call) and not says_it_failed(body, call):
        return _nothing(answer, NoEvidenceReason.EMPTY_RESULT if is_blank(body) else NoEvidenceReason.NO_MATCH)
    page = None if call.quotes else error_page(body)
    if page is not None:
        return _failure(answer, page)
    if says_it_failed(body, call):
        return _failure(answer, body.strip())
    return None


def _declared(answer: Read) -> outcomes.Outcome:
    """Return what the shapes of `classify` say, about the answer as a whole; of a transcript nothing is DIRECT."""
    told = classify_output(answer.form if isinstance(answer.form, dict | list) else answer.body)
    match told:
        case outcomes.Success():
            return replace(told, support=Support.INDIRECT, output=answer.whole, basis=Basis.INFERRED)
        case outcomes.NoEvidence() | outcomes.Failure():
            return replace(told, output=answer.whole)
        case _:
            return told


def pointed(outcome: outcomes.Outcome, answer: Read, call: Call, /) -> outcomes.Outcome:
    """Return a Success marked as partial where the answer only says where the data is."""
    if isinstance(outcome, outcomes.Success) and points_elsewhere(answer.body, answer.form, call):
        return replace(outcome, support=Support.INDIRECT, partial=(*outcome.partial, ONLY_A_PATH))
    return outcome


def _nothing(answer: Read, reason: NoEvidenceReason, *marks: str) -> outcomes.NoEvidence:
    return outcomes.NoEvidence(reason=reason, output=answer.whole, partial=marks, basis=Basis.INFERRED)


def _failure(answer: Read, message: str) -> outcomes.Failure:
    failure = outcomes.failure_because(kind_of_message(message), message)
    return replace(failure, output=answer.whole, basis=Basis.INFERRED)
