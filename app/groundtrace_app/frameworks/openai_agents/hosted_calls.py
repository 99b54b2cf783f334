"""Tools that the provider runs itself, read from the items of its response: what each was asked and what it shows.

The model has seen more than the item holds, as a rule: what the provider does not hand over is no evidence.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from openai.types.responses import (
    ResponseCodeInterpreterToolCall,
    ResponseFileSearchToolCall,
    ResponseFunctionWebSearch,
    ResponseOutputItem,
)
from openai.types.responses.response_output_item import ImageGenerationCall, McpCall

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Outcome, Support
from groundtrace.text import is_blank

NOT_HANDED_OVER = "the provider did not hand over what the tool returned"
ADDRESSES_ALONE = "the provider handed over the addresses that it read, and none of the text"
AN_IMAGE = "the tool returned an image, which is not kept"
BROKE = "the provider says that the call failed"
ENDED_EARLY = "the response ended before the call did"


class HostedCall(NamedTuple):
    """One call of a tool that the provider ran."""

    tool_name: str
    params: object
    outcome: Outcome


def hosted_calls(output: Sequence[ResponseOutputItem], /) -> tuple[HostedCall, ...]:
    """Return the provider's own tool calls among the items of a response, in their order."""
    return tuple(_READERS[type(item)](item) for item in output if type(item) in _READERS)


def _web_search(item: ResponseFunctionWebSearch) -> HostedCall:
    action: Any = item.action
    params = action.model_dump(exclude_none=True, exclude={"sources"})
    addresses = [source.url for source in getattr(action, "sources", None) or ()]
    found = _unseen() if not addresses else _partial("\n".join(addresses), ADDRESSES_ALONE)
    return HostedCall("web_search", params, _by_status(item.status, found))


def _file_search(item: ResponseFileSearchToolCall) -> HostedCall:
    found = _unseen() if item.results is None else _passages([one.model_dump() for one in item.results])
    return HostedCall("file_search", {"queries": item.queries}, _by_status(item.status, found))


def _passages(results: Sequence[dict[str, Any]]) -> Outcome:
    texts = [f"{one.get('filename') or 'a file'}: {one['text']}" for one in results if one.get("text")]
    if not results:
        return outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)
    return outcomes.Success(support=Support.INDIRECT, output="\n\n".join(texts)) if texts else _unseen()


def _code(item: ResponseCodeInterpreterToolCall) -> HostedCall:
    told = None if item.outputs is None else [one.model_dump() for one in item.outputs]
    found = _unseen() if told is None else _printed(told)
    return HostedCall("code_interpreter", {"code": item.code}, _by_status(item.status, found))


def _printed(told: Sequence[dict[str, Any]]) -> Outcome:
    text = "".join(str(one["logs"]) for one in told if one.get("type") == "logs")
    images = any(one.get("type") == "image" for one in told)
    if is_blank(text) and images:
        return _unseen(AN_IMAGE)
    return _partial(text, AN_IMAGE) if images else classify_output(text)


def _image(item: ImageGenerationCall) -> HostedCall:
    params = item.model_dump(exclude_none=True, include={"revised_prompt", "action", "size", "quality"})
    return HostedCall("image_generation", params, _by_status(item.status, _unseen(AN_IMAGE)))


def _mcp(item: McpCall) -> HostedCall:
    if item.error is not None:
        text = json.dumps(item.error.model_dump(mode="json", exclude_none=True))
        return HostedCall(item.name, _arguments(item), outcomes.failure_because(FailureKind.ERROR, text))
    found = _unseen() if item.output is None else classify_output(item.output)
    return HostedCall(item.name, _arguments(item), _by_status(item.status or "completed", found))


def _arguments(item: McpCall) -> object:
    try:
        return json.loads(item.arguments) if item.arguments else {}
    except (ValueError, RecursionError):
        return {"arguments": item.arguments}


def _by_status(status: str, found: Outcome) -> Outcome:
    match status:
        case "completed":
            return found
        case "failed":
            return outcomes.failure_because(FailureKind.ERROR, BROKE)
        case _:
            return outcomes.failure_because(FailureKind.CANCELLED, ENDED_EARLY)


def _unseen(why: str = NOT_HANDED_OVER) -> Outcome:
    return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(why,))


def _partial(text: str, why: str) -> Outcome:
    return outcomes.Success(support=Support.INDIRECT, output=text, partial=(why,))


_READERS: dict[type, Callable[[Any], HostedCall]] = {
    ResponseFunctionWebSearch: _web_search,
    ResponseFileSearchToolCall: _file_search,
    ResponseCodeInterpreterToolCall: _code,
    ImageGenerationCall: _image,
    McpCall: _mcp,
}
