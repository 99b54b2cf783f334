"""What an answer says of its own gaps, found by words: a call that failed, a search that came back empty, a doubt.

English, and by table: a sentence counts if it says so of a source, not if a source tells it of something else. This is
help for a reader of an audit and decides nothing; `decision` does.
"""

import re
from collections.abc import Iterator

from groundtrace.source_words import SourceWords, words_for

LOOKED_AT = 100_000
"""So many characters of an answer are looked at."""

SENTENCE_LOOKED_AT = 2_000
"""So many characters of a sentence are looked at."""

_NEAR = 90
"""A source and what became of it stand this near to each other, in characters."""

_NOT = r"(?:not|n['\u2019]t)"
_NO = r"(?:\s?not|n['\u2019]t)"
_CANT = r"(?:ca|wo)n['\u2019]t"
_TOLD = r"show|contain|report|indicate|reveal|mention|list|include|match|suggest|have"
_FAILED = re.compile(
    rf"""\b(?:fail(?:ed|s|ing)? | errored | time[ds]?[ -]?out | timeout | unavailable | unreachable | inaccessible
    | offline | den(?:ied|ies) | refused | forbidden | unauthori[sz]ed | rejected | blocked | broken | aborted
    | throttl(?:ed|es|ing) | cancell?ed | interrupted | rate[ -]limit(?:ed|s)? | crashed | w(?:ent|as|ere)\ wrong
    | unable\ to | no\ (?:response|reply) | inconclusive\ because
    | (?:is|are|was|were|be|been|seems?|still)\ (?:\w+\ )?down\b(?!\ (?:by|to|from|\d))
    | exited\ (?:with|non) | not\ (?:available|accessible|permitted|allowed|recorded|respond\w*|work\w*|reachable)
    | (?:(?:could|can|would|did|does|do|will){_NO}|{_CANT})(?!\ (?:\w+\ )?(?:{_TOLD}|find))
    | could\ no\ longer | (?:was|were|is|are)\ ?{_NOT}\ (?:be|able|possible|successful|complet\w+|answer\w+|load\w+
    | retriev\w+|read\b|return\w+|executed|run(?:ning)?)
    | (?:returned|gave|got|hit|threw|raised|with|was|encountered|met|produced|yielded|answered)
    \ (?:an?\ |some\ |only\ )?(?:\w+\ )?(?:errors?|exceptions?|failures?|problems?|issues?|timeouts?)
    | (?:returned|gave|got|with|answered|status|code|http)\ (?:an?\ )?(?:http\ |status\ |code\ |error\ )*[45]\d\d\b
    (?!\ ?(?:ms|milliseconds|seconds|s|lines|rows|hits|entries|records|results|events|matches)\b))\b
    | (?::|=|-|\u2013)\s*(?:errors?|failed|failure|timeout|\u274c)""",
    re.IGNORECASE | re.VERBOSE,
)
_INABILITY = re.compile(
    rf"""(?:^|[,;:(]|\b(?:i|we|but|and|so|because|since|as|unfortunately|sadly|however|therefore|also)\b)
    [\s\-*>]*(?:(?:i|we|was|were|am|are|have|had|still|also|just|been)\s+|['\u2019]ve\s+){{0,4}}
    (?:(?:could|can|did|do|was|were|had|have|am|are){_NO} | {_CANT} | unable | not\ able | not\ allowed
    | failed\ to | (?:have|had|got|with)?\ ?no\ (?:access|permission|response|answer|reply) | lack(?:ed)?\b
    | never\ (?:got|received|reached) | (?:(?:ran|run)\ into|hit|got|had|encountered|there\ (?:was|were))
    \ (?:an?\ |some\ )?(?:\w+\ )?(?:problems?|issues?|errors?|trouble|timeouts?|exceptions?))
    (?!\ (?:\w+\ )?(?:find|identify|see\ any|determine|confirm)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_PROBLEM = re.compile(
    r"\b(?:problems?|issues?|errors?|trouble|timeouts?|exceptions?) (?:when |while |in )?(?:query|read|fetch|reach|load"
    r"|access|retriev|search|call|runn|with the)\w*",
    re.IGNORECASE,
)
_REPORTS = re.compile(rf"\b(?:{_TOLD}|say|said|confirm|record|count|point|see|has)(?:s|ed|ing|n)?\b", re.IGNORECASE)
_EMPTY = re.compile(
    r"\b(?:no|none|nothing|empty|zero|0|neither|without|blank|missing|lacks?|absent|not find|not found|nowhere"
    r"|(?:did|does|do|was|were|is|are|could|can)(?: not|n['\u2019]t)|cannot|can['\u2019]t)\b",
    re.IGNORECASE,
)
_EMPTY_ALONE = re.compile(r"\bnothing (?:\w+ )?(?:turned up|came back|came up)\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not confirmed|unconfirmed|unverified|no (?:evidence|proof|information|data)\b|not enough (?:evidence|data"
    r"|information)|(?:do|did)(?: not|n['\u2019]t) have (?:enough|access|any|the) ?\w*|insufficient (?:evidence|data"
    r"|information)|(?:(?:could|can|did)(?:not| not|n['\u2019]t)|can['\u2019]t)"
    r" (?:be )?(?:determine|confirm|verif|find|establish|tell|say"
    r"|identif|answer|access|retrieve|know|conclude|reach|rule out|be (?:sure|certain))\w*|unable to \w+"
    r"|not able to \w+"
    r"|(?:was|were)n['\u2019]t able to \w+|(?:do not|don['\u2019]t) know|not (?:sure|certain)|unsure|uncertain|unknown"
    r"|unclear|inconclusive|possibly|perhaps|probably|(?:most |quite )?likely|presumably|apparently|(?:may|might|could)"
    r" (?:also )?(?:be|have)|i (?:suspect|assume|guess)|seem(?:s|ed)?(?: to| that| like)?|appear(?:s|ed)? (?:to|that)"
    r"|looks like"
    r"|only guess|a guess|speculat\w+|nothing (?:that )?(?:confirms|proves|supports))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*")
_WORD = re.compile(r"[^\W_]+")


def failure_mentioned(answer: str, tool_name: str, /) -> bool:
    """Tell whether an answer says that this tool, or some source that it does not name, failed."""
    words = words_for(tool_name)
    return any(_tells_failure(sentence, words) for sentence in _sentences(answer))


def emptiness_mentioned(answer: str, tool_name: str, /) -> bool:
    """Tell whether an answer says that this tool, or some source that it does not name, came back empty."""
    words = words_for(tool_name)
    return any(_tells_emptiness(sentence, words) for sentence in _sentences(answer))


def doubt_mentioned(answer: str, /) -> bool:
    """Tell whether an answer says of itself that something could not be found out."""
    return _DOUBT.search(answer[:LOOKED_AT]) is not None


def _sentences(answer: str) -> Iterator[str]:
    return (found[0][:SENTENCE_LOOKED_AT] for found in _SENTENCE.finditer(answer[:LOOKED_AT]))


def _tells_failure(sentence: str, words: SourceWords) -> bool:
    """Tell whether a source is said to have failed, or somebody says that it could not be asked."""
    if not (_FAILED.search(sentence) or _INABILITY.search(sentence) or _PROBLEM.search(sentence)):
        return False
    found = list(_WORD.finditer(sentence))
    if words.another(one[0] for one in found):
        return False
    named = [one.span() for one in found if words.names(one[0], asking=False)]
    if any(_became(sentence, named, failed.start()) for failed in _FAILED.finditer(sentence)):
        return True
    asked = [one.start() for one in found if words.names(one[0], asking=True)]
    ends = (one.end() for pattern in (_INABILITY, _PROBLEM) for one in pattern.finditer(sentence))
    return any(end - _NEAR // 4 <= start <= end + _NEAR for end in ends for start in asked)


def _became(sentence: str, named: list[tuple[int, int]], failed: int) -> bool:
    """Tell whether a source stands before what became of it, and does not report it of something else."""
    near = [end for start, end in named if start < failed <= end + _NEAR]
    return bool(near) and not any(_REPORTS.search(sentence, end, failed) for end in near)


def _tells_emptiness(sentence: str, words: SourceWords) -> bool:
    if _EMPTY_ALONE.search(sentence):
        return True
    if not _EMPTY.search(sentence):
        return False
    said = _WORD.findall(sentence)
    return not words.another(said) and any(words.names(word, asking=True) for word in said)
