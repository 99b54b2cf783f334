"""Selectors as people and models write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace_adapters.sources.metric_files.selector import NAME, Matcher, parse_selector


def conditions(selector: str) -> list[tuple[str, str, str]]:
    return [(one.label, one.operator, one.value) for one in parse_selector(selector).unwrap().matchers]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("up", [(NAME, "=", "up")]),
        (" up {} ", [(NAME, "=", "up")]),
        ("job:requests:rate5m", [(NAME, "=", "job:requests:rate5m")]),
        ("NodeCpuUsageRate(%)", [(NAME, "=", "NodeCpuUsageRate(%)")]),
        ("disk.used", [(NAME, "=", "disk.used")]),
        ('up{job="a",env!="b"}', [(NAME, "=", "up"), ("job", "=", "a"), ("env", "!=", "b")]),
        ('up{ a =~ "x|y" , b !~ "z", }', [(NAME, "=", "up"), ("a", "=~", "x|y"), ("b", "!~", "z")]),
        ("up{a='it''s'}", None),
        ("up{a='\"'}", [(NAME, "=", "up"), ("a", "=", '"')]),
        ("up{a=`\\d`}", [(NAME, "=", "up"), ("a", "=", "\\d")]),
        ('{"CpuUsage(m)"}', [(NAME, "=", "CpuUsage(m)")]),
        ('{"a b", "label c"="d"}', [(NAME, "=", "a b"), ("label c", "=", "d")]),
        ('{__name__=~"a.*"}', [(NAME, "=~", "a.*")]),
        ('up{a="b\\"c\\\\d\\n\\u00e9\\x41"}', [(NAME, "=", "up"), ("a", "=", 'b"c\\d\n\u00e9A')]),
        ('up{a="}{,="}', [(NAME, "=", "up"), ("a", "=", "}{,=")]),
        ('up{PodName="a",service_name="b"}', [(NAME, "=", "up"), ("pod", "=", "a"), ("service", "=", "b")]),
    ],
)
def test_a_selector_is_a_list_of_conditions(selector: str, found: list[tuple[str, str, str]] | None) -> None:
    if found is None:
        assert not is_successful(parse_selector(selector))
    else:
        assert conditions(selector) == found


@pytest.mark.parametrize(
    "call", ["rate(up[5m])", "sum(up)", "sum by (a) (up)", "avg_over_time(up[5m])", "up[5m]", "up > 1", "up offset 5m"]
)
def test_what_is_more_than_a_selector_is_refused_with_what_to_do(call: str) -> None:
    refused = parse_selector(call)
    assert not is_successful(refused)
    assert "use the parameters aggregate" in refused.failure().message


@given(st.text(min_size=1, max_size=20), st.text(max_size=20))
def test_a_quoted_name_and_value_mean_themselves(name: str, value: str) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    (first, second) = parse_selector(f"{{{quoted(name)}, x={quoted(value)}}}").unwrap().matchers
    assert (first.value, second) == (name, Matcher(label="x", operator="=", value=value))


@given(st.text("a{}\",=~!\\ `'()[]", max_size=16))
def test_any_text_is_read_or_refused(text: str) -> None:
    is_successful(parse_selector(text))
