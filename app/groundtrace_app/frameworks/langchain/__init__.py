"""LangChain and LangGraph: each tool call recorded, no unchecked answer let out. Needs the extra `langchain`."""

from groundtrace_app.frameworks.langchain.chat_model import as_language_model
from groundtrace_app.frameworks.langchain.middleware import GroundtraceMiddleware
from groundtrace_app.frameworks.langchain.nodes import gated_model_node, recorded_tool_node

__all__ = ["GroundtraceMiddleware", "as_language_model", "gated_model_node", "recorded_tool_node"]
