"""Content blocks, as MCP, LangChain and model APIs give them: texts, images, resources, links to what is elsewhere."""

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import NoEvidenceReason, Output, Support
from groundtrace.shapes.declaring import found, kept_as, marked, members, text_of
from groundtrace.shapes.shape import Inner

LINKS = frozenset({"resource_link", "file", "reference"})
"""Types of blocks that name what they do not hold."""

_TEXTS = frozenset({"text", "input_text", "output_text"})
_KINDS = frozenset({"text", "image", "audio", "image_url", "resource", *LINKS})
_MEMBERS = frozenset(
    {"type", "text", "id", "index", "annotations", "_meta", "meta", "extras", "data", "mimeType", "mime_type", "base64"}
    | {"image_url", "resource", "uri", "url", "name", "title", "description", "source"}
)
_HOLDING = ("data", "blob", "image", "image_url", "audio", "source", "base64", "url", "json", "content")


def are_blocks(items: list[JsonValue], /) -> bool:
    """Tell whether a list is one of content blocks, as adapters hand it on: typed, one a text at least, and no rows."""
    typed = all(
        isinstance(one, dict) and text_of(one.get("type")) in _KINDS and _MEMBERS.issuperset(one) for one in items
    )
    return typed and any(members(one).get("type") == "text" for one in items)


def texts_of_blocks(blocks: list[JsonValue], /) -> tuple[str, ...]:
    """Return the texts of blocks that are not blank, those of embedded resources too."""
    return tuple(text for block in blocks if (text := _text(block)))


def outcome_of_blocks(blocks: list[JsonValue], whole: Output, inner: Inner, /) -> outcomes.Outcome:
    """Return what blocks amount to together: data where one of them is; what one did not see, none of them did.

    Texts alone are kept as one text, otherwise `whole` is.
    """
    read = [_of_block(block, inner) for block in blocks]
    output = "\n".join(_text(block) for block in blocks) if _only_texts(blocks) else whole
    if len(read) == 1:
        return kept_as(read[0], output)
    if not read:
        return found(output, some=False)
    successes = [one for one in read if isinstance(one, outcomes.Success)]
    failures = [one for one in read if isinstance(one, outcomes.Failure)]
    if failures and not successes:
        return kept_as(failures[0], output)
    marks = [mark for one in read if isinstance(one, outcomes.Success | outcomes.NoEvidence) for mark in one.partial]
    marks += [one.message for one in failures]
    if successes:
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=tuple(marks))
    return marked(_nothing(read, output), marks)


def _nothing(read: list[outcomes.Outcome], output: Output) -> outcomes.Outcome:
    first = next((one for one in read if isinstance(one, outcomes.NoEvidence)), None)
    return found(output, some=False) if first is None else kept_as(first, output)


def _of_block(block: JsonValue, inner: Inner) -> outcomes.Outcome:
    kind = text_of(members(block).get("type"))
    if (
        isinstance(block, str)
        or kind in _TEXTS
        or (kind == "resource" and "text" in members(members(block).get("resource")))
    ):
        return inner(_text(block))
    held = members(block)
    if kind in LINKS or (kind == "resource" and not members(held.get("resource")).get("blob")):
        name = next((text for key in ("uri", "url", "name", "file_id") if (text := text_of(_within(held, key)))), kind)
        unread = f"{name} is named, and what it holds is not shown"
        return outcomes.Success(support=Support.INDIRECT, output=name, partial=(unread,))
    shown = any(_within(held, key) not in (None, "", [], {}) for key in _HOLDING) if kind else bool(held)
    if not shown:
        return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT)
    return outcomes.Success(support=Support.INDIRECT, output=kind or "data")


def _within(held: dict[str, JsonValue], key: str) -> JsonValue:
    return held.get(key, members(held.get("resource")).get(key))


def _text(block: JsonValue) -> str:
    if isinstance(block, str):
        return text_of(block)
    held = members(block)
    return text_of(held.get("text")) or text_of(members(held.get("resource")).get("text"))


def _only_texts(blocks: list[JsonValue]) -> bool:
    return all(isinstance(block, str) or text_of(members(block).get("type")) in _TEXTS for block in blocks)
