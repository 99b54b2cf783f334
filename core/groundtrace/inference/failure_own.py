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
            "no daemon",
            r"Cannot connect to the Docker daemon at [^\n]{1,400}",
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
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
        Known("input validation", r"Input ?Validation ?Error: (?s:.{1,2000})", "InputValidationError: no number"),
        Known(
            "timed out",
            r"(?:Command|Tool call|Tool|Request|Query|Operation|Execution) (?:has )?timed out(?: after)?[^\n]{0,200}",
            "Query timed out after 30 s",
        ),
    )
)
