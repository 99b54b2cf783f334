"""The table of texts of a failed call that a log line or a runbook might have as well.

They count only for tools that read neither.
"""

from groundtrace.inference.known_texts import Known, KnownTexts

_REST = r"(?s:.{1,1500})"
_REASON = (
    r"(?:Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable"
    r"|Request Timeout|Conflict|Gone|Unprocessable Entity|Too Many Requests|Internal Server Error|Not Implemented"
    r"|Bad Gateway|Service Unavailable|Gateway Time-?out|Access Denied)"
)
_DOING = (
    r"(?:when|while|in|at|during|from|executing|running|calling|invoking|parsing|fetching|reading|loading|opening"
    r"|processing|getting|querying|connecting|retrieving|creating|occurred|accessing|performing)"
)

PLAIN = KnownTexts(
    (
        Known(
            "error: ...",
            r"(?:\[\]\s+)?[^\w]{0,8}(?!(?:fix(?:ed)?|last|mean|average|handled?"
            r"|ignored?)\b)(?:[A-Za-z][\w-]{0,20}:? )?errors?[\])>*]{0,2}"
            r"(?: (?:\(?[\d.-]{3,6}\)?|\(\w{3,12}\)|at line \d+|response from \w+)){0,4}:[*_]{0,2}"
            rf"(?!\s*(?:none|no|null|n/a|[-+]?[\d.]+ ?%?)\s*\Z)\s{_REST}",
            "[ERROR]: the disk is full",
        ),
        Known("(error) ...", rf"[\[(<](?:fatal )?error[\])>] {_REST}", "(error) WRONGTYPE wrong kind of value"),
        Known(
            "error while doing ...: ...",
            rf"error {_DOING}\b[^\n]{{0,120}}: ?{_REST}",
            "Error fetching rules from the server: no route",
        ),
        Known(
            "an error occurred",
            r"an? (?:unexpected |internal |unknown )?(?:error|exception) (?:has )?(?:occurred|happened)\b(?s:.{0,800})",
            "An unexpected error occurred",
        ),
        Known(
            "a named error: ...",
            r"(?:[A-Z][\w-]{1,30} ){1,4}(?:error|exception|failure)(?: (?:when|while|in|during|for) [^\n:]{1,80})?:"
            rf" {_REST}",
            "Network error while fetching rules: no route",
        ),
        Known(
            "the name of an exception",
            rf"(?:uncaught (?:\(in promise\) )?)?(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Interrupt"
            rf"|Fault)(?:: {_REST})?",
            "requests.exceptions.ReadTimeout: the host did not answer",
        ),
        Known(
            "fatal: ...",
            rf"(?:fatal|panic|exception|failure|failed|traceback|unhandled exception): {_REST}",
            "fatal: not a git repository",
        ),
        Known("failed to", r"(?:failed|unable|not able) to [^\n]{3,600}", "Failed to open the session"),
        Known("could not", r"(?:could|can) ?(?:not|n't) (?!find|locate)[^\n]{3,400}", "Could not read the reply"),
        Known(
            "a line of a client's own log",
            r"E\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\n]{1,1000}(?s:.{0,2000})",
            "E0102 10:11:12.131415    99 memcache.go:265] couldn't get current server API group list",
        ),
        Known(
            "the reason phrase of an HTTP status",
            rf"(?:HTTP(?:/\d(?:\.\d)?)? )?(?:error )?(?:[45]\d\d[ :-]{{1,3}})?{_REASON}[.!]?",
            "503 Service Unavailable",
        ),
        Known(
            "a bad HTTP status",
            r"(?:HTTP )?(?:error|status)(?: code)?:? [45]\d\d\b[^\n]{0,300}",
            "HTTP status code: 502",
        ),
        Known(
            "the request failed",
            r"(?:Request|Response|Query|Call) failed(?: with| due to|:)[^\n]{1,400}",
            "Query failed: syntax",
        ),
        Known(
            "a key or login is missing",
            r"(?:an? |the |your )?(?:valid )?(?:api[ _-]?key|access token|token|authentication|authorization|log ?in"
            r"|credentials?|subscription|permission)s? (?:is |are |was )?(?:required|missing|invalid|expired|needed"
            r"|not (?:valid|provided|set|configured))\b[^\n]{0,300}",
            "API key is missing",
        ),
        Known(
            "invalid key",
            r"(?:invalid|missing|expired|incorrect|no) (?:api[ _-]?key|access token|token|credentials?"
            r"|authentication)\b[^\n]{0,300}",
            "Invalid API key",
        ),
        Known(
            "permission denied",
            r"(?:permission|access) (?:is |was |has been )?denied\b[^\n]{0,300}",
            "Access denied for this account",
        ),
        Known(
            "over the limit",
            r"(?:rate limit|quota|too many requests)\b[^\n]{0,60}(?:exceeded|reached|try again|slow down)[^\n]{0,200}",
            "Rate limit exceeded, retry in 20 s",
        ),
        Known(
            "you may not",
            r"you (?:are not (?:allowed|authori[sz]ed|permitted|subscribed)"
            r"|do(?: not|n't) have (?:permission|access|the))\b[^\n]{0,300}",
            "You are not subscribed to this API",
        ),
        Known(
            "a thing of the machine is not there",
            r"(?:the |this |that |requested )*(?:file|directory|folder|path|command|tool|function|endpoint|route|url"
            r"|method|module|package|host|server|api|database|table|index|column|element|selector|window"
            r"|tab)\b[^\n]{0,200}?"
            r" (?:(?:was |is |were )?not (?:found|supported|available)|do(?:es)?(?: not|n't) exists?|is disabled)\b"
            r"[^\n]{0,100}",
            "The requested endpoint does not exist",
        ),
        Known(
            "no such thing",
            r"no such (?:file|directory|table|column|host|container|pod|index|command|function|tool"
            r"|image)\b[^\n]{0,200}",
            "No such container: cart",
        ),
        Known(
            "a bad parameter",
            r"(?:unknown|unrecogni[sz]ed|unsupported|invalid|missing|illegal|malformed) (?:(?:required|input|query) )?"
            r"(?:argument|parameter|param|option|flag|command|value|field|property|key|url|json|syntax|request|format"
            r"|input|type|id|date|time)s?\b[^\n]{0,300}",
            "Missing required parameter: namespace",
        ),
    )
)
