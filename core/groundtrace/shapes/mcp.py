"""What an MCP tool gave: `isError` declares, content blocks and structured content hold. Also JSON-RPC around it."""

from groundtrace import outcomes
from groundtrace.encoding import encode, output_of
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.blocks import outcome_of_blocks, texts_of_blocks
from groundtrace.shapes.declaring import failed, kept_as, members, text_of, whole
from groundtrace.shapes.shape import Body, Inner, Shape, Told

_RPC_KINDS = {-32001: FailureKind.TIMEOUT, -32700: FailureKind.BAD_OUTPUT, -32800: FailureKind.CANCELLED}
_FLAGS = ("isError", "is_error")
_BLOCKS = frozenset({"text", "image", "audio", "resource", "resource_link"})
_MEMBERS = frozenset(
    {"content", "structuredContent", "structured_content", "_meta", "meta", "resultType", "result_type"}
)
_STRUCTURED = ("structuredContent", "structured_content")
_HELD = frozenset({"content", *_STRUCTURED})


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    content, flag = _content(body), _first(body, _FLAGS)
    if content is None or not (isinstance(flag, bool) or _leaves_flag_out(body, content)):
        return None
    if flag:
        said = "; ".join(texts_of_blocks(content)) or "the tool reported an error without a text"
        return failed(FailureKind.ERROR, said, told.output)
    structured = _structured(body)
    if structured is None or structured == {}:
        of_blocks = outcome_of_blocks(content, told.output, told.inner)
        if structured is None or isinstance(of_blocks, outcomes.Success):
            return of_blocks
    return kept_as(told.inner(structured), _output(content, structured))


def _content(body: Body) -> list[JsonValue] | None:
    """Return the blocks of a result; servers also give a text in their place, or beside a flag nothing at all.

    None for what is no result: without a list of blocks, nothing may stand in it that results do not have.
    """
    content, flag = body.get("content"), _first(body, _FLAGS)
    if isinstance(content, list):
        return content
    is_result = (_MEMBERS | {*_FLAGS}).issuperset(body) and isinstance(flag, bool)
    if not is_result or isinstance(content, dict) or not (flag or not _HELD.isdisjoint(body)):
        return None
    return [] if content is None else [content]


def _structured(body: Body) -> JsonValue:
    """Return what the tool itself returned: the SDKs wrap what is no object, `[]` is told as `{"result": []}`."""
    told = _first(body, _STRUCTURED)
    return told["result"] if isinstance(told, dict) and told.keys() == {"result"} else told


def _leaves_flag_out(body: Body, content: list[JsonValue]) -> bool:
    """Tell a result without a flag, as the protocol allows: typed blocks, and no member that results do not have."""
    typed = all(text_of(members(block).get("type")) in _BLOCKS for block in content)
    return typed and _MEMBERS.issuperset(body) and bool(content or len(body) > 1)


def _output(content: list[JsonValue], structured: JsonValue) -> outcomes.Output:
    """Return what the agent was given: the texts, which repeat the structured content, else that itself."""
    said = "\n".join(texts_of_blocks(content))
    only_text = all(members(block).get("type") == "text" for block in content)
    return said if said and only_text else output_of({"content": content, "structuredContent": structured})


def _read_object(value: object, inner: Inner) -> outcomes.Outcome | None:
    """Read an object by its attributes: the SDK's result, a FastMCP client's, or one that looks like them."""
    names = ("content", *_FLAGS, *_STRUCTURED)
    body = {name: encode(getattr(value, name)) for name in names if hasattr(value, name)}
    return _read(body, Told(output=output_of(body), inner=inner))


def _looks_like(value: object) -> bool:
    own = getattr(value, "__dict__", {})
    return isinstance(own, dict) and isinstance(own.get("content"), list) and isinstance(_first(own, _FLAGS), bool)


def _read_rpc(body: Body, told: Told) -> outcomes.Outcome | None:
    if body.get("jsonrpc") != "2.0":
        return None
    error = body.get("error")
    if isinstance(error, dict) or (error is not None and "result" not in body):
        told_of = members(error)
        code = whole(told_of.get("code")) or 0
        message = text_of(error) or text_of(told_of.get("message")) or f"code {told_of.get('code')}"
        return failed(_RPC_KINDS.get(code, FailureKind.ERROR), message, told.output)
    if "result" not in body:
        return None
    return kept_as(told.inner(body["result"]), told.output)


def _first(body: object, names: tuple[str, ...]) -> JsonValue:
    held = body if isinstance(body, dict) else {}
    return next((held[name] for name in names if held.get(name) is not None), None)


JSON_RPC = Shape(name="json_rpc", members=frozenset({"jsonrpc"}), read_body=_read_rpc)
MCP = Shape(
    name="mcp",
    types=("mcp.CallToolResult", "mcp_types.CallToolResult", "fastmcp.CallToolResult"),
    fits=_looks_like,
    members=frozenset({"content", *_FLAGS}),
    read_object=_read_object,
    read_body=_read,
)
