"""The column `details` of a row: the caller's own, and what of an outcome no query reads (DESIGN section 4)."""

import json
from typing import assert_never

from groundtrace import outcomes
from groundtrace.json_text import JSON_BYTES, JsonValue, bounded_json, canonical
from groundtrace.outcomes import Output
from groundtrace.redaction import Redactor
from groundtrace.text import clean, cut

NO_DETAILS = "{}"

PARTIAL_NOTES = 50
"""So many remarks on what was not seen are kept, each of 500 characters."""

NOTE_CHARACTERS = 500
PARTIAL_READ = 4 * NOTE_CHARACTERS


def details_of(outcome: outcomes.Outcome, given: JsonValue, counted: dict[str, int], redactor: Redactor, /) -> str:
    """Return what no query reads, as strict JSON: the caller's details first, then ours, which win.

    `given` are the caller's details, encoded; `counted` are the markers of secrets that the row's other texts hold.
    """
    plain = type(outcome) is outcomes.Success and not outcome.partial and type(outcome.output) is str
    if plain and not counted and not given:
        return NO_DETAILS
    ours = _own_details(outcome, redactor)
    if not (ours or counted or given):
        return NO_DETAILS
    theirs = redactor.value(given) if given else {}
    members: dict[str, JsonValue] = {**theirs} if isinstance(theirs, dict) else {"details": theirs}
    own: dict[str, JsonValue] = {**({"redactions": {**counted}} if counted else {}), **ours}
    return bounded_json({**_fitting(members, own), **own})


def _fitting(theirs: dict[str, JsonValue], own: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a caller's details cut to what ours leave free: ours are read back, and a shortened id is another id."""
    room = JSON_BYTES - len(canonical(own).encode())
    kept = json.loads(bounded_json(theirs, limit=max(room, 0)))
    return kept if isinstance(kept, dict) else {}


def _own_details(outcome: outcomes.Outcome, redactor: Redactor) -> dict[str, JsonValue]:
    match outcome:
        case outcomes.Deduped():
            found: dict[str, JsonValue] = {"of": [clean(reference) for reference in outcome.of]}
            return found if outcome.inherited is None else {**found, "inherited": outcome.inherited.value}
        case outcomes.Failure():
            found = _output_kind(outcome.output)
            return {**found, "retryable": True} if outcome.retryable is True else found
        case outcomes.Success() | outcomes.NoEvidence():
            return {**_notes(outcome.partial, redactor), **_output_kind(outcome.output)}
        case _:
            assert_never(outcome)


def _output_kind(output: Output | None) -> dict[str, JsonValue]:
    return {"output": "bytes"} if isinstance(output, bytes) else {}


def _notes(partial: tuple[str, ...], redactor: Redactor) -> dict[str, JsonValue]:
    read = (redactor.text(clean(note[:PARTIAL_READ])) for note in partial[:PARTIAL_NOTES])
    return {"partial": [cut(note, NOTE_CHARACTERS) for note in read]} if partial else {}
