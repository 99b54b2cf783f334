"""The house keeps its own rules: what the core may import, call and load, and what no project file may hold."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ROOMS = {"core": "groundtrace", "adapters": "groundtrace_adapters", "app": "groundtrace_app"}

ALLOWED: frozenset[str] = frozenset(
    name
    for contract in PYPROJECT["tool"]["importlinter"]["contracts"]
    if contract["type"] == "allow_list"
    for name in contract["allowed"]
)
"""What the core may import: the list that import-linter holds."""

OPEN_TO_ALL = frozenset({"pydantic", "pydantic_core", "returns", "typing_extensions"})
"""Of these any module may be imported; of the standard library only the ones that the list names in full."""

IMPURE_BUILTINS = frozenset({"__import__", "breakpoint", "compile", "eval", "exec", "exit", "input", "open", "print"})

FACADE = "core/groundtrace/__init__.py"
"""The lazy facade alone calls `__import__`, on the modules of its own table (tests/unit/core/test_public_api.py)."""

BASELINE = "import returns.result, pydantic"
"""pydantic makes most of itself, sockets included, at the first model: the core makes its models when first used."""


def _sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def _files(room: str) -> Iterator[tuple[str, Sequence[ast.AST]]]:
    """Each file of a room with all nodes of its tree."""
    for path in _sources(room):
        yield str(path.relative_to(ROOT)), _nodes(path)


@cache
def _nodes(path: Path) -> Sequence[ast.AST]:
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"), str(path))))


def _imports(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Each imported module, with the name taken from it, or an empty one."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def _may_be_imported(module: str, name: str) -> bool:
    root = module.partition(".")[0]
    return root in {"groundtrace"} | (OPEN_TO_ALL & ALLOWED) or bool({module, f"{module}.{name}"} & ALLOWED)


def _may_be_loaded(module: str) -> bool:
    """A permitted module brings its own submodules, its parent, and private modules of the standard library."""
    root = module.partition(".")[0]
    return root.startswith("_") or bool({root, module} & (ALLOWED | {"groundtrace"})) or f"{module}.parse" in ALLOWED


def _modules_loaded_by(program: str) -> set[str]:
    # -I keeps the caller's folder and environment out; the search path is handed over as it stands here.
    prelude = f"import sys; sys.path[:] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{prelude}{program}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_core_imports_only_what_the_allow_list_names() -> None:
    strangers = [
        f"{path}: {module} {name}".rstrip()
        for path, nodes in _files("core")
        for module, name in _imports(nodes)
        if not _may_be_imported(module, name)
    ]
    assert strangers == []


def test_the_core_calls_no_builtin_that_reads_writes_or_runs_text() -> None:
    calls = [
        f"{path}:{node.lineno} {node.func.id}"
        for path, nodes in _files("core")
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in IMPURE_BUILTINS
        and (path, node.func.id) != (FACADE, "__import__")
    ]
    assert calls == []


MAKERS_OF_ROWS = {"row_building.py", "row_json.py", "record_codec.py"}
"""The two builders, and the two readers of rows that were built before."""


def test_no_other_place_builds_a_row() -> None:
    makers = {
        Path(path).name
        for room in ROOMS
        for path, nodes in _files(room)
        if "conformance" not in Path(path).parts  # ready-made ones, for the tests of others
        for node in nodes
        if isinstance(node, ast.Call)
        for name in (node.func, *node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(name, ast.Name)
        and name.id == "Invocation"
        and getattr(node.func, "id", "") not in {"TypeVar", "fields"}
    }
    assert makers == MAKERS_OF_ROWS


def test_the_core_never_awaits() -> None:
    waits = [
        f"{path}:{node.lineno}"
        for path, nodes in _files("core")
        for node in nodes
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
    ]
    assert waits == []


def test_the_core_keeps_no_global_that_changes() -> None:
    changes = [
        f"{path}:{node.lineno}" for path, nodes in _files("core") for node in nodes if isinstance(node, ast.Global)
    ]
    assert changes == []


def test_importing_the_core_loads_no_io_module() -> None:
    before = _modules_loaded_by(BASELINE)
    added = _modules_loaded_by(f"{BASELINE}\nimport groundtrace") - before
    assert {module for module in added if not _may_be_loaded(module)} == set()


def test_importing_the_core_loads_no_module_of_it_before_a_name_is_used() -> None:
    loaded = _modules_loaded_by("import groundtrace")
    assert {module for module in loaded if module.startswith(("groundtrace.", "pydantic", "returns"))} == set()


def test_recording_and_deciding_make_no_pydantic_model() -> None:
    loaded = _modules_loaded_by("from groundtrace import decide, evaluate, parse_verdict, record, shape, summarize")
    assert {"groundtrace.recording", "groundtrace.judging"} <= loaded
    assert not {"pydantic.main", "pydantic.type_adapter"} & loaded


def test_importing_the_core_loads_neither_adapters_nor_app() -> None:
    loaded = {module.partition(".")[0] for module in _modules_loaded_by("import groundtrace")}
    assert "groundtrace" in loaded
    assert not {"groundtrace_adapters", "groundtrace_app"} & loaded


def test_adapters_do_not_import_the_app() -> None:
    inward = [
        f"{path}: {module}"
        for path, nodes in _files("adapters")
        for module, _ in _imports(nodes)
        if module.partition(".")[0] == ROOMS["app"]
    ]
    assert inward == []


@pytest.mark.parametrize("room", ROOMS)
def test_success_and_failure_are_never_imported_bare(room: str) -> None:
    bare = [
        f"{path}: from {module} import {name}"
        for path, nodes in _files(room)
        for module, name in _imports(nodes)
        if name in {"Success", "Failure"}
    ]
    assert bare == []


def test_tests_use_no_mocks() -> None:
    # What is imported stands in the text; most files need not be taken apart.
    suspects = [path for path in _sources("tests") if "mock" in path.read_text("utf-8")]
    mocks = [path for path in suspects for module, name in _imports(_nodes(path)) if "mock" in (module, name)]
    assert mocks == []


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_a_room_itself_is_no_package(room: str) -> None:
    assert not (ROOT / room / "__init__.py").exists()


@pytest.mark.parametrize(("room", "package"), ROOMS.items())
def test_each_package_says_that_it_is_typed(room: str, package: str) -> None:
    assert (ROOT / room / package / "py.typed").exists()


def test_the_base_needs_returns_and_pydantic_alone() -> None:
    assert PYPROJECT["project"]["dependencies"] == ["returns>=0.30,<0.31", "pydantic>=2.14,<3"]


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.name)
def test_every_pinned_package_carries_hashes_and_no_address(path: Path) -> None:
    text = path.read_text("utf-8")
    pins = [pin for pin in text.replace("\\\n", " ").splitlines() if pin and not pin.startswith("#")]
    assert pins
    assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []
    assert not {"://", " @ ", "--index-url", "--extra-index-url", "--find-links"} & {
        word for word in ("://", " @ ", "--index-url", "--extra-index-url", "--find-links") if word in text
    }
