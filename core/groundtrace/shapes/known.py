"""The declared shapes that groundtrace brings, in the order in which they are asked."""

from groundtrace.shapes.envelopes import WENT_WELL
from groundtrace.shapes.errors import ERROR
from groundtrace.shapes.http import HTTP, HTTP_JSON
from groundtrace.shapes.kubernetes import KUBERNETES
from groundtrace.shapes.mcp import JSON_RPC, MCP
from groundtrace.shapes.messages import LANGGRAPH_COMMAND, PYDANTIC_AI_RETRY, PYDANTIC_AI_RETURN, TOOL_MESSAGE
from groundtrace.shapes.metrics import LOKI, PROMETHEUS
from groundtrace.shapes.processes import PROCESS
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.rows import INCOMPLETE, SQL_CURSOR, SQL_RESULT
from groundtrace.shapes.searches import ELASTICSEARCH
from groundtrace.shapes.tracing import JAEGER, TEMPO

KNOWN_SHAPES = Shapes(
    (
        JSON_RPC,
        MCP,
        TOOL_MESSAGE,
        LANGGRAPH_COMMAND,
        PYDANTIC_AI_RETURN,
        PYDANTIC_AI_RETRY,
        PROCESS,
        HTTP,
        HTTP_JSON,
        LOKI,
        PROMETHEUS,
        ELASTICSEARCH,
        KUBERNETES,
        TEMPO,
        JAEGER,
        SQL_CURSOR,
        SQL_RESULT,
        ERROR,
        WENT_WELL,
        INCOMPLETE,
    )
)
"""Add to them with `KNOWN_SHAPES.extended(...)`, and give the result to `recording` or `recorded`."""
