"""Sentences that tell of a search alone: that it found nothing, or could not be made. They claim nothing else.

English, and by table; what is not recognised is no such report. Help for a reader of an audit, as `mentions` is.
"""

import re

from groundtrace.mentions import failure_mentioned

LONGEST = 1_000
"""A sentence of more characters than these tells of more than a search."""

_NOT = r"(?:\ ?not|n['\u2019]t)"
_NOTHING = r"(?:no|nothing|none|zero|0|empty|an?\ empty|not\ any|without|blank|null|nil)"
_SEARCH = r"""(?:search(?:es)?|quer(?:y|ies)|lookups?|calls?|requests?|tools?|commands?|greps?|logs?|metrics?|traces?
    |runbooks?|results?|outputs?|responses?|loki|prometheus|elasticsearch|grafana|jaeger|kubectl|sources?
    |\w+_\w+)"""
_DATA = r"""(?:logs?|metrics?|traces?|spans?|results?|rows?|hits?|match(?:es)?|entr(?:y|ies)|records?|lines?|data
    |information|documents?|runbooks?|samples?|points?|series|events?|evidence|outputs?)"""
_MADE = r"(?:(?:i|we)\ (?:have\ |just\ )?|['\u2019]ve\ )"
_LOOK = r"(?:looked|searched|checked|queried|grepped|asked|tried|went|read|ran|called|scanned)"
_KNOW = r"""(?:determine|confirm|verify|establish|tell|say|identify|know|conclude|rule|sure|certain|answer|prove
    |(?:find|see)\ (?:any\ |the\ |a\ |clear\ )*(?:proof|evidence|cause|reason|root|explanation))"""
_FOUND = r"""(?:f(?:ou|i)nd|saw|seen?|got(?:ten)?|get|received?|located?|spot(?:ted)?|retrieved?|noticed?)"""

_REPORT = re.compile(
    rf"""(?:(?:and|but|so\ far|however|unfortunately|sadly|also|again|still|now|yet|here|i['\u2019]m\ afraid|as\ yet)
        [,\s]+)*
    (?: {_MADE}(?:\w+\ )?{_FOUND}\ {_NOTHING}\b
    | {_MADE}(?:\w+\ )?{_LOOK}\b[^.]{{0,160}}?\b(?:and|but)\ (?:i\ |we\ )?(?:have\ )?
        (?:{_FOUND}|got|there\ (?:was|were|is|are))\ {_NOTHING}\b
    | {_MADE}(?:\w+\ )?(?:looked|searched|checked|queried|grepped|asked|tried|went\ through|ran|called|scanned)\b
    | (?:i|we)(?:['\u2019]ve|['\u2019]m|['\u2019]re)?\ (?:(?:am|are|was|were|have|had|been|also|still|just)\ )*
        (?:(?:could|can|was|were|am|are){_NOT}|can['\u2019]t|cannot|unable|failed)\b(?!.{{0,12}}\b{_KNOW}\b)
    | (?:i|we)\ (?:did|do|have|had){_NOT}\ (?:\w+\ )?(?:{_FOUND}|come\ across|able|been\ able)\b
    | (?:(?:the|my|your|our|this|that|each|every|all|both|an?|of|last|first|second|other)\ |\w+\ ){{0,4}}?{_SEARCH}
        (?:\ (?:for|of|in|on|to|against|with|over|from)\ [^,:;]{{1,80}}?)?\ (?:\w+ly\ |have\ |has\ |also\ |all\ )?
        (?:(?:return|g[ai]ve|yield|produc|show|turn(?:ed)?\ up|c[oa]me\ (?:back|up)|contain|match|brought|found|find|had
        |hold|held|is|are|was|were)\w*)\ (?:back\ |up\ |with\ )?{_NOTHING}\b
    | (?:the|my|your|our|this|that|each|every|all|both)\ (?:\w+\ ){{0,3}}?{_SEARCH}\ (?:\w+ly\ )?
        (?:fail(?:ed|s)|errored|timed\ out|was\ (?:denied|refused|rejected|blocked)|did{_NOT}\ (?:work|return|answer
        |respond|find|succeed|complete))\b
    | (?:it|they|that|this)\ (?:also\ |all\ )?(?:failed|timed\ out|errored|returned\ {_NOTHING}|found\ {_NOTHING}
        |came\ back\ {_NOTHING}|did{_NOT}\ (?:work|return\ any\w*))\b
    | {_FOUND}\ {_NOTHING}\b | nothing\W*$ | none\ of\ (?:\w+\ ){{1,4}}?(?:returned|found|gave|matched|showed|worked)\b
    | nothing\ (?:\w+\ )?(?:was\ found|was\ returned|turned\ up|came\ (?:back|up)|matched|found|returned)\b
    | there\ (?:was|were)\ (?:nothing\b(?!\ wrong)|no\ (?:\w+\ ){{0,3}}?{_DATA}\b)
    | there\ (?:is|are)\ no\ (?:\w+\ )?{_DATA}\b
    | (?:no|zero|0)\ (?:\w+[\w-]*\ ){{0,4}}?(?:(?:was|were|has\ been|have\ been|could\ be)\ )?
        (?:found|returned|retrieved|seen|matched)\b
    | (?:no|zero|0)\ (?:\w+\ )?{_DATA}(?:\ (?:for|in|from|at|on|available|is|are|match)\b|\W*$)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_COLON = re.compile(r":\s*\w")
_GOES_ON = re.compile(
    r"""\b(?:because|since|so|therefore|hence|thus|meaning|means|due\ to|which|proves?|confirms?|caused?|as\ the)\b
    | [,:;(\u2013\u2014-]\s*(?:the|it|this|that|everything|all|your|they|he|she|there|i\ have|i\ did|we\ have)\b
    | \b(?:and|but|while|although|though)\ (?:the|it|this|that|everything|all|your|they|there)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def tells_of_a_search(sentence: str, /) -> bool:
    """Tell whether a sentence says that a search found nothing or could not be made, and nothing beside it."""
    said = sentence.strip()
    report = _REPORT.match(said) if len(said) <= LONGEST else None
    return report is not None and not any(more.search(said, report.end()) for more in (_GOES_ON, _COLON))


def tells_of_a_failure(sentence: str, tool_name: str, /) -> bool:
    """Tell whether a sentence says that this tool failed, and nothing of the world beside it."""
    said = sentence.strip()
    return len(said) <= LONGEST and failure_mentioned(said, tool_name) and _GOES_ON.search(said) is None
