"""A store with moods: that of the conformance kit."""

from groundtrace_adapters.conformance.moody_store import Mood, MoodyStore

__all__ = ["Mood", "MoodyStore"]
