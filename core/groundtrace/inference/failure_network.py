"""The table of texts by which libraries and servers say that a connection, a request or a call did not come about.

Like `failure_plain`, they count only for tools that read neither logs nor documents.
"""

from groundtrace.inference.known_texts import Known, KnownTexts

_LINE = r"[^\n]{0,300}"
_BROKEN = (
    r"(?:connection (?:refused|reset(?: by peer)?|aborted|closed|timed out)|no such host|no route to host|i/o timeout"
    r"|context (?:deadline exceeded|canceled)|(?:name or service|nodename nor servname provided, or) not known"
    r"|(?:temporary failure in|could not) (?:name resolution|resolve host\w*)|network is unreachable|broken pipe"
    r"|host (?:is )?unreachable|certificate (?:verify failed|has expired)|tls handshake timeout|read timed out"
    r"|socket hang up|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|no healthy upstream"
    r"|failed to connect|server closed the connection|getaddrinfo \w+)"
)
_ERRNO = (
    r"E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|PIPE|MFILE|AI_AGAIN|HOSTUNREACH)"
)

NETWORK = KnownTexts(
    (
        Known(
            "a connection that broke",
            rf"(?![{{\[|#>*\d]){_LINE}\b{_BROKEN}\b[^\n]{{0,200}}",
            "dial tcp 192.0.2.7:8080: connect: connection refused",
        ),
        Known("an error number", rf"{_LINE}\[Errno -?\d+\] {_LINE}", "[Errno 13] Permission denied: 'a.csv'"),
        Known(
            "an error name of the system",
            rf"(?:\w+: )?{_ERRNO}: {_LINE}",
            "ENOENT: no such file or directory, open 'a.csv'",
        ),
        Known("getaddrinfo", rf"(?:\w+: )?\w+ {_ERRNO}\b{_LINE}", "connect ECONNREFUSED 192.0.2.7:80"),
        Known(
            "an error of the browser",
            rf"{_LINE}\bnet::ERR_\w+{_LINE}(?s:.{{0,500}})",
            "net::ERR_NAME_NOT_RESOLVED at x",
        ),
        Known(
            "a step of the browser that was late",
            r"\w+\.\w+: Timeout \d+ms exceeded\.?(?s:.{0,1500})",
            "page.click: Timeout 30000ms exceeded.",
        ),
        Known(
            "gRPC",
            rf"(?:{_LINE}: )?rpc error: code = \w+ desc = (?s:.{{1,1000}})",
            "rpc error: code = Unavailable desc = x",
        ),
        Known(
            "gRPC, a reply in lines",
            r"ERROR:\s+Code: \w+\s+Message: (?s:.{1,1000})",
            "ERROR:\n  Code: NotFound\n  Message: no such cart",
        ),
        Known(
            "a client or server error for an address",
            r"(?:HTTP ?Error:? )?(?:[45]\d\d )?(?:client|server|redirect"
            r"|http) (?:status )?error:? [^\n]{1,200} for url:?"
            r" (?s:.{1,500})",
            "404 Client Error: Not Found for url: https://api.example/v1",
        ),
        Known(
            "a request with a bad status",
            r"(?:\w+Error: )?(?:[\w-]+ ){0,4}(?:failed|responded|returned|error|replied)[^\n]{0,30}\b(?:status|code"
            r"|HTTP)\b"
            r"[^\n]{0,20}\b[45]\d\d\b[^\n]{0,300}",
            "The server responded with HTTP status code 503",
        ),
        Known(
            "a bad status first",
            r"(?:HTTP(?:/[\d.]+)? ?)?[45]\d\d(?: -|:)? (?:[A-Za-z]+ ){0,5}(?:[A-Za-z]+)[.!]?(?:: [^\n]{0,200})?",
            "404 page not found",
        ),
        Known("urlopen", rf"<?urlopen error {_LINE}>?", "<urlopen error timed out>"),
        Known(
            "a proxy without an upstream",
            r"upstream (?:connect|request) (?:error|timeout)(?s:.{0,500})",
            "upstream request timeout",
        ),
    )
)
