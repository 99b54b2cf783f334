"""Objects of the Kubernetes API: a list is what its items are, a `Status` of `Failure` is one."""

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.declaring import failed, found, items, members, text_of, whole
from groundtrace.shapes.http_status import kind_of_status
from groundtrace.shapes.shape import Body, Shape, Told


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    kind = text_of(body.get("kind"))
    if kind == "Status" and body.get("status") == "Failure":
        why = text_of(body.get("message")) or text_of(body.get("reason")) or "no message"
        number = whole(body.get("code")) or 0
        return failed(kind_of_status(number) or FailureKind.ERROR, f"status {number or 'Failure'}: {why}", told.output)
    rows = "rows" if kind == "Table" and "columnDefinitions" in body else "items"
    # An empty list of Go is written as null.
    if not (kind.endswith("List") or rows == "rows") or not isinstance(body.get(rows, False), list | None):
        return None
    held = members(body.get("metadata"))
    left = whole(held.get("remainingItemCount"))
    more = f"{left:,} more items are not in it" if left else "there is a further page"
    cut_off = bool(left or text_of(held.get("continue")))
    return found(told.output, some=bool(items(body[rows])), marks=(more,) if cut_off else ())


KUBERNETES = Shape(name="kubernetes", members=frozenset({"kind"}), read_body=_read)
