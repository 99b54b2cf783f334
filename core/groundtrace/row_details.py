"""The column `details` of a row: the caller's own, and what of an outcome no query reads (DESIGN section 4)."""

import json
from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.json_text import JSON_BYTES, JsonValue, bounded_json, canonical
from groundtrace.outcomes import Output, Support
from groundtrace.redaction import Redactor, redactions
from groundtrace.text import clean, cut

NO_DETAILS = "{}"

PARTIAL_NOTES = 50
"""So many remarks on what was not seen are kept, each of 500 characters."""

NOTE_CHARACTERS = 500
PARTIAL_READ = 4 * NOTE_CHARACTERS


class Said(NamedTuple):
    """What an outcome says in columns of its own; `error` is redacted."""

    support: Support | None = None
    reason: str | None = None
    output: Output | None = None
    partial: tuple[str, ...] = ()
    error: str | None = None


def details_of(
    outcome: outcomes.Outcome, said: Said, given: JsonValue, redactor: Redactor, stored: tuple[str | None, ...], /
) -> str:
    """Return what no query reads, as strict JSON: the caller's details first, then ours, which win.

    `given` are the caller's details, encoded; in `stored` and the error, the markers of secrets are counted.
    """
    counted = redactions(*stored, said.error)
    plain = said.support is not None and not said.partial and type(said.output) is str
    ours = {} if plain else _own_details(outcome, said, redactor)
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


def _own_details(outcome: outcomes.Outcome, said: Said, redactor: Redactor) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    if said.partial:
        found["partial"] = [
            cut(redactor.text(clean(note[:PARTIAL_READ])), NOTE_CHARACTERS) for note in said.partial[:PARTIAL_NOTES]
        ]
    if isinstance(said.output, bytes):
        found["output"] = "bytes"
    match outcome:
        case outcomes.Failure(retryable=True):
            found["retryable"] = True
        case outcomes.Deduped():
            found["of"] = [clean(reference) for reference in outcome.of]
            if outcome.inherited is not None:
                found["inherited"] = outcome.inherited.value
        case _:
            pass
    return found
