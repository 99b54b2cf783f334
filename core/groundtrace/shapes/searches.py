"""Elasticsearch and OpenSearch: searches, counts, ES|QL, SQL and PPL, with what they say that they did not see."""

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.declaring import failed, found, items, members, text_of, whole
from groundtrace.shapes.http_status import kind_of_status
from groundtrace.shapes.shape import Body, Shape, Told


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    for read in (_error, _running, _search, _count, _table, _several):
        outcome = read(body, told)
        if outcome is not None:
            return outcome
    return None


def _error(body: Body, told: Told) -> outcomes.Outcome | None:
    error, status = body.get("error"), whole(body.get("status"))
    if not isinstance(error, dict) or status is None or not text_of(error.get("type")):
        return None
    message = f"{error['type']}: {text_of(error.get('reason')) or 'no reason'}"
    return failed(kind_of_status(status) or FailureKind.ERROR, f"status {status}: {message}", told.output)


def _running(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read an asynchronous search: what it has by now, and that it goes on."""
    response = body.get("response")
    if not isinstance(response, dict) or not isinstance(body.get("is_running"), bool):
        return None
    outcome = _search({**response, "is_partial": body.get("is_partial")}, told)
    running = ("the search was still running",) if body["is_running"] is True else ()
    return outcome if outcome is None or not running else _with(outcome, running, told)


def _search(body: Body, told: Told) -> outcomes.Outcome | None:
    hits, shards = body.get("hits"), body.get("_shards")
    if not isinstance(hits, dict) or not isinstance(hits.get("hits"), list) or not isinstance(shards, dict):
        return None
    shown, (total, at_least) = len(items(hits["hits"])), _total(hits)
    some = bool(shown or total or any(_counts(one) for one in members(body.get("aggregations")).values()))
    return found(told.output, some=some, marks=(*_marks(body), *_hit_limit(shown, total, at_least=at_least)))


def _counts(aggregation: JsonValue) -> bool:
    """Tell whether an aggregation holds something where no document matched: buckets, or any value but null."""
    held = members(aggregation)
    return bool(held["buckets"]) if "buckets" in held else any(value is not None for value in held.values())


def _total(hits: Body) -> tuple[int, bool]:
    """Return how many documents matched, and whether there may be more than were counted."""
    total = hits.get("total")
    if isinstance(total, dict):
        return whole(total.get("value")) or 0, total.get("relation") == "gte"
    return whole(total) or 0, False


def _hit_limit(shown: int, total: int, *, at_least: bool) -> tuple[str, ...]:
    if shown and (total > shown or at_least):
        return (f"{shown:,} of {'at least ' if at_least else ''}{total:,} hits are shown",)
    return (f"counted up to {total:,} hits: there may be more",) if at_least else ()


def _count(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read a count: 0 is a value, unless shards are missing."""
    if whole(body.get("count")) is None or not isinstance(body.get("_shards"), dict):
        return None
    marks = _marks(body)
    return found(told.output, some=bool(body["count"]) or not marks, marks=marks)


def _table(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read rows under columns: ES|QL (`values`), SQL (`rows`), OpenSearch SQL and PPL (`datarows`)."""
    columns, names = (body.get("columns", body.get("schema")), ("values", "rows", "datarows"))
    rows = next((rows for name in names if isinstance(rows := body.get(name), list)), None)
    named = isinstance(columns, list) and all(isinstance(one, dict) and "name" in one for one in columns)
    if rows is None or not columns or not named:
        return None
    more = ("there is a further page",) if text_of(body.get("cursor")) else ()
    return found(told.output, some=bool(rows), marks=(*_marks(body), *more))


def _several(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read the answers of a multi-search: some broken ones make the rest partial."""
    responses = items(body.get("responses"))
    read = [_search(one, told) or _error(one, told) for one in responses if isinstance(one, dict)]
    if not read or None in read or len(read) != len(responses):
        return None
    broken = [one for one in read if isinstance(one, outcomes.Failure)]
    if len(broken) == len(read):
        return broken[0]
    marks = tuple(
        mark for one in read if isinstance(one, outcomes.Success | outcomes.NoEvidence) for mark in one.partial
    )
    some = any(isinstance(one, outcomes.Success) for one in read)
    return found(told.output, some=some, marks=(*marks, *(one.message for one in broken)))


def _marks(body: Body) -> tuple[str, ...]:
    shards, clusters = members(body.get("_shards")), members(body.get("_clusters"))
    broken = whole(shards.get("failed")) or 0
    away = sum(whole(clusters.get(name)) or 0 for name in ("skipped", "partial", "failed"))
    said = (
        (body.get("timed_out") is True, "the search timed out"),
        (body.get("terminated_early") is True, "the search ended early, at its limit of documents"),
        (body.get("is_partial") is True, "the server marks its answer as partial"),
        (broken > 0, f"{broken} shards failed{_why(shards)}"),
        (away > 0, f"{away} clusters did not answer whole"),
    )
    return tuple(words for true, words in said if true)


def _why(shards: Body) -> str:
    failures = [members(members(one).get("reason")) for one in items(shards.get("failures"))]
    reasons = (text_of(one.get("reason")) or text_of(one.get("type")) for one in failures)
    first = next((reason for reason in reasons if reason), "")
    return f": {first}" if first else ""


def _with(outcome: outcomes.Outcome, marks: tuple[str, ...], told: Told) -> outcomes.Outcome:
    some = isinstance(outcome, outcomes.Success)
    before = outcome.partial if isinstance(outcome, outcomes.Success | outcomes.NoEvidence) else ()
    return found(told.output, some=some, marks=(*before, *marks))


_NAMES = frozenset({"_shards", "error", "responses", "columns", "schema", "is_running"})
ELASTICSEARCH = Shape(name="elasticsearch", members=_NAMES, read_body=_read)
