"""How a value's declared shape is found: by the name of its class, by what it looks like, or by its fields."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from groundtrace import outcomes
from groundtrace.shapes.shape import Body, Inner, Shape, Told


@dataclass(frozen=True, slots=True)
class Shapes:
    """Declared shapes in the order in which they are asked; a value, which `extended` does not change."""

    shapes: tuple[Shape, ...]
    _members: frozenset[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Gather the members by which objects are known; None where a shape has to be asked about each object."""
        by_body = [shape.members for shape in self.shapes if shape.read_body is not None]
        object.__setattr__(self, "_members", frozenset().union(*by_body) if all(by_body) else None)

    def __iter__(self) -> Iterator[Shape]:
        """Give the shapes in their order."""
        return iter(self.shapes)

    def extended(self, *more: Shape) -> "Shapes":
        """Return these shapes with `more` before them; one of a name that is there already takes its place."""
        names = {shape.name for shape in more}
        return Shapes((*more, *(shape for shape in self.shapes if shape.name not in names)))

    def named(self, name: str, /) -> Shape | None:
        """Return the shape of that name."""
        return next((shape for shape in self.shapes if shape.name == name), None)

    def may_declare(self, body: Mapping[str, object], /) -> bool:
        """Tell whether an object has a member by which one of the shapes is known."""
        return self._members is None or not self._members.isdisjoint(body)

    def of_object(self, value: object, /) -> Shape | None:
        """Return the shape of an object's class, or the first that it looks like."""
        kind = type(value)
        if kind.__module__ == "builtins":
            return None
        names = _names_of(kind)
        typed = (shape for shape in self.shapes if not names.isdisjoint(shape.types))
        return next(typed, None) or next((shape for shape in self.shapes if _fits(shape, value)), None)


def declared_outcome(body: Body, told: Told, /, *, shapes: Shapes) -> outcomes.Outcome | None:
    """Return what a whole JSON object declares of itself, None where it is of no known shape."""
    if not shapes.may_declare(body):
        return None
    asked = (shape for shape in shapes if not shape.members or not shape.members.isdisjoint(body))
    return next((found for shape in asked if (found := body_as(shape, body, told)) is not None), None)


def body_as(shape: Shape, body: Body, told: Told, /) -> outcomes.Outcome | None:
    """Return what a JSON object amounts to, read as one of `shape`."""
    try:
        return None if shape.read_body is None else shape.read_body(body, told)
    except Exception:  # noqa: BLE001 - a caller's own reader never breaks the record of a call
        return None


def object_as(shape: Shape, value: object, inner: Inner, /) -> outcomes.Outcome | None:
    """Return what an object amounts to, read as one of `shape`."""
    try:
        return None if shape.read_object is None else shape.read_object(value, inner)
    except Exception:  # noqa: BLE001 - a property of a foreign class may raise anything
        return None


def _names_of(kind: type) -> frozenset[str]:
    """Return the classes of an object by top package and name: where in its package a class stands changes."""
    return frozenset(f"{base.__module__.partition('.')[0]}.{base.__qualname__}" for base in kind.__mro__)


def _fits(shape: Shape, value: object) -> bool:
    try:
        return shape.fits is not None and shape.fits(value)
    except Exception:  # noqa: BLE001 - whatever an object does when it is looked at, it is of no known shape then
        return False
