"""The declared shapes that groundtrace brings, in the order in which they are asked."""

from groundtrace.shapes.mcp import JSON_RPC, MCP
from groundtrace.shapes.metrics import LOKI, PROMETHEUS
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.searches import ELASTICSEARCH

KNOWN_SHAPES = Shapes((JSON_RPC, MCP, LOKI, PROMETHEUS, ELASTICSEARCH))
"""Add to them with `KNOWN_SHAPES.extended(...)`, and give the result to `recording` or `recorded`."""
