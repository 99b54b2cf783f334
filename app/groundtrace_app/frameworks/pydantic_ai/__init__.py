"""Pydantic AI: each tool call recorded, no unchecked answer let out. Needs the extra `pydantic-ai`."""

from groundtrace_app.frameworks.pydantic_ai.capability import Groundtrace
from groundtrace_app.frameworks.pydantic_ai.chat_model import as_language_model

__all__ = ["Groundtrace", "as_language_model"]
