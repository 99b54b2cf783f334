"""What an answer says of its own gaps, found by words: a call that failed, a search that came back empty, a doubt.

English, and by table: a sentence counts if it holds a word of the kind and names what it is about. This is help for a
reader of an audit and decides nothing; `decision` does.
"""

import re
from collections.abc import Iterable

LOOKED_AT = 100_000
"""So many characters of an answer are looked at."""

_FAILED = re.compile(
    r"\b(?:fail(?:ed|s|ure|ures|ing)?|errors?|errored|time[ds]?[ -]?out|unavailable|unreachable|den(?:ied|ies)|refused"
    r"|forbidden|unauthori[sz]ed|rejected|broken|rate[ -]limit(?:ed)?|crashed|unable to|not (?:available|accessible"
    r"|permitted|allowed|recorded)|(?:could|can|did|was|were)(?: not|n['\u2019]t)|cannot)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(?:no|none|nothing|empty|zero|neither|without|not find|not found|nowhere"
    r"|(?:did|does|do|was|were|is|are|could|can)(?: not|n['\u2019]t)|cannot)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not confirmed|unconfirmed|unverified|no evidence|not enough (?:evidence|data|information)"
    r"|insufficient (?:evidence|data|information)|(?:could|can)(?:not| not|n['\u2019]t) (?:be )?(?:determine|confirm"
    r"|verif|find|establish|tell|say|identif|answer|access|retrieve)\w*|unable to \w+|i (?:do not|don['\u2019]t) know"
    r"|unknown|unclear|inconclusive)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*")
_WORD = re.compile(r"[^\W_]+")
_ANY_SOURCE = frozenset(
    "tool call query search lookup request command source log metric trace runbook document data database server"
    " service api file page site access connection retrieval result entry record evidence output".split()
)
"""Words that stand for a source where an answer does not name the tool."""


def failure_mentioned(answer: str, tool_name: str, /) -> bool:
    """Tell whether an answer says that this tool, or some source that it does not name, failed."""
    return _mentioned(answer, _FAILED, tool_name)


def emptiness_mentioned(answer: str, tool_name: str, /) -> bool:
    """Tell whether an answer says that this tool, or some source that it does not name, came back empty."""
    return _mentioned(answer, _EMPTY, tool_name)


def doubt_mentioned(answer: str, /) -> bool:
    """Tell whether an answer says of itself that something could not be found out."""
    return _DOUBT.search(answer[:LOOKED_AT]) is not None


def _mentioned(answer: str, said: re.Pattern[str], tool_name: str) -> bool:
    names = _ANY_SOURCE | set(_stems(_WORD.findall(tool_name)))
    return any(
        said.search(sentence) and names.intersection(_stems(_WORD.findall(sentence)))
        for sentence in _SENTENCE.findall(answer[:LOOKED_AT])
    )


def _stems(words: Iterable[str]) -> Iterable[str]:
    """Give each word in lower case and the singular, as far as a final letter tells."""
    for word in words:
        bare = word.casefold()
        yield bare.removesuffix("s") if len(bare) > 3 else bare
        if bare.endswith("ies"):
            yield bare.removesuffix("ies") + "y"
