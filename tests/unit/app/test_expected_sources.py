"""Coverage expects the sources that are configured, each by its own name, unless it is told otherwise (section 7)."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from groundtrace.coverage import ExpectedSource
from groundtrace_app.cli import run
from groundtrace_app.settings import Settings
from groundtrace_app.wiring import expected_sources
from groundtrace_testing.chat_bench import CannedTool, bench, close_benches, verdict
from groundtrace_testing.command import script, small_incident

LOW_CONFID = 5


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_benches()


def test_a_configured_source_that_nobody_asked_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small_incident(tmp_path)
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks" / "db.md").write_text("# Failover\n\nAsk who rebooted it.\n")
    model = script(tmp_path, verifier=[verdict("LOW_CONFID")])
    sources = ("--logs", "db.log", "--knowledge", "runbooks")
    with chdir(tmp_path):
        assert run(["ask", "did db fail over?", *sources, "--model", model, "--store", "memory:"]) == LOW_CONFID
    out = capfd.readouterr().out
    never = out.partition("What was never asked:")[2].partition("\n\n")[0]
    assert "lookup_knowledge (runbooks)" in never
    assert "query_logs" not in never
    assert "query_metrics" not in out


def test_each_source_has_the_name_under_which_it_is_configured() -> None:
    settings = Settings(logs=("a.log", "b.log"), metrics=("m.csv",), knowledge="runbooks")
    tools = [CannedTool(name=name) for name in ("query_logs", "query_metrics", "lookup_knowledge", "query_traces")]
    assert [(one.tool_name, one.source_name) for one in expected_sources(settings, tools)] == [
        ("query_logs", "a.log, b.log"),
        ("query_metrics", "m.csv"),
        ("lookup_knowledge", "runbooks"),
        ("query_traces", ""),
    ]


def test_a_service_that_is_told_nothing_expects_one_source_a_tool() -> None:
    tools = [CannedTool(), CannedTool(name="query_metrics")]
    turn = bench(tools=tools, verifier=[verdict("LOW_CONFID")]).ask()
    assert "query_metrics" in turn.text.partition("What was never asked:")[2].partition("\n\n")[0]


def test_a_service_that_is_told_its_sources_expects_these_alone() -> None:
    tools = [CannedTool(), CannedTool(name="query_metrics")]
    none = bench(tools=tools, verifier=[verdict("LOW_CONFID")], expected=()).ask()
    assert "query_metrics" not in none.text
    other = ExpectedSource(tool_name="query_traces", source_name="spans")
    told = bench(tools=tools, verifier=[verdict("LOW_CONFID")], expected=[other]).ask()
    never = told.text.partition("What was never asked:")[2].partition("\n\n")[0]
    assert "query_traces (spans)" in never
    assert "query_metrics" not in never
