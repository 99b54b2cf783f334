"""A document with one of its parts replaced: what a stranger's writer, or a torn disk, may put anywhere."""

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from groundtrace.json_text import JsonValue

Path = tuple[str | int, ...]

ANYTHING: st.SearchStrategy[JsonValue] = st.sampled_from(
    [
        None, True, False, 0, -1, 7, 10**30, 10**400, float("nan"), float("inf"), 1.5, "", " ", "x", "\0\ud800", "{",
        "[1", "[]", '{"role": 3}', '[{"role": "user", "parts": 4}]', "null", [], {}, [None], [[]], [{}],
        ["x", 3, None, {"a": []}],
        {"value": 3}, {"stringValue": None}, {"arrayValue": {"values": 3}}, {"kvlistValue": []}, {"type": []},
        {"": {"": {"": None}}}, {"0": "x", "10": {"message": 4}, "-1": [], "99999999999": 1}, [[[[[[]]]]]],
    ]
)  # fmt: skip


def parts_of(value: JsonValue, path: Path = ()) -> Iterator[Path]:
    """Yield the place of every part of a document, itself left out."""
    members: Iterator[tuple[str | int, JsonValue]] = iter(())
    if isinstance(value, dict):
        members = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    for name, inner in members:
        yield (*path, name)
        yield from parts_of(inner, (*path, name))


def spoiled(value: JsonValue, path: Path, by: JsonValue) -> JsonValue:
    """Return a document with another value at one place."""
    if not path:
        return by
    first, *rest = path
    if isinstance(value, dict):
        return {name: spoiled(one, tuple(rest), by) if name == first else one for name, one in value.items()}
    if isinstance(value, list):
        return [spoiled(one, tuple(rest), by) if at == first else one for at, one in enumerate(value)]
    return value


@st.composite
def spoiled_documents(draw: st.DrawFn, records: Sequence[JsonValue]) -> list[JsonValue]:
    """Give records with up to three parts replaced by anything."""
    whole: JsonValue = list(records)
    for _ in range(draw(st.integers(1, 3))):
        paths = [path for path in parts_of(whole) if len(path) > 1]
        whole = spoiled(whole, draw(st.sampled_from(paths)), draw(ANYTHING)) if paths else whole
    assert isinstance(whole, list)
    return whole
