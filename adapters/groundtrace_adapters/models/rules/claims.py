"""What one statement claims, taken apart: quotations, series, names, times, numbers, and the words that remain.

Pure. Each kind is taken out of the text before the next is looked for, so that no digit counts twice.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from groundtrace_adapters.models.rules.entities import Mention, Name, find_names
from groundtrace_adapters.models.rules.moments import Span, Stamp, find_dates, find_spans, find_stamps
from groundtrace_adapters.models.rules.words import tokens

_Part = TypeVar("_Part")

_TICKED = re.compile(r"`([^`]+)`")
_CURLY = re.compile(r"\u201c([^\u201d]+)\u201d")
_QUOTED = re.compile(r"\"([^\"]+)\"")
_SELECTOR = re.compile(r"(?P<name>[^\s{}`\"\x1f]*)\{(?P<labels>[^{}]*)\}")
_LABEL = re.compile(r"([A-Za-z_][\w.]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s,}]+))")
_UNIT = (
    r"(?:%|[kKMGT]i?B\b|bytes?\b|B\b|ms\b|milliseconds?\b|m?cores?\b|seconds?\b|secs?\b|s\b|minutes?\b|percent\b|/s\b)"
)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-\u2212+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:\s?(?P<unit>{_UNIT}))?(?![\w]|\.\d)"
)
_SPELLED = "two three four five six seven eight nine ten eleven twelve".split()
_COUNTED = r"times|entries|lines|messages|errors|warnings|occurrences"
_ADVERBS = {"once": 1, "twice": 2}
_ADVERB = re.compile(r"\b(once|twice)\b", re.IGNORECASE)
_WORD_NUMBER = re.compile(rf"\b({'|'.join(_SPELLED)})\b(?=\s+(?:\w+\s+)?(?:{_COUNTED})\b)", re.IGNORECASE)
_PLAIN = re.compile(r"[\d\s:.,TZ+%-]+")
_MASK = "\x1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number as written; `decimals` are its digits behind the point, `figures` all of them, `unit` may be blank."""

    value: float
    decimals: int
    figures: int
    unit: str
    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quoted text with its white space made single."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesMention:
    """A metric's name as it stands in the statement (blank for bare labels), with the labels written behind it."""

    metric: str
    labels: tuple[tuple[str, str], ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The parts of a statement; places refer to `text`, and `masked` is the text with every part blanked."""

    text: str
    quotes: tuple[Quote, ...]
    series: tuple[SeriesMention, ...]
    names: tuple[Mention, ...]
    stamps: tuple[Stamp, ...]
    spans: tuple[Span, ...]
    dates: tuple[date, ...]
    numbers: tuple[Number, ...]
    words: tuple[str, ...]
    masked: str


def read_claims(text: str, /, *, names: Iterable[Name], metrics: Iterable[str]) -> Claims:
    """Return what a statement claims, given the names and metrics that the evidence knows."""
    known_names, known_metrics = tuple(names), sorted(metrics, key=lambda metric: (-len(metric), metric))
    tape = _Tape(text, {name.value.casefold() for name in known_names} | {one.casefold() for one in known_metrics})
    quotes = tape.take_quotes(_CURLY) + tape.take_quotes(_TICKED)
    series = tape.take(_SELECTOR, _selector)
    quotes += tape.take_quotes(_QUOTED)
    for metric in known_metrics:
        series += tape.take(re.compile(rf"(?<!\w){re.escape(metric)}(?!\w)"), _metric)
    mentions = find_names(tape.text, known_names)
    tape.blank(*((mention.begin, mention.end) for mention in mentions))
    stamps = find_stamps(tape.text)
    spans = find_spans(tape.text, stamps)
    dates = find_dates(tape.text)
    tape.blank(*((begin, end) for _, begin, end in dates))
    tape.blank(*((stamp.begin, stamp.end) for stamp in stamps))
    numbers = tape.take(_NUMBER, _number) + tape.take(_WORD_NUMBER, _spelled) + tape.take(_ADVERB, _adverb)
    return Claims(
        text=text,
        quotes=tuple(sorted(quotes, key=lambda one: one.begin)),
        series=tuple(sorted(series, key=lambda one: one.begin)),
        names=mentions,
        stamps=stamps,
        spans=spans,
        dates=tuple(day for day, _, _ in dates),
        numbers=tuple(sorted(numbers, key=lambda one: one.begin)),
        words=tokens(tape.text.replace(_MASK, " ")),
        masked=tape.text,
    )


class _Tape:
    """A text from which parts are taken; what is taken becomes as many mask characters, so that places stay."""

    def __init__(self, text: str, known: set[str]) -> None:
        self.text = text.replace(_MASK, " ")
        self._known = known

    def blank(self, *places: tuple[int, int]) -> None:
        for begin, end in places:
            self.text = self.text[:begin] + _MASK * (end - begin) + self.text[end:]

    def take(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], _Part]) -> tuple[_Part, ...]:
        matches = tuple(pattern.finditer(self.text))
        self.blank(*(match.span() for match in matches))
        return tuple(read(match) for match in matches)

    def take_quotes(self, pattern: re.Pattern[str]) -> tuple[Quote, ...]:
        """Take quoted texts; a name, a series, a time or a number in quotes stays, without its marks."""
        found: list[Quote] = []
        for match in tuple(pattern.finditer(self.text)):
            begin, end = match.span()
            content = match[1]
            if content.casefold() in self._known or _PLAIN.fullmatch(content) or _SELECTOR.fullmatch(content):
                self.text = f"{self.text[:begin]} {self.text[begin + 1 : end - 1]} {self.text[end:]}"
                continue
            found.append(Quote(text=" ".join(content.split()), begin=begin, end=end))
            self.blank((begin, end))
        return tuple(found)


def _selector(found: re.Match[str]) -> SeriesMention:
    labels = ((label[1], label[2] or label[3] or label[4] or "") for label in _LABEL.finditer(found["labels"]))
    return SeriesMention(metric=found["name"], labels=tuple(labels), begin=found.start(), end=found.end())


def _metric(found: re.Match[str]) -> SeriesMention:
    return SeriesMention(metric=found[0], labels=(), begin=found.start(), end=found.end())


def _number(found: re.Match[str]) -> Number:
    digits = found["digits"].replace(",", "")
    sign = -1 if found["sign"] in ("-", "\u2212") else 1
    return Number(
        value=sign * float(digits),
        decimals=len(digits.partition(".")[2]),
        figures=len(digits.replace(".", "").lstrip("0")),
        unit=found["unit"] or "",
        text=found[0],
        begin=found.start(),
        end=found.end(),
    )


def _adverb(found: re.Match[str]) -> Number:
    value = float(_ADVERBS[found[1].lower()])
    return Number(value=value, decimals=0, figures=1, unit="", text=found[0], begin=found.start(), end=found.end())


def _spelled(found: re.Match[str]) -> Number:
    value = float(_SPELLED.index(found[1].lower()) + 2)
    return Number(value=value, decimals=0, figures=1, unit="", text=found[0], begin=found.start(), end=found.end())
