"""The table of texts by which a harness, an interpreter or a service says that this call was not carried out.

Like `failure_plain`, they count only for tools that read neither logs nor documents.
"""

from groundtrace.inference.known_texts import Known, KnownTexts

_ACT = (
    r"(?:tool|function|method|command|script|request|response|call|query|search|execution|operation|connection|api|job"
    r"|login|log-in|authentication|authorization|validation|upload|download|fetch|lookup|action|transaction|payment"
    r"|update|server|service|session|process|navigation|import|deployment|build|render|conversion)"
)
_WAY = (
    r"(?:failed|timed out|was (?:cancell?ed|aborted|interrupted|rejected|denied|refused|blocked|killed|terminated)"
    r"|(?:has |have )?(?:timed out|failed|expired|crashed)|is not (?:allowed|permitted|supported|authori[sz]ed))"
)
_REST = r"(?:: [^\n]{1,500}|[,.]? [^\n;.]{1,120})?[.!]?"

CALLS = KnownTexts(
    (
        Known(
            "an act that failed",
            rf"(?:the |this |your |an? )?(?:[\w-]+ ){{0,2}}{_ACT} {_WAY}{_REST}",
            "Tool execution failed: out of memory",
        ),
        Known(
            "validation of the arguments",
            r"\d+ validation errors? for [\w\[\].,-]+(?: [^\n]{1,80})?\n(?s:.{1,3000})",
            "1 validation error for Booking\ncity\n  Field required",
        ),
        Known(
            "wrong arguments of a function",
            r"(?:\w+\.)*\w+\(\) (?:missing|got|takes|requires) [^\n]{1,300}",
            "book() got an unexpected keyword argument 'town'",
        ),
        Known(
            "a code and a reason",
            r"\((?:[a-z_]\w*\.)+\w+\) (?s:.{1,1500})|(?-i:\([A-Z][a-z]+(?:[A-Z][a-z]+)+\)) [^\n]{1,400}(?s:.{0,400})",
            "(sqlite3.OperationalError) no such column: town",
        ),
        Known(
            "an error of a cloud's client",
            r"an? (?:client |server )?error \([A-Za-z.]{3,80}\) occurred when calling the \w{1,80} operation"
            r"(?: \([^\n)]{1,60}\))?:? [^\n]{0,600}",
            "A client error (AccessDenied) occurred when calling the ListBuckets operation: not allowed",
        ),
        Known(
            "a JSON-RPC code",
            r"(?:\w+ )?error:? -?\d{3,5}:? (?s:.{1,1000})",
            "MCP error -32603: the server stopped",
        ),
        Known(
            "a state of the login",
            r"(?:your |the |this )?(?:access |api |auth |session |bearer |refresh )?(?:token|session|key|licen[cs]e"
            r"|subscription"
            r"|password|certificate|login) (?:has |is |was )?(?:been )?(?:expired|invalid|revoked|wrong)\b[^\n]{0,200}",
            "Session has expired. Please sign in.",
        ),
        Known(
            "a refusal and its reason",
            r"(?:unauthori[sz]ed|forbidden|bad request|access denied|not authori[sz]ed|timeout"
            r"|unauthenticated)[:.,] [^\n]{1,300}",
            "Unauthorized: token expired",
        ),
        Known(
            "too much",
            r"you(?:'ve| have)? (?:exceeded|reached|hit|used up|run out of) (?:your|the|all)\b[^\n]{1,200}"
            r"|too many requests[.,][^\n]{0,200}|insufficient (?:funds|balance|permissions?|privileges|credits?"
            r"|quota)\b[^\n]{0,200}",
            "You have exceeded your daily quota.",
        ),
        Known(
            "met an error",
            r"an? (?:\w+ )?(?:error|exception) (?:was|has been|is) (?:thrown|raised|encountered|returned"
            r"|caught)\b(?s:.{0,500})"
            r"|[^\n]{1,100} (?:encountered|raised|threw|returned|reported) an? (?:\w+ )?(?:error"
            r"|exception)\b(?s:.{0,500})",
            'Tool "x" encountered an error: bad state',
        ),
        Known(
            "could not be done",
            rf"(?:the |this |your )?{_ACT} (?:could|can)(?: not|not|n't) be \w+(?:ed|ne)\b[^\n]{{0,200}}",
            "The operation could not be completed.",
        ),
        Known(
            "over its limit",
            rf"(?:the |this |your )?{_ACT} (?:has )?exceed(?:ed|s) [^\n]{{1,200}}",
            "The command exceeded the time limit of 60 s",
        ),
        Known(
            "no JSON",
            r"(?:\w+: )?(?:unexpected token [^\n]{1,40} in JSON\b[^\n]{0,100}|unexpected end of JSON input"
            r"|expecting (?:value|property name"
            r"|',' delimiter)[^\n]{0,40}: line \d+ column \d+[^\n]{0,40})",
            "Expecting value: line 1 column 1 (char 0)",
        ),
        Known(
            "more than the model can read",
            r"[^\n]{0,200}\b(?:maximum|max) (?:context length|number of tokens|token limit|allowed size)\b[^\n]{1,400}",
            "The input exceeds the maximum context length of 8192 tokens",
        ),
        Known(
            "access to it is denied",
            r"access to [^\n]{1,100} (?:has been |is |was )?(?:denied|blocked|restricted|forbidden)\b[^\n]{0,300}",
            "Access to this page has been denied",
        ),
        Known(
            "an exception as Python prints it",
            r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout)\((?s:.{0,1500})\)",
            "NotFoundError(404, 'no such index')",
        ),
        Known(
            "a program that crashed",
            r"(?:segmentation fault|bus error|aborted|killed|illegal instruction"
            r"|out of memory)(?: \(core dumped\))?[.!]?",
            "Segmentation fault (core dumped)",
        ),
        Known("a code in capitals", r"ERR_[A-Z_]{3,60}(?:: [^\n]{1,300})?", "ERR_TOO_MANY_REDIRECTS"),
        Known(
            "it is switched off",
            rf"(?:the |this |that )?(?:{_ACT}|feature|endpoint|plugin) (?:is )?(?:currently |temporarily "
            rf"|now )?(?:disabled|deprecated"
            r"|not implemented|unavailable|offline|down)\b[^\n.]{0,200}[.!]?",
            "This tool is currently disabled.",
        ),
        Known(
            "not a thing that can be done",
            r"(?:unsupported|invalid|unknown|illegal|not an? (?:valid|supported|allowed)) (?:operation|action|state"
            r"|choice|query|call|mode)\b"
            r"[^\n]{0,200}|not (?:yet )?(?:implemented|supported|allowed|permitted)[.!]?",
            "Unsupported operation",
        ),
        Known(
            "an argument must be otherwise",
            r"(?:the )?(?:argument|parameter|field|value|input|option|param)s? [^\n]{0,80}\b(?:must|should|cannot"
            r"|can't|needs? to|has to)"
            r" (?:not )?(?:be|have|contain|match)\b[^\n]{1,200}",
            'Argument "date" must be in the future',
        ),
        Known(
            "stopped by a limit",
            rf"(?:the )?(?:agent|{_ACT}|run|loop) (?:was )?stopped (?:due to|because of|after reaching"
            rf"|by)\b[^\n]{{1,200}}",
            "Agent stopped due to iteration limit",
        ),
        Known("npm", r"(?:npm (?:ERR!|error)[^\n]*\n?){1,40}", "npm ERR! code ENOENT"),
        Known(
            "something went wrong",
            r"(?:sorry, |oops,? |oops! )?(?:something|anything) went wrong\b[^\n]{0,200}",
            "Something went wrong",
        ),
        Known(
            "try again later",
            r"[^\n]{0,120}\b(?:unavailable|overloaded|busy|down|failed|wrong)\b[^\n]{0,60}\b(?:please )?(?:try"
            r"|retry)(?: again)?"
            r"(?: later| shortly| in [^\n]{1,40})?[.!]?",
            "The service is busy, please try again later.",
        ),
        Known(
            "an error by itself",
            r"(?:an? )?(?:internal|unknown|unexpected|server|internal server|fatal|network|system|application|database)"
            r" (?:error|failure|exception)[.!]?",
            "Internal error",
        ),
        Known(
            "credentials",
            r"(?:unable to|could not|cannot|can't|failed to) (?:locate|find|load|refresh) (?:\w+ )?(?:credentials?"
            r"|tokens?"
            r"|api[ _-]?keys?|module|command|config(?:uration)?|host|server)\b[^\n]{0,300}",
            "Unable to locate credentials",
        ),
        Known(
            "not logged in",
            r"(?:please |you must (?:be )?|you need to |you are not )(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in"
            r"|authenticate\w*)\b"
            r"[^\n]{0,200}",
            "You must be logged in to the server",
        ),
        Known(
            "does not exist",
            r"(?:the |this )?(?:file|path|directory|folder|url|command|tool|table|column|index|database|branch"
            r"|repository"
            r"|resource|unit|image|container|module|package|key)s?\b[^\n]{0,200}(?:do(?:es)?(?: not|n't) exist"
            r"|(?:could|can)(?: not|not|n't) be (?:found|read|opened|loaded|accessed))[^\n]{0,100}",
            "File a.csv does not exist.",
        ),
        Known(
            "a unit that is not there",
            r"unit [\w@.-]+ could not be found\.?",
            "Unit shop.service could not be found.",
        ),
        Known(
            "a parse error",
            r"(?:\d+:\d+: )?(?:parse|syntax|query|parsing) error(?: at| near| on| in|:)[^\n]{1,400}(?s:.{0,300})",
            "parse error at line 1, col 4: unexpected end",
        ),
    )
)
