"""The known transcript formats, and which of them a file is in."""

from collections.abc import Collection, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.chat_messages import ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES
from groundtrace.transcripts.claude_code import CLAUDE_CODE
from groundtrace.transcripts.codex import CODEX
from groundtrace.transcripts.codex_exec import CODEX_EXEC
from groundtrace.transcripts.copilot_cli import COPILOT_CLI
from groundtrace.transcripts.events import Format, Record
from groundtrace.transcripts.gemini_cli import GEMINI_CLI
from groundtrace.transcripts.holmesgpt import HOLMESGPT
from groundtrace.transcripts.inspect_log import INSPECT
from groundtrace.transcripts.langchain_messages import LANGCHAIN
from groundtrace.transcripts.langfuse import LANGFUSE
from groundtrace.transcripts.opencode import OPENCODE
from groundtrace.transcripts.otel_spans import OPENINFERENCE, OTEL
from groundtrace.transcripts.react_trace import REACT_TRACE
from groundtrace.transcripts.swe_agent import SWE_AGENT
from groundtrace.transcripts.tau2_bench import TAU2_BENCH
from groundtrace.transcripts.tau_bench import TAU_BENCH
from groundtrace.transcripts.toolbench import TOOLBENCH

FORMATS: tuple[Format, ...] = (
    CLAUDE_CODE,
    CODEX,
    CODEX_EXEC,
    GEMINI_CLI,
    COPILOT_CLI,
    OPENCODE,
    SWE_AGENT,
    REACT_TRACE,
    INSPECT,
    LANGFUSE,
    OPENINFERENCE,
    OTEL,
    HOLMESGPT,
    TAU_BENCH,
    TAU2_BENCH,
    TOOLBENCH,
    LANGCHAIN,
    ANTHROPIC,
    OPENAI_RESPONSES,
    OPENAI_CHAT,
)
"""In the order in which they are tried: what is told apart by more comes first, plain chat messages last."""

NEAREST = 3
LOOKED_AT = 20


def format_of(records: Collection[Record], /) -> Format | None:
    """Return the first format that one of these records shows; others may show nothing."""
    return next((one for one in FORMATS if any(one.fits(record.value) for record in records)), None)


def nearest(value: JsonValue, /) -> tuple[Format, ...]:
    """Return up to three formats that share most names with a record that shows none of them, the nearest first."""
    names = frozenset(_names(value, 3))
    shared = sorted(FORMATS, key=lambda one: (-len(one.keys & names), FORMATS.index(one)))
    return tuple(one for one in shared[:NEAREST] if one.keys & names)


def _names(value: JsonValue, depth: int) -> Iterator[str]:
    """Yield the names in a record and its first parts."""
    if isinstance(value, dict):
        yield from value
    inner = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    for one in inner[:LOOKED_AT] if depth else ():
        yield from _names(one, depth - 1)


def format_named(name: str, /) -> Format | None:
    """Return the format with this name."""
    return next((one for one in FORMATS if one.name == name), None)
