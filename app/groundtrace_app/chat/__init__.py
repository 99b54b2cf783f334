"""ChatService and the parts of a turn: plan and gather, draft, verify, decide, reply (DESIGN section 10)."""

from groundtrace_app.chat.service import ChatService
from groundtrace_app.chat.turn import Models, Progress, Stage, Turn, TurnRules

__all__ = ["ChatService", "Models", "Progress", "Stage", "Turn", "TurnRules"]
