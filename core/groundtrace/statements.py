"""Whether a text states anything: a greeting, a question back, a refusal and an empty search need no evidence.

English, and by table; what is not recognised counts as a statement. Help for a reader of an audit, as `mentions` is.
"""

import re
from collections.abc import Collection, Iterator

from groundtrace.mentions import LOOKED_AT, doubt_mentioned
from groundtrace.search_reports import tells_of_a_failure, tells_of_a_search

_SENTENCE = re.compile(r"(?:\s*\d{1,3}\.\s)?[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*[.!?]*")
_TURN = re.compile(r"; |, (?:but|though|however),? ", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*\u2022>#]+|\d{1,3}[.)])\s*")
_OPENINGS = re.compile(
    r"(?:(?:hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening|day)|sure(?: thing)?|of course|certainly"
    r"|absolutely|first|then|next|also|additionally|unfortunately|however|alternatively|once you have (?:it|them|that)"
    r"|ok(?:ay)?|great|understood|got it|no problem|sorry|thanks|thank you|(?:yes|no)(?=, ))"
    r"\b(?: there| again)?[\s,!:;-]*)*",
    re.IGNORECASE,
)
_BY_NAME = re.compile(r"[A-Z]\w*")
_CLAIMS_NOTHING = re.compile(
    r"""(?: thank(?:s|\ you)\b | you['\u2019]?(?:\ a)?re\ (?:very\ )?welcome | (?:good)?bye\b
    | have\ a\ \w+\ (?:day|one|evening)
    | you\ (?:can|could|may|might)\ (?:also\ |(?:want|need)\ to\ |usually\ )?(?:check|look|provide|reach|contact|ask)\b
    | (?:if|once)\ you\b[^,]{1,160},\ (?:i|please|you\ (?:can|could|may|might))\b | safe\ travels\b
    | take\ care\b
    | (?:this|that|it)\ (?:will|would)\ (?:help|allow|let)\ me\b | welcome\ to | for\ (?:your|reaching|contacting)\b
    | (?:i['\u2019]m|i\ am)\ (?:so\ |very\ |really\ )?sorry\b(?!,?\ (?:but\ )?(?:the|it|this|that\ the)\b)
    | i\ apologi[sz]e | (?:my\ )?apologies
    | how\ (?:can|may)\ i | what\ (?:can|would) | (?:could|can|would|will|may)\ (?:you|i)\b
    | please\ (?:provide|check|tell|share|confirm|specify|give|send|clarify|let|describe|wait|choose|reply|type|enter
      |upload|paste|log\ in|bear|feel|hold)\b
    | (?:if|once|when|after|as\ soon\ as)\ (?:you|i|we|there['\u2019]s|that['\u2019]s)\b
      [^:]{1,160}\b(?:i|we)(?:['\u2019]ll|\ can|\ will|\ could)\b
    | (?:to|in\ order\ to)\ [^:]{1,120}?\b(?:i|we)(?:['\u2019]ll|['\u2019]d|\ will|\ would)?\ need\b
    | (?:please\ )?(?:do\ not|don['\u2019]t)\ hesitate\b | (?:please\ )?take\ your\ time\b | talk\ to\ you\b
    | sounds\ good\W*$ | at\ all\W*$ | i\ (?:hope|understand\ (?:your|the\ urgency|that\ this\ is|how))\b
    | (?:please\ )?try\ to\ (?:find|locate|get)\b | kindly\b
    | once\ [^:,]{1,80},\ (?:i|we)(?:['\u2019]ll|\ can|\ will|\ could)\b
    | for\ [^,:]{1,80},\ (?:please|i['\u2019]ll|i\ will|i\ need)\b
    | if\ there['\u2019]s\ any\w*\ else\b | (?:they|he|she)\ (?:will|should)\ be\ able\ to\ (?:help|assist)\b
    | you\ (?:can|may|might)\ (?:usually\ )?find\ (?:it|this|these|them|the|your)\b[^,:;]{0,60}\ in\ your\b
    | i\ (?:recommend|suggest|advise)\ (?:checking|contacting|asking|reaching)\b
    | (?:happy|glad|pleased)\ to\ (?:help|assist)\b
    | [^:]{1,80},\ please\W*$
    | (?:just\ |simply\ )?let\ (?:me|us)\b | feel\ free | if\ you\b.*\b(?:let\ me|feel\ free|tell\ me|please|hesitate)\b
    | (?:i['\u2019]ll|i\ will|i['\u2019]m\ going\ to|i\ am\ going\ to|we['\u2019]ll|we\ will)\b
    | (?:i['\u2019]d|i\ would)\ (?:be\ (?:happy|glad)|love|like)\ to
    | i\ can\ (?:\w+ly\ |also\ |then\ )?(?:help|assist|check|look|do|find|try|search)\b
    | (?:i['\u2019]m|i\ am)\ (?:here|happy|glad|ready|an?\ (?:ai|assistant|bot|language))\b
    | (?:to|before|in\ order\ to|so\ that)\b[^,]{1,120},\ (?:please|i|could\ you|can\ you|would\ you)\b
    | (?:i|we)(?:['\u2019]ll|\ will|['\u2019]d|\ first|\ still)?\ (?:need|require)
      \ (?:either\ )?(?:your|the|more|a|an|some|to\ know|you)\b
    | (?:but\ |however,?\ |unfortunately,?\ )?(?:i|we)(?:['\u2019]m|['\u2019]re|\ am|\ are)?
      \ (?:cannot|can['\u2019]t|can\ not|unable
      |not\ (?:able|allowed|permitted)|won['\u2019]t|will\ not|(?:must|have\ to)\ (?:decline|refuse)|decline
      |do\ not\ have|don['\u2019]t\ have|do\ not\ know|don['\u2019]t\ know)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def states_something(text: str, /, *, failed: Collection[str] = ()) -> bool:
    """Tell whether any sentence of a text claims something; that a tool of `failed` failed is no claim."""
    asks_for = False
    for sentence in _sentences(text):
        bullet = _BULLET.match(sentence)
        said = sentence[bullet.end() if bullet else 0 :].strip()
        if asks_for and bullet:
            continue
        if _claims(said) and not _reports(said, failed):
            return True
        asks_for = said.rstrip().endswith(":") or (asks_for and not said)
    return False


def states_without_doubt(text: str, /, *, failed: Collection[str] = ()) -> bool:
    """Tell whether a text claims something and names no doubt; an empty search beside a claim is none."""
    doubts = (doubt_mentioned(part) for part in _sentences(text) if not _reports(part, failed))
    return states_something(text, failed=failed) and not any(doubts)


def _reports(sentence: str, failed: Collection[str]) -> bool:
    return tells_of_a_search(sentence) or any(tells_of_a_failure(sentence, name) for name in failed)


def _sentences(text: str) -> Iterator[str]:
    return (part for found in _SENTENCE.finditer(text[:LOOKED_AT]) for part in _TURN.split(found[0]))


def _claims(sentence: str) -> bool:
    opening = _OPENINGS.match(sentence)
    opened = opening is not None and opening.end() > 0
    rest = sentence[opening.end() if opening else 0 :].strip()
    if rest.endswith("?") or not any(sign.isalnum() for sign in rest):
        return False
    if opened and _BY_NAME.fullmatch(rest.rstrip(".! ")):
        return False
    return _CLAIMS_NOTHING.match(rest) is None and _CLAIMS_NOTHING.match(sentence) is None
