"""The table of texts that no log or document is as a whole by chance: a refusal of an API server, of a program, of
the harness itself.
"""

from groundtrace.inference.known_texts import Known, KnownTexts

_SUBJECT = r"[^\n:]{0,80}"

OWN = KnownTexts(
    (
        Known(
            "error from the API server",
            r"(?:error: )?error from server(?: \(\w+\))?: (?s:.{1,2000})",
            'Error from server (NotFound): pods "cart-0" not found',
        ),
        Known(
            "no such resource type",
            r"error: the server doesn't have a resource type [^\n]{1,200}",
            'error: the server doesn\'t have a resource type "widgets"',
        ),
        Known(
            "connection to the server refused",
            r"(?:error: )?the connection to the server [^\n]{1,200} was refused[^\n]{0,200}",
            "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        ),
        Known(
            "a pool of HTTP connections",
            rf"(?:{_SUBJECT}: ){{0,3}}HTTPS?ConnectionPool\(host=[^\n]{{1,2000}}",
            "HTTPConnectionPool(host='metrics', port=9090): Max retries exceeded with url: /api",
        ),
        Known(
            "a connection that urllib3 could not make",
            r"[^\n]{0,200}<urllib3\.connection\.[^\n]{1,2000}",
            "Failed: <urllib3.connection.HTTPConnection object at 0x7f>: connection refused",
        ),
        Known(
            "the whole reply of an API",
            r"(?:[A-Z]\w+ API error: )?\(\d{3}\)\nReason: [^\n]{1,200}\nHTTP response headers: (?s:.{1,4000})",
            "(404)\nReason: Not Found\nHTTP response headers: HTTPHeaderDict({})",
        ),
        Known("curl", r"curl: \(\d{1,3}\) [^\n]{1,400}", "curl: (6) Could not resolve host: shop.example"),
        Known(
            "a reply of a daemon",
            rf"(?:{_SUBJECT}: )?Error response from daemon: (?s:.{{1,1000}})",
            "Error response from daemon: no",
        ),
        Known(
            "no daemon",
            r"Cannot connect to the Docker daemon at [^\n]{1,400}",
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        ),
        Known(
            "a query that does not parse",
            r"(?:[\w ]{1,30}: )?parse error at (?:line|char|position) \d+[^\n]{1,400}",
            "parse error at line 1, col 6: syntax error: unexpected $end",
        ),
        Known("apt", r"(?:E: [^\n]{1,300}\n?){1,10}", "E: Unable to locate package kiwi"),
        Known(
            "a name that does not resolve",
            r"\*\* server can't find [^\n]{1,200}|;; connection timed out[^\n]{1,200}",
            "** server can't find shop.example: NXDOMAIN",
        ),
        Known(
            "a container that cannot run the command",
            r"(?:error: )?(?:OCI runtime \w+ failed|Internal error occurred): (?s:.{1,800})",
            "OCI runtime exec failed: exec failed: no such file",
        ),
        Known(
            "an object that is invalid",
            r"The [A-Z]\w+ \"[^\"\n]{1,200}\" is invalid: (?s:.{1,1500})",
            'The Service "web" is invalid: spec: Required value',
        ),
        Known(
            "ssh",
            r"Host key verification failed\.?|kex_exchange_identification: [^\n]{1,200}"
            r"|Permission denied \([^\n)]{1,100}\)\.?",
            "Host key verification failed.",
        ),
        Known(
            "an edit that was not made",
            r"no (?:replacement|change|edit|match)s? (?:was|were) (?:performed|made"
            r"|applied)[,.:][^\n]{1,400}(?s:.{0,600})"
            r"|(?:the )?(?:string|text|old_str|old_string|snippet)(?: to (?:replace"
            r"|find))? (?:was )?not found in (?:the )?(?:file|document)\b"
            r"(?s:.{0,600})|file has (?:not been read yet|been modified since)\b(?s:.{0,300})",
            "String to replace not found in file.",
        ),
        Known(
            "Oracle and SQL Server",
            r"(?:[\w ]{1,40}: )?ORA-\d{5}: (?s:.{1,600})|Msg \d+, Level \d+, State \d+(?s:.{1,600})",
            "ORA-00942: table or view does not exist",
        ),
        Known(
            "a code of SQL", r"(?:error:? )?\d{4,6} \(\w{5}\): (?s:.{1,600})", "002003 (42S02): SQL compilation error"
        ),
        Known(
            "the reply of a client for an API",
            r"error making API request\.\s+URL: (?s:.{1,1500})",
            "Error making API request.\n\nURL: GET https://vault.example/v1/x\nCode: 403.",
        ),
        Known("psql", r"psql: (?:error|FATAL): (?s:.{1,1000})", "psql: error: connection to server failed"),
        Known(
            "unknown tool",
            r"(?:Error: )?(?:No such|Unknown|Invalid|Unrecogni[sz]ed) (?:tool|function|method|command)(?: name)?:?"
            r" [^\n]{1,200}",
            "Unknown tool: look_up_weather",
        ),
        Known(
            "tool NAME not found",
            r"(?:Error: )?(?:Tool|Function|Method|Command) ['\"`]?[\w.:/-]{1,120}['\"`]? (?:is |was )?(?:not (?:found"
            r"|available|defined|registered)|unknown|does(?: not|n't) exist)[^\n]{0,300}",
            "Tool 'look_up_weather' is not available",
        ),
        Known(
            "refused by the user",
            r"(?:The user|User) (?:doesn't want|does not want|rejected|denied|declined|refused)"
            r"(?s:.{0,900})",
            "User rejected the tool call",
        ),
        Known(
            "interrupted by the user",
            r"(?:\[?Request interrupted by user(?: for tool use)?\]?)",
            "[Request interrupted by user]",
        ),
        Known(
            "could not be parsed",
            r"(?:Error|Failed)(?: to| when| while)? (?:parse|parsing) (?:the )?(?:response|arguments|tool call|action"
            r"|tool input)\b: ?(?s:.{1,2000})",
            "Failed to parse arguments: Expecting value",
        ),
        Known(
            "this page is denied",
            r"access to this (?:page|site|resource|website) (?:has been |is |was )?(?:denied|blocked"
            r"|restricted)\b[^\n]{0,400}",
            "Access to this page has been denied.",
        ),
        Known(
            "the document is not there",
            r"(?:error: )?(?:the |this )?(?:requested )?(?:file|path|page|document|url|directory) (?:does(?: not"
            r"|n't) exist"
            r"|(?:was |is )?not found|could not be (?:found|opened|read|loaded|fetched))[.!]?",
            "File does not exist.",
        ),
        Known("input validation", r"Input ?Validation ?Error: (?s:.{1,2000})", "InputValidationError: no number"),
        Known(
            "timed out",
            r"(?:Command|Tool call|Tool|Request|Query|Operation|Execution) (?:has )?timed out(?: after)?[^\n]{0,200}",
            "Query timed out after 30 s",
        ),
    )
)

KUBECTL = KnownTexts(
    (
        Known(
            "kubectl and helm",
            r"error: (?:a container name must|unknown|the |no |invalid|must|unable|you must|timed out|resource|flag"
            r"|arguments?|cannot|metrics api|expected|release)[^\n]{0,400}(?:\n\nDid you mean (?s:.{1,200}))?",
            "error: a container name must be specified for pod cart",
        ),
    )
)
"""Of a command line alone: an issue or a log may begin so as well."""
