"""What `import groundtrace` promises: these names, each with its type, loaded when it is first used and not before."""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path

import pytest

import groundtrace

FACADE = Path(__file__).parents[3] / "core" / "groundtrace" / "__init__.py"
TREE = ast.parse(FACADE.read_text("utf-8"))
MODULES = {path.stem for path in FACADE.parent.glob("*.py")}
CALLERS = [ast.parse(path.read_text("utf-8")) for path in (Path(__file__).parents[2] / "typing").glob("*.py")]


def _imported_for_type_checkers() -> dict[str, str]:
    """Each imported name with the module that it comes from."""
    (block,) = (node for node in TREE.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {
        alias.name: (node.module or "").removeprefix("groundtrace.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _table() -> dict[str, str]:
    (names,) = (
        ast.literal_eval(node.value)
        for node in TREE.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_NAMES_BY_MODULE"
    )
    return {name: module for module, listed in names.items() for name in listed.split()}


def _constants_then_classes(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[0].isupper(), name


def test_the_public_names_are_sorted_and_stand_once() -> None:
    assert groundtrace.__all__ == sorted(set(groundtrace.__all__), key=_constants_then_classes)


def test_type_checkers_and_the_running_program_see_the_same_names() -> None:
    seen, table = _imported_for_type_checkers(), _table()
    assert set(seen) == set(table) == set(groundtrace.__all__)
    assert {name: module for name, module in table.items() if name != module} == {
        name: module for name, module in seen.items() if module != "groundtrace"
    }


@pytest.mark.parametrize("name", groundtrace.__all__)
def test_a_public_name_is_the_one_of_its_module(name: str) -> None:
    module = import_module(f"groundtrace.{_table()[name]}")
    expected = module if module.__name__ == f"groundtrace.{name}" else getattr(module, name)
    assert getattr(groundtrace, name) is expected


def test_no_public_name_hides_behind_a_module_of_the_same_name() -> None:
    assert MODULES.intersection(groundtrace.__all__) == {"outcomes"}


def test_the_outcomes_stay_in_their_module() -> None:
    assert not {"Success", "Failure", "NoEvidence", "Deduped"}.intersection(groundtrace.__all__)


def test_a_public_class_or_function_says_what_it_is() -> None:
    values = {name: getattr(groundtrace, name) for name in groundtrace.__all__}
    silent = [name for name, value in values.items() if (isclass(value) or isfunction(value)) and not value.__doc__]
    assert silent == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'record_everything'"):
        getattr(groundtrace, "record_everything")  # noqa: B009 - mypy knows that it is not there


def test_dir_shows_the_public_names() -> None:
    assert set(groundtrace.__all__) <= set(dir(groundtrace))
    assert not [name for name in dir(groundtrace) if name.startswith("_") and not name.startswith("__")]


def test_a_caller_under_mypy_uses_every_public_name() -> None:
    used = {
        node.attr
        for tree in CALLERS
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "groundtrace"
    }
    assert used - {"Success"} == set(groundtrace.__all__) - {"outcomes"}
