"""OpenAI Agents SDK: each tool call recorded, no unchecked answer let out. Needs the extra `openai-agents`."""

from groundtrace_app.frameworks.openai_agents.chat_model import as_language_model
from groundtrace_app.frameworks.openai_agents.runner import GroundtraceRunner

__all__ = ["GroundtraceRunner", "as_language_model"]
