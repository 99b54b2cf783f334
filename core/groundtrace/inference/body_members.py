"""The names of members by which objects tell how a call went, and of those that hold its answer."""

ERRORS = (
    "error",
    "errors",
    "error_message",
    "errorMessage",
    "err",
    "exception",
    "fault",
    "failure",
    "Error",
    "Error Message",
)
"""Members that hold an error where they hold anything."""

MESSAGES = (
    *("message", "msg", "detail", "details", "title", "reason", "description", "error_description", "Message"),
    *("info", "hint", "errorMessages", "msgs", "messages"),
)
"""Members that hold words about the call, in the order in which the clearest one is looked for."""

CODES = ("status", "statusCode", "status_code", "code", "http_status", "httpStatus", "cod", "StatusCode")
FLAGS = ("success", "ok", "succeeded", "successful", "isSuccess", "Success", "Response")
"""Members that say whether it went well: false, or a word of `BAD_WORDS`."""

MARKS = ("isError", "is_error", "has_error", "hasError", "failed")
BAD_WORDS = frozenset("error fail failed failure false ko unsuccessful exception fatal nok".split())

ANSWERS = ("response", "result", "results", "data", "output", "content", "body", "value")
"""Members of an envelope that hold what the tool answered."""

_BESIDE = (
    "type traceId trace_id request_id requestId path timestamp instance documentation_url help help_url doc_url"
    " more_info domain param name method url error_code errorCode error_type errorType kind apiVersion metadata"
    " reason_code ts version Type HostId RequestId stack stacktrace __type retry_after retryAfter locations extensions"
    " jsonrpc links doc docs correlation_id correlationId requestID traceID accessErrorId warning warnings"
    " ResponseMetadata retry resource field hostId severity help_link success_code"
).split()

ABOUT = frozenset({*ERRORS, *MESSAGES, *CODES, *FLAGS, *MARKS, *ANSWERS, *_BESIDE} - {"body", "value"})
"""The names that an error body may have; a member by another name is data."""

ERROR_NAMES = ("code", "__type", "error_code", "errorCode", "error_type", "errorType", "reason", "type")
"""Members that may name an error by a code."""
