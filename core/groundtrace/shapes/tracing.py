"""Answers of trace stores: Tempo's search and Jaeger's, whose figures beside an empty list are no evidence."""

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.declaring import failed, found, items, members, text_of
from groundtrace.shapes.shape import Body, Shape, Told

_JAEGER = frozenset({"data", "total", "limit", "offset", "errors"})


def _tempo(body: Body, told: Told) -> outcomes.Outcome | None:
    traces = body.get("traces")
    if not isinstance(traces, list) or not isinstance(body.get("metrics"), dict):
        return None
    return found(told.output, some=bool(traces))


def _jaeger(body: Body, told: Told) -> outcomes.Outcome | None:
    data = body.get("data")
    if not _JAEGER.issuperset(body) or not {"total", "errors"} <= set(body) or not isinstance(data, list | None):
        return None
    said = tuple(text for one in items(body["errors"]) if (text := text_of(members(one).get("msg"))))
    if said and not data:
        return failed(FailureKind.ERROR, "; ".join(said[:5]), told.output)
    return found(told.output, some=bool(data), marks=said)


TEMPO = Shape(name="tempo", members=frozenset({"traces"}), read_body=_tempo)
JAEGER = Shape(name="jaeger", members=frozenset({"errors"}), read_body=_jaeger)
