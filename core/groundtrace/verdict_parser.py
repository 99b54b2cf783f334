"""From a verifier's untrusted text to its own verdict, or to the cause for which it has none (DESIGN section 8).

Leniency may lower, never raise: nothing is repaired, searched for or guessed.
"""

from collections.abc import Iterator

from returns import result
from returns.result import Result

from groundtrace.finish import abnormal_finish
from groundtrace.packaging import name_the_fault, unwrap
from groundtrace.strict_json import Document, JsonFault, RepeatedKeys, object_pairs, parse_json, too_large
from groundtrace.text import clean, cut, is_blank
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict

GIVEN_CHARACTERS = 200
"""The longest verdict word that is kept for the record."""

_VERDICT = "verdict"
_CLAIMS = "unsupported_claims"
_CAUSE_BY_FAULT = {
    JsonFault.TOO_LARGE: Cause.TOO_LARGE,
    JsonFault.TOO_DEEP: Cause.TOO_DEEP,
    JsonFault.INVALID: Cause.INVALID_JSON,
}


def parse_verdict(
    raw: object, /, *, finish_reason: object = None, by_tool_call: bool = False
) -> Result[ParsedVerdict, UnusableReply]:
    """Return the verdict that a reply itself carries; total, whatever `raw` is.

    The finish reason decides first, then size, packaging, depth, JSON and the fields. Time is linear in the reply,
    and a reply over 1 MiB is not looked at.
    """
    cause = abnormal_finish(finish_reason, by_tool_call=by_tool_call)
    if cause is not None:
        return _unusable(cause)
    if raw is None:
        return _unusable(Cause.MISSING)
    if not isinstance(raw, str):
        return _unusable(Cause.INVALID_JSON)
    if too_large(raw):
        return _unusable(Cause.TOO_LARGE)
    return unwrap(raw).bind(_document).lash(_unusable_document).bind(_verdict_in)


def read_verdict(word: object, /) -> Verdict | None:
    """Return the verdict that a text spells, ASCII case and outer white space aside; None for everything else."""
    if not isinstance(word, str):
        return None
    bare = word.strip()
    spelled = bare.upper() if bare.isascii() else bare
    return Verdict(spelled) if spelled in Verdict.__members__ else None


def _document(text: str) -> Result[Document, Cause]:
    return parse_json(text).alt(lambda fault: _cause_of(fault, text))


def _cause_of(fault: JsonFault, text: str) -> Cause:
    return name_the_fault(text) if fault is JsonFault.INVALID else _CAUSE_BY_FAULT[fault]


def _unusable_document(cause: Cause) -> Result[Document, UnusableReply]:
    return result.Failure(UnusableReply(cause=cause))


def _unusable(cause: Cause, given: str | None = None) -> Result[ParsedVerdict, UnusableReply]:
    return result.Failure(UnusableReply(cause=cause, given=given))


def _verdict_in(document: Document) -> Result[ParsedVerdict, UnusableReply]:
    fields = document.value
    if isinstance(fields, RepeatedKeys):
        return _unusable(Cause.DUPLICATE_KEYS)
    if not isinstance(fields, dict) or _VERDICT not in fields:
        return _unusable(Cause.MISSING)
    given = fields[_VERDICT]
    kept = cut(clean(given), GIVEN_CHARACTERS) if isinstance(given, str) else None
    verdict = read_verdict(given)
    if verdict is None or kept is None:
        return _unusable(Cause.UNKNOWN_VERDICT, kept)
    return result.Success(_parsed(fields, verdict, kept))


def _parsed(fields: dict[str, object], verdict: Verdict, given: str) -> ParsedVerdict:
    return ParsedVerdict(
        verdict=verdict,
        given=given,
        evidence_ids=_labels(fields.get("evidence_ids")),
        reasons=_sentences(fields.get("reasons")),
        confidence=_confidence(fields.get("confidence")),
        unsupported_claims=_sentences(fields.get(_CLAIMS)),
        lowered=_lowered(fields, verdict),
    )


def _lowered(fields: dict[str, object], verdict: Verdict) -> Cause | None:
    """A PASS that denies itself is none; a bad confidence makes a reply ill formed, and only a REJECT stands then."""
    if verdict is Verdict.PASS and _denies_itself(fields):
        return Cause.CONTRADICTION
    if verdict is not Verdict.REJECT and "confidence" in fields and _confidence(fields["confidence"]) is None:
        return Cause.BAD_CONFIDENCE
    return None


def _denies_itself(fields: dict[str, object]) -> bool:
    for key, value in _all_pairs(fields):
        name = key.strip().casefold()
        if name == _VERDICT and read_verdict(value) is not Verdict.PASS:
            return True
        if name == _CLAIMS and not _is_empty(value):
            return True
    return False


def _all_pairs(value: object) -> Iterator[tuple[str, object]]:
    """Give every pair of every object inside, repeated keys too."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        for key, inner in object_pairs(one):
            yield key, inner
            waiting.append(inner)


def _is_empty(claims: object) -> bool:
    if isinstance(claims, str):
        return is_blank(claims)
    return claims is None or claims == [] or claims == {}


def _confidence(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _labels(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(dict.fromkeys(value))


def _sentences(value: object) -> tuple[str, ...]:
    """Read what people may read: one text or an array of texts; anything else is nothing."""
    items = value if isinstance(value, list) else [value]
    return tuple(clean(item) for item in items if isinstance(item, str) and not is_blank(item))
