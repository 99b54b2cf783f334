"""Earlier rows of a session as knowledge calls that a later one may repeat, where their whole text is stored."""

from collections.abc import Iterable, Iterator, Mapping

from groundtrace.dedup import DEDUPED_TOOLS, DocumentKey, EarlierCall, dedup_key
from groundtrace.invocation import Invocation, OutputState
from groundtrace.material import read_material
from groundtrace.outcomes import Deduped, OutcomeKind
from groundtrace.reading import outcome_of
from groundtrace.strict_json import Document, parse_json
from groundtrace_app.tools.repeats import Held


def held_from(rows: Iterable[Invocation], /) -> tuple[Held, ...]:
    """Return the knowledge calls among a session's rows, in their order; total, whatever the rows hold."""
    return tuple(_held(row) for row in rows if row.tool_name in DEDUPED_TOOLS)


def _held(row: Invocation) -> Held:
    retrieval = _object(row.retrieval_details)
    revision = retrieval.get("index_revision")
    readable = row.output_state is OutputState.FULL and row.output_preview is not None
    outcome = outcome_of(row)
    call = EarlierCall(
        id=row.id,
        key=dedup_key(row.tool_name, row.session_id, row.input_params, revision=str(revision)) if revision else None,
        outcome=row.outcome,
        readable=readable,
        of=outcome.of if isinstance(outcome, Deduped) else (),
    )
    text = (row.output_preview or "") if readable else ""
    gave = tuple(_documents(retrieval, text)) if row.outcome is OutcomeKind.SUCCESS else ()
    return Held(call=call, text=text, gave=gave)


def _documents(retrieval: Mapping[str, object], text: str) -> Iterator[DocumentKey]:
    """Yield those hits that the text really shows: others were considered, and not given."""
    shown = {str(line.get("uri")) for line in read_material(text)}
    hits = retrieval.get("hits")
    for hit in hits if isinstance(hits, list) else []:
        if isinstance(hit, dict) and hit.get("uri") in shown:
            yield str(hit["uri"]), str(hit.get("content_hash"))


def _object(text: str | None) -> Mapping[str, object]:
    value = parse_json(text or "{}").value_or(Document(value={}, repeated=False)).value
    return value if isinstance(value, dict) else {}
