"""Settings from flags, then the environment, then a file; what does not fit is one line with its place and mend."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.decision import PassNeeds
from groundtrace.problem import Problem
from groundtrace_adapters.sources.log_files.formats import LogKind
from groundtrace_app.settings import NOT_SETTINGS, Settings, load_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty working folder."""
    with chdir(tmp_path):
        yield tmp_path


def loaded(
    flags: dict[str, object] | None = None, environment: dict[str, str] | None = None, file: Path | None = None
) -> Settings:
    return load_settings(flags or {}, environment or {}, file=file).unwrap()


def refused(
    flags: dict[str, object] | None = None, environment: dict[str, str] | None = None, file: Path | None = None
) -> Problem:
    return load_settings(flags or {}, environment or {}, file=file).swap().unwrap()


def test_nothing_set_gives_the_defaults() -> None:
    assert loaded() == Settings()
    assert (loaded().store, loaded().model, loaded().pass_needs) == ("groundtrace.db", "rules", PassNeeds.ANY)


def test_flags_go_before_the_environment_and_that_before_the_file(folder: Path) -> None:
    (folder / "groundtrace.toml").write_text('store = "file.db"\nmodel = "script:f"\nspool = "file"\nmax_steps = 5\n')
    environment = {"GROUNDTRACE_STORE": "env.db", "GROUNDTRACE_MODEL": "script:e"}
    settings = loaded({"store": "flag.db", "model": None}, environment)
    assert (settings.store, settings.model, settings.spool, settings.max_steps) == ("flag.db", "script:e", "file", 5)


@pytest.mark.parametrize(
    "given_as",
    [
        ({"logs": ["a.log", "b.log"]}, {}, ""),
        ({}, {"GROUNDTRACE_LOGS": "a.log,b.log"}, ""),
        ({}, {}, 'logs = ["a.log", "b.log"]'),
        ({}, {}, 'logs = "a.log,b.log"'),
    ],
    ids=["flags", "environment", "file-list", "file-text"],
)
def test_several_logs_are_given_in_each_place(
    given_as: tuple[dict[str, object], dict[str, str], str], folder: Path
) -> None:
    flags, environment, file = given_as
    (folder / "groundtrace.toml").write_text(file)
    assert loaded(flags, environment).logs == ("a.log", "b.log")


def test_flags_and_variables_that_are_empty_are_not_set() -> None:
    assert loaded({"logs": [], "store": None}, {"GROUNDTRACE_STORE": "", "GROUNDTRACE_MAX_STEPS": ""}) == Settings()


def test_how_logs_are_written_can_be_said() -> None:
    settings = loaded({}, {"GROUNDTRACE_LOG_FORMAT": "csv", "GROUNDTRACE_LOG_TEXT_FIELD": "line"})
    assert (settings.log_format, settings.log_text_field) == (LogKind.CSV, "line")


def test_a_field_of_logs_that_have_none_is_refused() -> None:
    problem = refused({}, {"GROUNDTRACE_LOG_TIME_FIELD": "ts"})
    assert (problem.where, problem.mend) == ("the environment", "set log_format to json_lines or csv besides")


def test_variables_of_others_and_of_the_tests_are_no_settings() -> None:
    assert loaded({}, {"PATH": "/bin", "GROUND": "x", **dict.fromkeys(NOT_SETTINGS, "1")}) == Settings()


def test_an_unknown_setting_is_named_with_its_place_and_the_nearest_one(folder: Path) -> None:
    assert refused({}, {"GROUNDTRACE_STROE": "x"}) == Problem(
        what="unknown setting 'GROUNDTRACE_STROE'", where="the environment", mend="did you mean 'GROUNDTRACE_STORE'?"
    )
    (folder / "groundtrace.toml").write_text('know_ledge = "x"\n')
    assert refused() == Problem(
        what="unknown setting 'know_ledge'", where="groundtrace.toml", mend="did you mean 'knowledge'?"
    )
    (folder / "groundtrace.toml").unlink()
    assert refused({"zzz": 1}).mend.startswith("known: flush_seconds, knowledge, log_format, ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool_seconds", "soon"),
        ("tool_seconds", "0"),
        ("turn_seconds", "nan"),
        ("turn_seconds", "3601"),
        ("max_steps", "0"),
        ("max_calls", "1.5"),
        ("pass_needs", "some"),
        ("show_unverified", "maybe"),
        ("log_format", "xml"),
    ],
)
def test_a_value_that_does_not_fit_is_named_and_not_repeated(name: str, value: str) -> None:
    problem = refused({}, {f"GROUNDTRACE_{name.upper()}": value})
    assert (problem.where, problem.what.startswith(f"setting {name}: ")) == ("the environment", True)
    assert value not in problem.what.split() or value == "0"


def test_a_value_of_another_kind_in_the_file_is_refused_there(folder: Path) -> None:
    (folder / "groundtrace.toml").write_text("store = 3\n")
    assert (refused().where, refused().what) == ("groundtrace.toml", "setting store: input should be a valid string")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'store = "half', "is not TOML"),
        (b"store: x", "is not TOML"),
        (b"\xff\xfe\x00", "is not TOML"),
        (b"# " + b"x" * 1_000_001, "at most 1 MB"),
        (b"[store]\nfile = 'x'", "setting store"),
    ],
    ids=["half", "yaml", "binary", "huge", "table"],
)
def test_a_file_that_is_none_of_ours_is_one_line(text: bytes, said: str, folder: Path) -> None:
    (folder / "groundtrace.toml").write_bytes(text)
    problem = refused()
    assert said in problem.what
    assert problem.where == "groundtrace.toml"
    assert len(problem.line().splitlines()) == 1


def test_a_file_that_was_named_must_be_there_and_be_a_file(folder: Path) -> None:
    assert refused(file=folder / "none.toml").where.endswith("none.toml")
    assert "directory" in refused(file=folder).what


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.text(max_size=30), max_size=4))
def test_any_environment_gives_settings_or_one_line(environment: dict[str, str]) -> None:
    read = load_settings({}, {f"GROUNDTRACE_{name}": value for name, value in environment.items()})
    assert len(read.swap().map(Problem.line).value_or("").splitlines()) <= 1
