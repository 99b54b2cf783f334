"""Words as rules compare them: lower case, plural like singular, and the words that carry no claim of their own."""

import re

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?", re.UNICODE)
_POSSESSIVE = re.compile(r"['\u2019]s$")

STOP = frozenset(
    """a an the this that these those it its they their them there here he she we us our you your i me my
    and or as of in on at to from for by with within into onto over under about around during per via among
    is are be been being was were am do does did has have had having
    which who whom whose what when where why how while also too very just then so if than
    can could would should will please show tell give me let know find look see check
    one each both same such own s t re ve ll d am pm utc gmt""".split()
)
"""Words of grammar in questions."""

STATING = frozenset(
    """a an the this that these those it its their them there
    and of in on at to from for by with within into during per via among as
    is are be been being was were has have had having
    which who when where while also both each same s""".split()
)
"""Words of grammar in statements: no modals, no comparisons, nothing that turns or weakens what is said."""

REPORTING = frozenset(
    """log hold holds held logs logged logging entry entries line lines message messages record records
    recorded reported report reports reporting wrote write writes written said says say saying show
    shows showed shown showing read reads reading seen saw state states stated see observed found given
    time times timestamp timestamped window minute minutes second seconds hour hours day date between
    until metric metrics series value values point points sample samples sampled measured stood reached
    count counted label labels named called name pod pods service services app application instance
    container node host according contains contain containing included including includes following
    follows source evidence text output level around approximately about roughly some namely i.e e.g ie
    eg emitted printed emits prints registered""".split()
)
"""Words with which a report introduces what it reports; they claim nothing that the cited row could deny."""

PROCEDURE = frozenset(
    """runbook runbooks guide document documentation knowledge article page procedure step steps section title
    recommends recommend recommended advises advise suggests suggest describes describe explains explain
    instructs instruct means mean meaning defined""".split()
)
"""Words with which an answer introduces what a runbook says."""

GENERAL = frozenset(
    """wrong happen happened happening happens issue issues problem problems incident outage trouble broke broken down
    go went going cause caused causes reason reasons root unhealthy unavailable status state behaviour behavior
    affected affect impact look looking system database db alert alerts alarm alarms fire fired firing
    anything something everything unusual strange abnormal anomaly normal spike spikes high low higher much many long
    need needs want fix resolve mitigate handle do doing get got getting last past first recent recently ago now today
    yesterday currently since before after any all more most been right between many often usage use used rate
    start started starting begin began end ended still back again morning afternoon evening night
    during day week pods services apps hold held  take took taking use using used keep kept come came stay stayed
    run running ran work working works stop stopped respond responding""".split()
)
"""Words of a question that name no particular thing."""

CAUSAL = re.compile(
    r"\b(?:because|caus(?:e|es|ed|ing)|due to|owing to|thanks to|root cause|result(?:s|ed|ing)? (?:in|from)|led to"
    r"|leads? to|trigger(?:s|ed|ing)?|responsible for|therefore|hence|consequently|as a result|so that|stems? from"
    r"|reason for|why)\b",
    re.IGNORECASE,
)
"""Words that claim a cause."""

NEGATION = frozenset(
    "no not none never neither nor nothing nobody without cannot zero isn't wasn't weren't aren't don't "
    "doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't absent missing lacks".split()
)
"""Words that turn a statement round, or claim absence."""

DENYING = re.compile(
    r"\b(?:fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|ceas(?:e|es|ed|ing)|stop(?:s|ped|ping)?|unable|forgot|omitted|avoided)"
    r"\s+(?:to\s+)?(?:log|write|report|show|record|say|logging|writing|reporting|showing|recording|saying)\b",
    re.IGNORECASE,
)
"""Words that deny what a verb of reporting would claim."""

WHOLE = frozenset(
    "only all every everything entire entirely always total altogether first last earliest latest sole solely "
    "exactly unique never overall".split()
)
"""Words that claim completeness: partial or indirect evidence never carries them."""


def tokens(text: str, /) -> tuple[str, ...]:
    """Return the words of a text in order, lower case, without possessive endings."""
    return tuple(_POSSESSIVE.sub("", found[0].lower()) for found in _TOKEN.finditer(text))


def singular(word: str, /) -> str:
    """Return a word without a plural `s`; no other ending is touched, since a verb's form says who did what."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def stem(word: str, /) -> str:
    """Return the rough root of a word, for comparing what a question and an answer are about."""
    word = singular(word)
    for ending in ("ing", "ed", "er", "e"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word.removesuffix(ending)
    return word
