"""From an address to a store, and what is said where it names none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from returns import result

from groundtrace.ports import Fate, StoreFault
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.opening import Address, Technology, address_of, file_of, open_store
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.records import a_row


@pytest.mark.parametrize(
    ("url", "technology", "place"),
    [
        ("memory:", Technology.MEMORY, ""),
        ("trace.db", Technology.SQLITE, "trace.db"),
        ("sqlite:trace.db", Technology.SQLITE, "trace.db"),
        ("sqlite:/var/lib/trace.db", Technology.SQLITE, "/var/lib/trace.db"),
        ("./memory:", Technology.SQLITE, "./memory:"),
        ("C:/trace.db", Technology.SQLITE, "C:/trace.db"),
        ("postgresql://me@host/db", Technology.POSTGRES, "postgresql://me@host/db"),
        ("postgres://me@host/db", Technology.POSTGRES, "postgres://me@host/db"),
        ("postgresql+sharded://me@host/db", Technology.SHARDED, "postgresql://me@host/db"),
    ],
)
def test_an_address_names_its_technology(url: str, technology: Technology, place: str) -> None:
    assert address_of(url) == result.Success(Address(technology=technology, place=place))


@pytest.mark.parametrize(
    "url",
    ["", " ", "sqlite:", "sqlite:\x00", "sqlite::memory:", "mysql://me:hunter2@host/db", "http://x", "sqlite://x"],
)
def test_an_address_that_means_nothing_is_refused_with_the_forms_that_do(url: str) -> None:
    told = open_store(url).failure()
    assert (told.fault, told.operation) == (StoreFault.UNAVAILABLE, "open")
    assert "`sqlite:PATH`" in told.message
    assert "hunter2" not in told.message


def test_a_path_is_an_sqlite_store_and_memory_is_memory(tmp_path: Path) -> None:
    assert isinstance(open_store("memory:").unwrap(), MemoryStore)
    store = open_store(str(tmp_path / "trace.db")).unwrap()
    assert isinstance(store, SqliteStore)
    assert store.append([a_row()]) == result.Success((Fate.STORED,))
    store.close()
    assert (tmp_path / "trace.db").exists()


def test_opening_touches_nothing(tmp_path: Path) -> None:
    open_store(f"sqlite:{tmp_path}/absent/trace.db").unwrap()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["~", "~no-such-user-here"])
def test_a_tilde_is_the_home_where_there_is_one(name: str) -> None:
    found = file_of(Address(technology=Technology.SQLITE, place=f"{name}/trace.db"))
    assert found.name == "trace.db"


@pytest.mark.parametrize("missing", ["psycopg", "psycopg_pool"])
def test_a_missing_extra_is_told_in_one_line(missing: str, tmp_path: Path) -> None:
    """In a process of its own, in which the package is really not to be found."""
    code = (
        "from importlib.machinery import PathFinder\n"
        "from groundtrace_adapters.stores.opening import open_store\n"
        "found = PathFinder.find_spec\n"
        f"hidden = lambda name, *rest: None if name == {missing!r} else found(name, *rest)\n"
        "PathFinder.find_spec = staticmethod(hidden)\n"
        "print(open_store('postgresql://me:hunter2@host/db').failure().message)\n"
    )
    assert (
        _run(code)
        == "a PostgreSQL store needs an extra that is not installed; run `pip install 'groundtrace[postgres]'`\n"
    )


def test_memory_and_sqlite_need_no_extra() -> None:
    code = (
        "import sys\n"
        "from groundtrace_adapters.stores.opening import open_store\n"
        "import groundtrace_adapters.migrations\n"
        "open_store('memory:').unwrap()\n"
        "print(sorted(name for name in sys.modules if name.startswith('psycopg')))\n"
    )
    assert _run(code) == "[]\n"


def _run(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.stdout


def test_a_memory_store_has_a_bound() -> None:
    store = MemoryStore(max_records=2)
    store.append([a_row(id="1"), a_row(id="2")])
    told = store.append([a_row(id="3")]).failure()
    assert (told.fault, told.retryable) == (StoreFault.FULL, True)
    assert store.append([a_row(id="1")]) == result.Success((Fate.STORED,))
    assert len(store.rows("acme/outage").unwrap()) == 2
