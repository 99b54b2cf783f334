"""The commands among a reply's next steps reach the same source as the call did: `options` name it."""

import json
import shlex

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.coverage import ExpectedSource, coverage_of
from groundtrace.next_steps import call_command, suggest_steps
from groundtrace_testing.gate_rows import failure

EXPECTED = (
    ExpectedSource(tool_name="query_logs", source_name="app logs"),
    ExpectedSource(tool_name="query_metrics", source_name="metrics", first_look={"selector": "up"}),
)
OPTIONS = {
    "query_logs": ("--logs", "my logs/app.log", "--session", "it's 1"),
    "query_metrics": ("--metrics", "m.om"),
}


def test_each_command_ends_in_the_options_of_its_own_tool() -> None:
    rows = (failure(1),)
    steps = suggest_steps(rows, coverage_of(rows, EXPECTED), EXPECTED, options=OPTIONS)
    assert [shlex.split(step.command)[4:] for step in steps] == [
        ["--logs", "my logs/app.log", "--session", "it's 1"],
        ["--metrics", "m.om"],
    ]


def test_without_options_a_command_is_tool_and_parameters() -> None:
    rows = (failure(1),)
    assert all(
        len(shlex.split(step.command)) == 4 for step in suggest_steps(rows, coverage_of(rows, EXPECTED), EXPECTED)
    )


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"])), max_size=5))
def test_options_reach_a_shell_as_they_were_typed(options: list[str]) -> None:
    command = call_command("query_logs", json.dumps({}), options=options)
    assert shlex.split(command)[4:] == options
