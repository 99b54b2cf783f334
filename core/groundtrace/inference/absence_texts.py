"""The published table of sentences by which tools say that they found nothing, beyond that of `emptiness`.

Each is a whole line, without brackets around it and without a final full stop.
"""

from groundtrace.inference.known_texts import Known, KnownTexts

_PLACE = (
    r"(?:,? (?:for|in|matching|with|between|within|from|at|under|on|to|of|that|which|during|since|against|by"
    r"|containing|using|after|before|because|as)\b[^\n]{1,250})?"
)
_FOUND = (
    r"(?:found|returned|available|matched|recorded|detected|retrieved|reported|present|exists?"
    r"|to (?:show|display|report|list)|discovered|collected|located|listed|received|logged|stored|indexed)"
)
_THING = r"(?:[\w'\"./-]+ ){0,6}?[\w'\"./-]+"
_THINGS = (
    r"(?:results?|match(?:es)?|data(?: ?points?)?|records?|entr(?:y|ies)|rows?|hits?|documents?|logs?|items?|files?"
    r"|events?|metrics?|traces?|samples?|series|resources?|output|content|changes)"
)
_COUNTED = (
    r"(?:results?|rows?|match(?:es)?|hits?|records?|items?|entr(?:y|ies)|documents?|files?|events?|lines?|messages?"
    r"|alerts?|tickets?|issues?|posts?|users?|orders?|e?mails?|tasks?|jobs?|pods?|services?|incidents?|comments?"
    r"|products?|traces?|spans?|logs?|series|samples?|data ?points?|articles?|hosts?|instances?|nodes?|commits?)"
)
_MACHINE = (
    r"(?!(?:the |a |an |any |valid |[45]\d\d |your |required )*(?:files?|director(?:y|ies)|folder|path|command|tool"
    r"|function|endpoint"
    r"|route|url|method|module|page|host|package|api|not|credentials?|tokens?|config(?:uration)?|server|binary"
    r"|executable|error|failed|element|selector|string|text)\b)"
)
"""Things of the machine: that one of these is not there is a failure, and no empty answer."""

_WHO = r"(?:(?:sorry|unfortunately|oops)[,.!]? )?(?:(?:i|we|it|the [\w-]+|this [\w-]+) )?(?:have |was |were )?"
_NOT = r"(?:(?:do|does|did|is|are|was|were|has|have|could|can) ?(?:not|n't)|cannot)"
_NOUNS = r"(?:[\w#'\"/-]+ ){0,5}[\w'\"/-]+"

ABSENCE = KnownTexts(
    (
        Known(
            "no THING was found",
            rf"no {_THING}(?: (?:were|was|are|is|have been|has been|could be))? (?:currently )?{_FOUND}{_PLACE}",
            "No pending orders were found for this customer",
        ),
        Known(
            "no THING matches this",
            rf"no {_THING} (?:match(?:es|ed)?|fit(?:s|ted)?|satisf(?:y|ies|ied)|meet|met)"
            r" (?:(?:your|the|this|that|these|those|any) [^\n]{1,200}|[^\n]{1,200})",
            "No rule matches the given selector",
        ),
        Known(
            "no THINGS",
            rf"no (?:more |matching |further |relevant |new |such )?{_THINGS}{_PLACE}",
            "No matching data points between 10:00 and 10:05",
        ),
        Known(
            "no THINGS here",
            rf"no (?:[\w'-]+ ){{0,3}}(?:[\w-]+s|history|information|info|activity|feedback|mail|traffic)"
            rf"(?: (?:yet|at all|here|currently|right now|at this time))?{_PLACE}",
            "No deployments in the last week",
        ),
        Known(
            "WHO has no THINGS",
            rf"(?:[\w#'\"@.-]+ ){{1,6}}(?:has|have|had|contains?|returned|includes?|holds?) (?:no|zero"
            rf"|0) {_NOUNS}{_PLACE}",
            "You have no open invoices",
        ),
        Known(
            "WHO does not have any THINGS",
            rf"(?:[\w#'\"@.-]+ ){{1,6}}{_NOT} (?:have|contain|return|include|yield|produce|hold"
            rf"|show) any {_NOUNS}{_PLACE}",
            "This account does not have any invoices",
        ),
        Known(
            "the search did not match",
            r"(?:your |the )?(?:search|query|filter|pattern|criteria|expression|selector)\b[^\n]{0,150}"
            rf" {_NOT} (?:match|return|find|yield|produce) [^\n]{{1,120}}",
            "Your search - blue kiwi - did not match any documents",
        ),
        Known(
            "nothing in PLACE",
            r"nothing (?:in|on|at|for|about) [^\n]{1,100} (?:match\w*|found|fits?|meets?|here|available|exists?"
            r"|satisf\w+)"
            r"[^\n]{0,60}|nothing (?:new|else|relevant|similar|scheduled|planned|pending|queued|left)"
            r"(?: (?:found|here|to \w+|yet|today|tomorrow|for|in|on|at)\b[^\n]{0,80})?",
            "Nothing in this notebook matches",
        ),
        Known(
            "THINGS: none",
            r"(?:[\w-]+ ){0,4}[\w-]+ ?[:=] ?\(?(?:none|nothing|empty|n/a|\[\]|\{\}|no results?|none found"
            r"|not found)\)?",
            "Open invoices: none",
        ),
        Known(
            "none of them",
            rf"none(?: (?:of [^\n]{{1,80}}))? (?:match(?:es|ed)?|found|available|returned|exist){_PLACE}",
            "None found",
        ),
        Known(
            "there are no THINGS",
            rf"there (?:are|is|were|was) (?:no|not any|currently no) {_THING}{_PLACE}",
            "There are no alerts firing at this time",
        ),
        Known(
            "could not find",
            rf"{_WHO}(?:{_NOT}|unable to|not able to|failed to) (?:find|locate) {_MACHINE}[^\n]{{1,250}}",
            "Could not find any invoice with that number",
        ),
        Known(
            "the search returned nothing",
            r"(?:the )?(?:search|query|filter|lookup|request|command)(?: for [^\n]{1,120})?"
            rf" (?:returned|found|matched|yielded|produced|gave) (?:(?:no|zero|0|nothing)(?: {_THING})?"
            rf"|an empty [\w-]+(?: [\w-]+)?){_PLACE}",
            "The query returned no rows",
        ),
        Known(
            "nothing to show",
            rf"nothing (?:was |to )?(?:found|matched|matches|returned|show|display|report|here|to do){_PLACE}",
            "Nothing to show",
        ),
        Known(
            "found 0",
            rf"{_WHO}(?:found|returned|showing|matched|got|total(?: of)?:?|fetched|retrieved|listed) (?:0|zero|no)"
            rf"(?: {_THING})?{_PLACE}",
            "Found 0 issues in project DEMO",
        ),
        Known(
            "0 THINGS found",
            rf"(?:0|zero) (?:of \d+ )?{_THING} (?:{_FOUND[3:-1]}|in set|selected|affected|shown){_PLACE}",
            "0 of 12 checks returned",
        ),
        Known("0 THINGS", rf"(?:0|zero) {_COUNTED}{_PLACE}", "0 rows"),
        Known(
            "count: 0",
            rf"(?:(?:total|count|hits|results|matches|found|rows|records|items)(?: {_THING})?|number of {_THING})"
            r" ?[:=] ?(?:0|none|zero)",
            "Total results: 0",
        ),
        Known(
            "empty set",
            r"(?:an? )?empty (?:set|result(?: set)?|response|list|output|file|directory|table|array|hash|string|page)"
            r"(?: or set)?(?: ?\([\d.]+ sec\)?)?",
            "Empty set (0.00 sec)",
        ),
        Known(
            "the list is empty",
            r"(?:the |this |warning: |note: )*(?:file exists but the )?(?:search |query )?(?:result(?: set)?s?"
            r"|response|output"
            r"|list|file|directory|folder|table|contents?|page|queue|inbox|cart|index|collection)(?: [^\n]{1,100})?"
            r" (?:is|was|are|were) (?:currently )?empty",
            "The result set is empty",
        ),
        Known(
            "no output",
            r"\(?(?:no (?:output|content|stdout|results?|matches|data|rows|body)|empty(?: output| response)?)\)?",
            "no stdout",
        ),
        Known(
            "ran with no output",
            r"(?:tool|command|bash|the command|execution|script) (?:ran|completed|executed|finished|succeeded)"
            r"(?: execution)?(?: successfully)?(?:,)? (?:with no|without(?: any)?|but (?:produced|returned|had) no"
            r"|and (?:produced|returned) no) (?:output|results?|stdout)(?: or errors?)?(?: to [^\n]{1,40})?",
            "Command completed without any output",
        ),
        Known(
            "went well, but found nothing",
            r"(?:the )?(?:\w+ ){1,4}(?:successfully|without errors?),? (?:but|and) (?:there (?:are|were|is|was) )?no"
            rf" {_THINGS}(?: {_FOUND})?{_PLACE}",
            "Statement executed successfully, but no rows found",
        ),
        Known(
            "no tests",
            r"=*\s?(?:[\w.]{1,20}: )?no tests (?:ran|(?:were )?(?:collected|found|run))(?: in [\d.]+ ?s)?\s?=*",
            "=== no tests ran in 0.12s ===",
        ),
        Known(
            "your command did not produce output",
            r"your (?:command|code|script|query) ran successfully and did not produce any output",
            "Your command ran successfully and did not produce any output",
        ),
        Known(
            "THING not found",
            rf"{_MACHINE}(?:[\w#'\"-]+ ){{1,6}}(?:(?:was|were|is|are) )?not found(?: (?:in|for|with) [^\n:]{{1,120}})?",
            "Customer 1204 was not found",
        ),
        Known("no existing THING", r"no existing [\w ]{1,60}", "No existing silences"),
    )
)

FRAMES = KnownTexts(
    (
        Known(
            "it went well",
            r"(?:the |your )?(?:query|command|search|request|statement|lookup|call|operation|execution|tool)"
            r"(?: (?:was|has|has been))? ?(?:executed|completed?|succeeded|ok|finished|ran|successful|processed)"
            r"(?: successfully| ok)?(?: in [^\n]{1,30})?[.!;,:]*",
            "Query executed successfully.",
        ),
        Known("done", r"(?:ok|done|success|sorry|unfortunately|oops)[.!,;:]*", "Done."),
        Known(
            "advice",
            r"(?:please |you (?:can|may|could|might|should) |perhaps |maybe |consider |try |check |make sure "
            r"|ensure |use "
            r"|did you mean |double-check |verify |adjust |refine |widen |broaden |see )[^\n]{0,250}",
            "Try a wider range of time.",
        ),
    )
)
"""Sentences that may stand beside one of absence and change nothing of it."""
