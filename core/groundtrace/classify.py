"""What a wrapped tool's plain return value amounts to, when nobody declared it (DESIGN section 3).

Looks at the whole value only: what its shape declares, or its emptiness and whole texts of the published table in
`emptiness`. Words inside a text, such as "error", never decide anything. All that is recognised here lowers an
outcome, nothing raises one.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias, cast

from groundtrace import outcomes
from groundtrace.emptiness import empty_reason, reason_in_text
from groundtrace.encoding import OUTPUT, encode, output_of
from groundtrace.json_text import JsonValue, plain
from groundtrace.outcomes import Basis, NoEvidenceReason, Output, Support
from groundtrace.shapes.asked import limit_mark
from groundtrace.shapes.blocks import are_blocks, outcome_of_blocks
from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes, body_as, declared_outcome, object_as
from groundtrace.shapes.shape import Shape, Told
from groundtrace.text import is_blank

Classifier: TypeAlias = Callable[[object], outcomes.Outcome | None]
"""A user's own reading of what a tool returned; None leaves it to `classify_output`."""

# How `encode` stores an object of which it knows nothing else.
_TYPE_NAME = re.compile(r"<[^<>]{1,300}>")
_DEEPEST = 8
_FEW_MEMBERS = 64
_WHOLLY_READ = 64 * 1024

JSON_CHARACTERS = 1024 * 1024
"""A longer text is not read as JSON: it would hold its caller."""

_OUTCOMES = (outcomes.Success, outcomes.NoEvidence, outcomes.Deduped, outcomes.Failure)


def classify_output(
    value: object, /, *, shapes: Shapes = KNOWN_SHAPES, shape: Shape | None = None, limit: int | None = None
) -> outcomes.Outcome:
    """Return the outcome of a call that returned `value`: Success(INDIRECT), or NoEvidence if nothing is in it.

    An outcome that the tool returned itself is taken as it is; then `shape` is asked, where the tool's own is known,
    and then each of `shapes`. Text (and bytes) that is JSON as a whole counts by its JSON shape: `"[]"`, `"{}"` and
    `"null"` are as empty as the values. An object that has no stored form but the name of its type shows nothing. With
    as many items as `limit`, which the call itself asked for, an answer is partial.
    """
    return _Reading(shapes, limit, _DEEPEST).outcome_of(value, shape)


class _Reading(NamedTuple):
    """One value being read, and those inside it, which are read by themselves so many times at most."""

    shapes: Shapes
    limit: int | None
    deeper: int

    def outcome_of(self, value: object, shape: Shape | None = None) -> outcomes.Outcome:
        if issubclass(type(value), _OUTCOMES):
            return cast("outcomes.Outcome", value)
        if value is None:
            return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT)
        return self._by_class(value, shape) or self._by_form(value, shape)

    def inner(self, value: object) -> outcomes.Outcome:
        """Return what a value amounts to that stands inside the one being read."""
        if self.deeper > 0:
            return self._replace(deeper=self.deeper - 1).outcome_of(value)
        return outcomes.Success(support=Support.INDIRECT, output=output_of(value))

    def _by_class(self, value: object, shape: Shape | None) -> outcomes.Outcome | None:
        own = None if shape is None else object_as(shape, value, self.inner)
        found = self.shapes.of_object(value) if own is None else None
        return own if found is None else object_as(found, value, self.inner)

    def _by_form(self, value: object, shape: Shape | None) -> outcomes.Outcome:
        if isinstance(value, str | bytes):
            return self._of_text(output_of(value), shape)
        form = encode(value, bounds=OUTPUT)
        output = form if isinstance(form, str) else plain(form)
        if isinstance(form, str) and _TYPE_NAME.fullmatch(form):
            unread = (f"a returned object cannot be read: {form}",)
            return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, output=output, partial=unread)
        declared = self._declared(_body_of(value, form), output, shape)
        return declared or self._plain(form, output, empty_reason(form), basis=Basis.DECLARED)

    def _of_text(self, output: Output, shape: Shape | None) -> outcomes.Outcome:
        if _blank(output):
            return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=output)
        if len(output) > JSON_CHARACTERS:
            return outcomes.Success(support=Support.INDIRECT, output=output)
        text = output if isinstance(output, str) else output.decode("utf-8", "replace")
        if len(text) > _WHOLLY_READ:
            found = self._declared(self._large(text, shape), output, shape)
            return found or outcomes.Success(support=Support.INDIRECT, output=output)
        form = _json_in(text)
        declared = self._declared(form, output, shape)
        return declared or self._plain(form, output, reason_in_text(text, form), basis=Basis.INFERRED)

    def _large(self, text: str, shape: Shape | None) -> JsonValue:
        """Return a large text's object where a shape may know it; anything else in it is some evidence anyhow."""
        try:
            parsed = json.loads(text) if text.lstrip()[:1] == "{" else None
        except (ValueError, RecursionError):
            return None
        known = isinstance(parsed, dict) and (shape is not None or self.shapes.may_declare(parsed))
        return encode(parsed, bounds=OUTPUT) if known else None

    def _declared(self, form: JsonValue, output: Output, shape: Shape | None) -> outcomes.Outcome | None:
        if isinstance(form, list) and form and are_blocks(form):
            return outcome_of_blocks(form, output, self.inner)
        if not isinstance(form, dict):
            return None
        told = Told(output=output, inner=self.inner, limit=self.limit)
        own = None if shape is None else body_as(shape, form, replace(told, named=True))
        return own or declared_outcome(form, told, shapes=self.shapes)

    def _plain(
        self, form: JsonValue, output: Output, reason: NoEvidenceReason | None, *, basis: Basis
    ) -> outcomes.Outcome:
        if reason is not None:
            return outcomes.NoEvidence(reason=reason, output=output, basis=basis)
        marks = limit_mark(len(form), self.limit, "items") if isinstance(form, list) else ()
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=marks)


def _body_of(value: object, form: JsonValue) -> JsonValue:
    """Return the form of a value, with the members that a large object had no more room for: some say what it is."""
    if type(value) is not dict or not isinstance(form, dict) or "[...]" not in form or len(value) > _FEW_MEMBERS:
        return form
    more = {name: encode(member) for name, member in value.items() if type(name) is str and name not in form}
    return {**form, **more}


def _json_in(text: str) -> JsonValue:
    """Return the value that a whole text writes as JSON; a text that is none is its own value."""
    # A byte order mark stands before what a file or a Windows tool wrote.
    bare = text.removeprefix("\ufeff")
    if bare.lstrip()[:1] not in ("[", "{", '"'):
        return text
    try:
        return encode(json.loads(bare), bounds=OUTPUT)
    except (ValueError, RecursionError):
        return text


def _blank(output: Output) -> bool:
    if isinstance(output, str):
        return is_blank(output)
    return len(output) <= JSON_CHARACTERS and is_blank(output.decode("utf-8", "replace"))
