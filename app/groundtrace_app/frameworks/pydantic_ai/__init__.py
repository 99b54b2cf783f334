"""Pydantic AI: each tool call recorded, no unchecked answer let out. Needs the extra `pydantic-ai`."""

from groundtrace_app.frameworks.pydantic_ai.capability import Groundtrace

__all__ = ["Groundtrace"]
