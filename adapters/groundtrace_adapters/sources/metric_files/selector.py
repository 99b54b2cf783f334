"""Series selectors: `name{label="value", other=~"re"}`, also with a quoted name, `{"CpuUsage(m)", pod="x"}`.

A bare name may hold any character but white space inside, quotes, brackets and braces: `CpuUsage(m)` is a name.
Functions and ranges of PromQL are refused with what to do instead. Regular expressions are RE2 and match the whole
value; a label that a series lacks is blank.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import SourceError
from groundtrace.text import clean, cut
from groundtrace_adapters.sources.field_names import canonical_name
from groundtrace_adapters.sources.metric_files.quoting import QUOTED, unquoted
from groundtrace_adapters.sources.patterns import full_match

NAME = "__name__"
SELECTOR_CHARACTERS = 10_000

_STRING = rf"(?:{QUOTED}|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"
_HEAD = re.compile(r"\s*([^\s{}\"'`\[\],]*)\s*")
_PART = re.compile(rf"\s*(?:({_STRING})|([^\s{{}}\"'`\[\],=!~]+))\s*(?:(=~|!~|!=|=)\s*({_STRING}))?\s*")
_FUNCTION = re.compile(
    r"(abs|absent|avg|bottomk|ceil|clamp|count|delta|deriv|floor|group|histogram_quantile|idelta|increase|irate|label_"
    r"replace|max|min|quantile|rate|round|sort|stddev|stdvar|sum|topk)(_over_time)?\s*(by\s*)?\(",
)
_ADVICE = (
    "functions, ranges and arithmetic are not read; give one series selector, and use the parameters aggregate, start,"
    " end and step"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """One condition on a label (or on `__name__`): an operator and its value as written."""

    label: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """All conditions must hold; labels have canonical names."""

    matchers: tuple[Matcher, ...]


SeriesTest: TypeAlias = Callable[[str, Mapping[str, str]], bool]
_Tests: TypeAlias = tuple[tuple[str, Callable[[str], bool]], ...]


def parse_selector(text: str, /) -> Result[Selector, SourceError]:
    """Return the conditions of a selector; what is malformed is told with its place."""
    if len(text) > SELECTOR_CHARACTERS:
        return _refused(text, len(text), f"is longer than {SELECTOR_CHARACTERS:,} characters")
    head = _HEAD.match(text)
    name, at = (head[1], head.end()) if head else ("", 0)
    if _FUNCTION.match(name.lstrip()) or (at < len(text) and text[at] == "["):
        return _refused(text, at, f"is no series selector: {_ADVICE}")
    matchers = [Matcher(label=NAME, operator="=", value=name)] if name else []
    if at < len(text) and text[at] == "{":
        return _inside(text, at + 1, matchers)
    if at < len(text):
        return _refused(text, at, f"goes on where it should end: {_ADVICE}")
    return _complete(text, matchers)


def compile_selector(selector: Selector, /) -> Result[SeriesTest, SourceError]:
    """Return a test for series; a bad regular expression is an error with its place."""
    start: Result[_Tests, SourceError] = result.Success(())
    return reduce(_with_test, selector.matchers, start).map(_all_hold)


def _with_test(tests: Result[_Tests, SourceError], matcher: Matcher) -> Result[_Tests, SourceError]:
    return tests.bind(lambda known: _test(matcher).map(lambda test: (*known, (matcher.label, test))))


def _all_hold(tests: _Tests) -> SeriesTest:
    def holds(name: str, labels: Mapping[str, str]) -> bool:
        return all(test(name if label == NAME else labels.get(label, "")) for label, test in tests)

    return holds


def _test(matcher: Matcher) -> Result[Callable[[str], bool], SourceError]:
    value = matcher.value
    match matcher.operator:
        case "=":
            return result.Success(lambda text: text == value)
        case "!=":
            return result.Success(lambda text: text != value)
        case "=~":
            return full_match(value)
        case _:
            return full_match(value).map(lambda matches: lambda text: not matches(text))


def _inside(text: str, at: int, matchers: list[Matcher]) -> Result[Selector, SourceError]:
    while at < len(text) and text[at:].lstrip()[:1] not in ("}", ""):
        part = _PART.match(text, at)
        if part is None:
            return _refused(text, at, 'is malformed here: write label="value" pairs between the braces')
        if part[3] is None and part[1] is None:
            return _refused(text, part.end(), f"lacks an operator and a quoted value behind the label {part[2]}")
        matchers.append(_matcher(part))
        at = part.end()
        if at < len(text) and text[at] == ",":
            at += 1
        elif at < len(text) and text[at] != "}":
            return _refused(text, at, "lacks a comma or a closing brace")
    at += len(text[at:]) - len(text[at:].lstrip())
    if at >= len(text):
        return _refused(text, at, "lacks its closing brace")
    if text[at + 1 :].strip():
        return _refused(text, at + 1, f"goes on behind its closing brace: {_ADVICE}")
    return _complete(text, matchers)


def _matcher(part: re.Match[str]) -> Matcher:
    label = unquoted(part[1]) if part[1] else part[2]
    if part[3] is None:
        return Matcher(label=NAME, operator="=", value=label)
    return Matcher(label=canonical_name(label), operator=part[3], value=unquoted(part[4]))


def _complete(text: str, matchers: list[Matcher]) -> Result[Selector, SourceError]:
    if not matchers:
        return _refused(text, 0, "selects nothing: give a metric name or a label")
    return result.Success(Selector(matchers=tuple(matchers)))


def _refused(text: str, at: int, why: str) -> Result[Selector, SourceError]:
    words = f"selector {cut(clean(text), 200)!r} {why} (character {at + 1})"
    return result.Failure(SourceError(kind=FailureKind.ERROR, message=words))
