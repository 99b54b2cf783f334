"""Words by which an answer names a source: a tool's own, those of its kind, and those of any tool.

English, and by table; a tool of no known kind is named by its own words and by those that stand for any source.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

_KINDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "log": frozenset(
            "log logging loki elasticsearch elastic opensearch kibana splunk logql journal syslog".split()
        ),
        "metric": frozenset(
            "metric prometheus prom promql grafana datadog victoriametrics mimir dashboard telemetry monitoring".split()
        ),
        "trace": frozenset("tracing jaeger tempo zipkin span".split()),
        "knowledge": frozenset("runbook knowledge documentation doc docs wiki playbook handbook confluence".split()),
        "command": frozenset("bash shell terminal command cmd exec script grep kubectl powershell subprocess".split()),
        "database": frozenset("sql database db postgres postgresql mysql sqlite table".split()),
        "web": frozenset("web http fetch browser url website webpage page site internet".split()),
        "file": frozenset("file read write edit folder directory glob path".split()),
        "payment": frozenset("payment pay charge card refund invoice billing".split()),
    }
)
_INSTRUMENTS = frozenset("tool call query search lookup request command source retrieval access".split())
"""Words that stand for any source: whatever is done with one is done by these."""

_PLACES = frozenset(
    "log metric trace runbook document data database server service api file page site connection result entry record"
    " evidence output backend store system endpoint".split()
)
"""Words that stand for a source where the sentence is about asking one; a story of a failure is full of them."""

_NO_SOURCES = frozenset("think thinking thought todo plan".split())
NAME_LOOKED_AT = 500
_NO_NAMES = frozenset("get the and for from with all any to of in on a an by is it or".split())
_ENDINGS: Mapping[str, str] = MappingProxyType({"ies": "y", "ing": "", "ed": ""})
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class SourceWords(NamedTuple):
    """The words of one tool: `sure` name it or its kind, `any` stand for any source; `kinds` are those it is of."""

    sure: frozenset[str]
    any: frozenset[str]
    kinds: frozenset[str]

    def names(self, word: str, /, *, asking: bool) -> bool:
        """Tell whether a word may mean this tool; where a source is plainly asked more words do."""
        forms = stems(word)
        if not self.any.isdisjoint(forms) or not self.sure.isdisjoint(forms):
            return True
        return asking and not _PLACES.isdisjoint(forms) and self.kinds.issuperset(kinds_of(forms) or self.kinds)

    def another(self, words: Iterable[str], /) -> bool:
        """Tell whether words name sources of other kinds alone, and this tool's kind is known."""
        named = kinds_of(form for word in words for form in stems(word))
        return bool(self.kinds and named) and self.kinds.isdisjoint(named)


@lru_cache(maxsize=512)
def words_for(tool_name: str, /) -> SourceWords:
    """Return the words that may mean a tool."""
    name = tool_name[:NAME_LOOKED_AT]
    words = {*_WORD.findall(name), *_WORD.findall(_HUMP.sub(" ", name))}
    own = frozenset(form for word in words for form in stems(word))
    own = (own - _NO_NAMES) or own
    kinds = kinds_of(own)
    return SourceWords(sure=own.union(*(_KINDS[kind] for kind in kinds)), any=_INSTRUMENTS, kinds=kinds)


def is_source(tool_name: str, /) -> bool:
    """Tell whether a tool can find anything: one that only keeps a thought or a list of tasks gives nothing back."""
    own = frozenset(word.casefold() for word in _WORD.findall(_HUMP.sub(" ", tool_name[:NAME_LOOKED_AT])))
    return _NO_SOURCES.isdisjoint(own)


def kinds_of(forms: Iterable[str], /) -> frozenset[str]:
    """Return the kinds of source that words name."""
    said = frozenset(forms)
    return frozenset(kind for kind, words in _KINDS.items() if not words.isdisjoint(said))


def stems(word: str, /) -> frozenset[str]:
    """Return a word in lower case as it stands and without the endings of a plural and of a verb."""
    bare = word.casefold()
    plain = (bare.removesuffix("s"), bare.removesuffix("es")) if len(bare) > 3 else ()
    ended = (
        bare.removesuffix(ending) + instead
        for ending, instead in _ENDINGS.items()
        if bare.endswith(ending) and len(bare) > len(ending) + 2
    )
    return frozenset((bare, *plain, *ended))
