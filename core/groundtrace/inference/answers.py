"""What a peer gave back as output, as one text: content blocks joined, other values in their stored form."""

from groundtrace.encoding import output_of
from groundtrace.outcomes import Output

BLOCK_TEXTS = ("text", "content", "output")


def text_of(output: object, /) -> str:
    """Return the text of an output; a list of text blocks is its texts, one a line. Total."""
    if isinstance(output, str):
        return output
    if isinstance(output, list) and output and all(_is_text_block(item) for item in output):
        return "\n".join(item["text"] for item in output)
    stored: Output = output_of(output)
    return stored if isinstance(stored, str) else stored.decode("utf-8", "replace")


def _is_text_block(item: object) -> bool:
    return isinstance(item, dict) and item.get("type", "text") == "text" and isinstance(item.get("text"), str)
