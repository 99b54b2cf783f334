"""What a model's finish reason means for its reply: only a normal end lets the reply be read (DESIGN section 8)."""

from groundtrace.verdict import Cause

NORMAL = frozenset({"stop", "end_turn", "STOP"})
"""The reasons of a reply that ended by itself, exactly as providers spell them; None (not reported) is normal too."""

BY_TOOL_CALL = frozenset({"tool_calls", "tool_use"})
"""Normal only where the adapter asked for the verdict as a tool call and the text is that call."""

_CAUSES: dict[Cause, str] = {
    Cause.CUT_OFF: "length max_tokens max_output_tokens max_completion_tokens model_length token_limit incomplete "
    "model_context_window_exceeded",
    Cause.FILTERED: "content_filter content_filtered safety recitation blocklist prohibited_content spii image_safety "
    "guardrail_intervened language",
    Cause.REFUSED: "refusal refused",
    Cause.CANCELLED: "cancelled canceled abort aborted",
    Cause.TIMED_OUT: "timeout timed_out",
}
_CAUSE_BY_WORD = {word: cause for cause, words in _CAUSES.items() for word in words.split()}


def abnormal_finish(reason: object, /, *, by_tool_call: bool = False) -> Cause | None:
    """Return why a reply with this finish reason is not read, None if it ended normally.

    A reason that nobody knows, or that is no text, is `verifier_error`: what ended in an unknown way is not whole.
    """
    if reason is None:
        return None
    if not isinstance(reason, str):
        return Cause.VERIFIER_ERROR
    if reason in NORMAL or (by_tool_call and reason in BY_TOOL_CALL):
        return None
    return _CAUSE_BY_WORD.get(reason.strip().lower(), Cause.VERIFIER_ERROR)
