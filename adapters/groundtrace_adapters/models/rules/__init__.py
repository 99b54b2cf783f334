"""The embedded model: rules that plan, draft and verify without a network, the same way every time."""

from groundtrace_adapters.models.rules.model import RulesModel

__all__ = ["RulesModel"]
