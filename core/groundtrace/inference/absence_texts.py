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
_COUNTED = r"(?:results?|rows?|match(?:es)?|hits?|records?|items?|entr(?:y|ies)|documents?|files?|events?|lines?)"
_MACHINE = (
    r"(?!(?:files?|director(?:y|ies)|folder|path|command|tool|function|endpoint|route|url|method|module|page|host"
    r"|package|api|not)\b)"
)
"""Things of the machine: that one of these is not there is a failure, and no empty answer."""

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
            r" (?:your|the|this|that|these|those|any) [^\n]{1,200}",
            "No rule matches the given selector",
        ),
        Known(
            "no THINGS",
            rf"no (?:more |matching |further |relevant |new |such )?{_THINGS}{_PLACE}",
            "No matching log entries between 10:00 and 10:05",
        ),
        Known(
            "there are no THINGS",
            rf"there (?:are|is|were|was) (?:no|not any|currently no) {_THING}{_PLACE}",
            "There are no alerts firing at this time",
        ),
        Known(
            "could not find",
            r"(?:could ?(?:not|n't)|did ?(?:not|n't)|can ?(?:not|n't)|unable to|was unable to|failed to)"
            r" (?:find|locate) [^\n]{1,250}",
            "Could not find any invoice with that number",
        ),
        Known(
            "the search returned nothing",
            r"(?:the )?(?:search|query|filter|lookup|request|command)(?: for [^\n]{1,120})?"
            rf" (?:returned|found|matched|yielded|produced|gave) (?:no|zero|0|nothing)(?: {_THING})?{_PLACE}",
            "The query returned no rows",
        ),
        Known(
            "nothing to show",
            rf"nothing (?:was |to )?(?:found|matched|matches|returned|show|display|report|here|to do){_PLACE}",
            "Nothing to show",
        ),
        Known(
            "found 0",
            r"(?:found|returned|showing|matched|got|total(?: of)?:?|fetched|retrieved|listed) (?:0|zero|no)"
            rf"(?: {_THING})?{_PLACE}",
            "Found 0 issues in project DEMO",
        ),
        Known(
            "0 THINGS found",
            rf"(?:0|zero) (?:of \d+ )?{_THING} (?:{_FOUND[3:-1]}|in set|selected|affected|shown){_PLACE}",
            "0 of 12 checks returned",
        ),
        Known("0 THINGS", rf"(?:0|zero) {_COUNTED}", "0 rows"),
        Known(
            "count: 0",
            rf"(?:(?:total|count|hits|results|matches|found|rows|records|items)(?: {_THING})?|number of {_THING})"
            r" ?[:=] ?(?:0|none|zero)",
            "Total results: 0",
        ),
        Known(
            "empty set",
            r"empty (?:set|result(?: set)?|response|list|output|file|directory|table)(?: \([\d.]+ sec\))?",
            "Empty set (0.00 sec)",
        ),
        Known(
            "the list is empty",
            r"(?:the )?(?:result(?: set)?s?|response|output|list|file|directory|folder|table|query result)"
            r" (?:is|was|are|were) empty",
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
            r"(?: successfully)?(?:,)? (?:with no|without(?: any)?|but (?:produced|returned|had) no"
            r"|and (?:produced|returned) no) (?:output|results?|stdout)(?: or errors?)?(?: to [^\n]{1,40})?",
            "Command completed without any output",
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
