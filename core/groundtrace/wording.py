"""Plain one-line words for rows, times and causes: what people read in coverage, replies and explanations.

Tool names, parameters and error messages are untrusted: what is put into a line stays in that line.
"""

import json
import re

from groundtrace.invocation import Invocation
from groundtrace.material import read_material
from groundtrace.outcomes import FailureKind, NoEvidenceReason
from groundtrace.text import clean, cut, is_blank
from groundtrace.verdict import Cause

QUERY_CHARACTERS = 160
VALUE_CHARACTERS = 50
ERROR_CHARACTERS = 200
NOTE_CHARACTERS = 200
NOTES_TOLD = 2

# Bounds and ways of the three tools, which say nothing of what was looked for.
_QUIET = frozenset({"limit", "regex", "order", "step", "top_k"})

# Controls, line and paragraph separators, and marks that reorder what a terminal shows.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")

_EMPTY_WORDS: dict[str, str] = {
    NoEvidenceReason.NO_MATCH: "nothing matched",
    NoEvidenceReason.BELOW_RELEVANCE: "nothing was relevant enough",
    NoEvidenceReason.EMPTY_RESULT: "the result was empty",
    NoEvidenceReason.NOT_A_NUMBER: "there was no number",
    NoEvidenceReason.PARTIAL_EMPTY: "nothing in the part that was seen, which is no proof of absence",
}

_FAILURE_WORDS: dict[str, str] = {
    FailureKind.ERROR: "it failed",
    FailureKind.TIMEOUT: "it took too long",
    FailureKind.RATE_LIMITED: "it was asked too often",
    FailureKind.DENIED: "access was denied",
    FailureKind.CANCELLED: "it was cancelled",
    FailureKind.BAD_OUTPUT: "its answer could not be read",
    FailureKind.UNAVAILABLE: "it could not be reached",
    FailureKind.NOT_RECORDED: "its result was not recorded",
}

CAUSE_WORDS: dict[Cause, str] = {
    Cause.VERIFIED: "every cited call found evidence and is stored",
    Cause.VERIFIER_LOW: "the verifier was not sure that the evidence carries the answer",
    Cause.VERIFIER_REJECT: "the verifier found the answer at odds with the evidence",
    Cause.MISSING: "the verifier gave no verdict",
    Cause.INVALID_JSON: "the verifier's reply was no valid JSON",
    Cause.PROSE_AROUND_JSON: "the verifier's reply had other text around its verdict",
    Cause.SEVERAL_OBJECTS: "the verifier gave more than one verdict object",
    Cause.CONTRADICTION: "the verifier's reply contradicts its own PASS",
    Cause.DUPLICATE_KEYS: "the verifier's reply names a key twice",
    Cause.UNKNOWN_VERDICT: "the verifier's verdict was none of PASS, LOW_CONFID and REJECT",
    Cause.BAD_CONFIDENCE: "the verifier's confidence was no number from 0 to 1",
    Cause.CUT_OFF: "the verifier's reply was cut off",
    Cause.FILTERED: "the verifier's reply was held back by a content filter",
    Cause.REFUSED: "the verifier refused to reply",
    Cause.TOO_LARGE: "the verifier's reply was over 1 MiB",
    Cause.TOO_DEEP: "the verifier's reply was nested too deeply",
    Cause.TIMED_OUT: "the verifier did not reply in time",
    Cause.VERIFIER_ERROR: "the verifier failed",
    Cause.CANCELLED: "the verification was cancelled",
    Cause.VERIFIER_DISABLED: "verification is switched off",
    Cause.NO_EVIDENCE: "no call returned any evidence",
    Cause.NO_CITATION: "the verifier named no call that the answer may rest on",
    Cause.UNKNOWN_CITATION: "the verifier named a call that it was not shown",
    Cause.CITATION_NOT_SUCCESS: "the verifier named a call that returned no evidence",
    Cause.EVIDENCE_NOT_STORED: "a call of this turn is not safely stored yet",
    Cause.EVIDENCE_UNREADABLE: "the recorded evidence could not be read",
    Cause.EVALUATION_NOT_STORED: "the record of the verification could not be stored",
    Cause.EXECUTOR_FAILED: "writing the answer failed",
    Cause.PLANNER_FAILED: "planning which sources to ask failed",
    Cause.BUDGET_SPENT: "the time or step limit of this turn was reached",
}
"""Why a decision is what it is, for a person who knows none of our words; ends a sentence, holds no withheld text."""


def one_line(text: str, limit: int, /) -> str:
    """Return text as one printable line of at most `limit` characters, the cut seen."""
    head = text[: limit * 4]
    shown = " ".join(_UNPRINTABLE.sub(" ", clean(head)).split())
    return cut(shown if len(head) == len(text) else f"{shown} ...", limit)


def one_row(text: str, limit: int, /) -> str:
    """Return text as one line of at most `limit` characters; unlike `one_line` it keeps what cannot be printed.

    For those who show that as escapes: a blank in its place would hide that it was there.
    """
    head = text[: limit * 4]
    shown = " ".join(clean(head).split())
    return cut(shown if len(head) == len(text) else f"{shown} ...", limit)


def asked(row: Invocation, /) -> str:
    """Return in words what a call asked: its parameters by name, each value in one short piece, its window last."""
    try:
        params = json.loads(row.input_params)
    except (ValueError, RecursionError):
        params = None
    if not isinstance(params, dict) or not params:
        return one_line(row.input_params, QUERY_CHARACTERS) or "{}"
    named = {**params.pop("fields", {}), **params} if isinstance(params.get("fields"), dict) else params
    start, end = named.pop("start", None), named.pop("end", None)
    given = {name: value for name, value in named.items() if value not in (None, {}, [])}
    told = {name: value for name, value in given.items() if name not in _QUIET} or given
    pieces = [f"{name}={_short(value)}" for name, value in told.items()]
    window = [f"{word} {_short(value)}" for word, value in (("from", start), ("to", end)) if value is not None]
    return one_line(" ".join((", ".join(pieces), *window)), QUERY_CHARACTERS) or "{}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, VALUE_CHARACTERS)


def empty_words(row: Invocation, /) -> str:
    """Return in a few words why a completed call gave nothing usable."""
    return _EMPTY_WORDS.get(row.reason or "", "nothing usable came back")


def why_empty(row: Invocation, /) -> str:
    """Return why a completed call gave nothing usable, with what the tool remarked besides.

    Its first remark says that nothing was there; what follows says how far it looked, and what the source holds.
    """
    notes = [one.get("note") for one in read_material(row.output_preview or "")][1:]
    said = [one_line(note, NOTE_CHARACTERS) for note in notes if isinstance(note, str) and not is_blank(note)]
    return f"{empty_words(row)} ({'; '.join(said[:NOTES_TOLD])})" if said else empty_words(row)


def why_failed(row: Invocation, /) -> str:
    """Return in words how a call broke, with its error message."""
    words = _FAILURE_WORDS.get(row.reason or "", "it failed")
    message = one_line(row.error_message or "", ERROR_CHARACTERS)
    return words if is_blank(message) else f"{words} ({message})"


def age_words(seconds: float, /) -> str:
    """Return an age in its largest whole unit: `45 s`, `12 min`, `3 h`, `2 d`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
