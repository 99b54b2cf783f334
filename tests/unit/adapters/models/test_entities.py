"""Names of things in questions: whole names only, short ones where they are clear."""

import pytest

from groundtrace_adapters.models.rules.entities import base_name, find_names, names_in

PODS = (
    "ts-order-service-5b67c48447-fj8b7",
    "ts-order-other-service-6cdbf9b4cc-swvb5",
    "cart-0",
    "api-7c9d8f6b5d-a1b2c",
    "api-7c9d8f6b5d-x9y8z",
)
NAMES = names_in({"pod": PODS, "app": ("checkout", "billing-report"), "level": ("ERROR",), "container": ("server",)})


def found(text: str) -> list[list[str]]:
    return [[name.value for name in mention.names] for mention in find_names(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("why did ts-order-service-5b67c48447-fj8b7 fail?", [[PODS[0]]]),
        ("why did ts-order-service fail?", [[PODS[0]]]),
        ("why did ts-order-other-service fail?", [[PODS[1]]]),
        ("why did TS-ORDER-SERVICE fail?", [[PODS[0]]]),
        ("is the ts order service slow?", [[PODS[0]]]),
        ("ts-order-service's errors", [[PODS[0]]]),
        ("cart-0.", [["cart-0"]]),
        ("checkout and billing-report", [["checkout"], ["billing-report"]]),
        ("the api pods", [[PODS[3], PODS[4]]]),
        ("ts-order is slow", []),
        ("checkouts were slow", []),
        ("cart-01 is slow", []),
        ("my-checkout is slow", []),
        ("the server logged an ERROR", []),
    ],
)
def test_only_whole_names_are_found_the_longest_first(text: str, values: list[list[str]]) -> None:
    assert found(text) == values


@pytest.mark.parametrize(
    ("pod", "base"),
    [
        ("ts-order-service-5b67c48447-fj8b7", "ts-order-service"),
        ("api-7c9d8f6b5d-a1b2c", "api"),
        ("node-exporter-k2x9p", "node-exporter"),
        ("cart-0", "cart-0"),
        ("checkout", "checkout"),
        ("billing-report", "billing-report"),
        ("order-other", "order-other"),
    ],
)
def test_a_pod_loses_the_suffixes_of_its_replica_set(pod: str, base: str) -> None:
    assert base_name(pod) == base
