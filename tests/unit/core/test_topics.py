"""What a call was about (section 5)."""

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.topics import LABELS, normal_topic, topic_domain

CASES: list[tuple[str, JsonValue, str]] = [
    ("a parameter", {"service": "checkout"}, "checkout"),
    ("a parameter spelled otherwise", {"pod_name": "db-0", "limit": 3}, "db-0"),
    ("service before pod", {"pod": "db-0", "service": "db"}, "db"),
    ("namespace last", {"namespace": "prod", "instance": "10.0.0.7:9100"}, "10.0.0.7:9100"),
    ("a field", {"fields": {"app": "api"}, "pattern": "x"}, "api"),
    ("a filter", {"filters": {"component": "cache"}}, "cache"),
    ("a label", {"labels": {"job": "node"}}, "node"),
    ("another object is no label", {"options": {"app": "api"}}, "general"),
    ("logql", {"query": '{app="api", pod=~"api-.*"} |= "error"'}, "api"),
    ("promql", {"selector": 'sum(rate(http_requests_total{code!="200",service="pay"}[5m]))'}, "pay"),
    ("single quotes", {"q": "up{job='node'}"}, "node"),
    ("back quotes", {"q": "{container=`web`}"}, "web"),
    ("brace in a value", {"q": '{path="/a/{id}", app="api"}'}, "api"),
    ("escaped quote", {"q": r'{msg="a\"b", app="api"}'}, "api"),
    ("a pattern matcher does not count", {"q": '{app=~"api"}'}, "general"),
    ("a negative matcher does not count", {"q": '{app!="api", namespace="prod"}'}, "prod"),
    ("an empty matcher does not count", {"q": '{app="", namespace="prod"}'}, "prod"),
    ("two values do not count", {"q": '{app="api"} or {app="web"}'}, "general"),
    ("one value twice counts", {"q": 'a{app="api"} / b{app="api"}'}, "api"),
    ("a list of one counts", {"service": ["api"]}, "api"),
    ("a list of several does not", {"service": ["api", "web"], "namespace": "prod"}, "prod"),
    ("a wildcard does not", {"pod": "*", "namespace": "prod"}, "prod"),
    ("blank does not", {"service": " \u200b", "namespace": "prod"}, "prod"),
    ("null does not", {"service": None, "namespace": "prod"}, "prod"),
    ("a number does", {"instance": 7}, "7"),
    ("a word outside of a selector is none", {"query": 'why does app="api" fail'}, "general"),
    ("pod of a deployment", {"pod": "ts-auth-service-7f8d7d756d-kzp47"}, "ts-auth-service"),
    ("pod of another deployment", {"q": '{pod="cart-64469b5b48-5rjvb"}'}, "cart"),
    ("pod of a daemon set", {"pod": "agent-x7k2p"}, "agent"),
    ("member of a stateful set", {"pod": "db-0"}, "db-0"),
    ("pod by a plain name", {"pod": "nginx-https"}, "nginx-https"),
    ("case and space", {"service": "  Checkout-API "}, "checkout-api"),
    ("no parameters", {}, "general"),
    ("no object", ["service"], "general"),
]


@pytest.mark.parametrize(("params", "topic"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_topic_is_the_first_label_with_one_value(params: JsonValue, topic: str) -> None:
    assert topic_domain(params, None, None) == topic


def test_an_explicit_topic_wins_and_the_scope_stands_in() -> None:
    assert topic_domain({"service": "api"}, "Billing", "runbooks") == "billing"
    assert topic_domain({"service": "api"}, " ", "runbooks") == "api"
    assert topic_domain({"query": "disk"}, None, "Runbooks/DB") == "runbooks/db"
    assert topic_domain({"query": "disk"}, "", " ") == "general"


def test_topics_are_compared_in_one_spelling() -> None:
    assert normal_topic("Cafe\u0301") == normal_topic("CAF\u00c9") == "caf\u00e9"
    assert normal_topic("STRASSE") == normal_topic("stra\u00dfe")
    assert len(normal_topic("x" * 500)) == 200
    assert normal_topic("a\0b\ud83d") == "a\u2400b\ufffd"


@pytest.mark.parametrize("label", LABELS)
def test_each_label_of_the_contract_counts(label: str) -> None:
    assert topic_domain({label: "one"}) == topic_domain({"q": f'{{{label}="one"}}'}) == "one"


def test_a_hostile_query_takes_linear_time() -> None:
    for piece in ('{a="', "{", '{a="b",', "{a=`", "{a='\\"):
        topic_domain({"q": piece * 300_000})
