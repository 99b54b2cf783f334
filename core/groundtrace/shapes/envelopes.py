"""An object that says that the call went well is what it holds beside that: nothing, where that is nothing."""

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.shapes.declaring import kept_as
from groundtrace.shapes.shape import Body, Shape, Told

_WORDS = ("ok", "OK", "success", "SUCCESS", "Success")
_SAYS_WELL: dict[str, tuple[JsonValue, ...]] = {
    "ok": (True,),
    "success": (True,),
    "status": (*_WORDS, 200),
    "code": (*_WORDS, 0, 200, "0", "200"),
}
_BESIDE: dict[str, tuple[JsonValue, ...]] = {
    "error": (None, False, ""),
    "errors": (None, []),
    "warnings": (None, []),
    "message": (None, "", *_WORDS),
    "msg": (None, "", *_WORDS),
    **dict.fromkeys(("has_more", "hasMore", "truncated", "partial", "timed_out"), (False,)),
}
"""What such an object may say besides, without holding anything by it."""

_HELD = frozenset({"data", "result", "results", "items", "rows", "records", "hits", "values", "response", "payload"})


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read what stands beside the envelope; only where that is nothing does it say more than the value itself."""
    if not any(_is_one_of(body.get(name), values) for name, values in _SAYS_WELL.items()):
        return None
    said = {**_SAYS_WELL, **_BESIDE}
    rest = {name: value for name, value in body.items() if not _is_one_of(value, said.get(name, ()))}
    if not rest:
        return None
    held = told.inner(_payload(rest))
    return kept_as(held, told.output) if isinstance(held, outcomes.NoEvidence) else None


def _payload(rest: dict[str, JsonValue]) -> JsonValue:
    """Return what an envelope is around; null where data has its place is no data."""
    if len(rest) == 1 and _HELD.issuperset(rest):
        return next(iter(rest.values()))
    return {name: [] if value is None and name in _HELD else value for name, value in rest.items()}


def _is_one_of(value: JsonValue, values: tuple[JsonValue, ...]) -> bool:
    return any(type(value) is type(one) and value == one for one in values)


WENT_WELL = Shape(name="went_well", members=frozenset(_SAYS_WELL), read_body=_read)
