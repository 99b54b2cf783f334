"""Where sessions lie: PostgreSQL's hash of a partition key, and what is made of what an entry tells of partitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.stores.sharded.partition_hash import partition_hash
from groundtrace_adapters.stores.sharded.placement import HERE, PROBES, Partition, Placement, grouped, placement_from

THREE = Placement(
    partitions=tuple(Partition(server=f"server {place}", modulus=3, remainder=place) for place in range(3))
)


def told(placement: Placement, *, lies: int = 0) -> list[tuple[object, ...]]:
    """What a server answers of its partitions and of each probe; of so many of these it says the contrary."""
    answer: list[tuple[object, ...]] = []
    for one in placement.partitions:
        for probe in PROBES:
            holds = partition_hash(probe) % one.modulus == one.remainder
            answer.append((one.server, one.modulus, one.remainder, holds, probe))
    return [(*line[:3], not line[3], line[4]) for line in answer[:lies]] + answer[lies:]


class TestPartitionHash:
    @pytest.mark.parametrize(
        ("text", "remainder"),
        [
            ("", 470),
            ("a", 569),
            ("acme/outage", 273),
            ("twelve bytes", 854),
            ("thirteen byte", 450),
            ("caf\u00e9 \U0001f525", 156),
            ("x" * 200, 867),
        ],
    )
    def test_it_is_the_one_of_postgresql(self, text: str, remainder: int) -> None:
        """Found with `satisfies_hash_partition` on PostgreSQL 15, for a modulus of 1,021."""
        assert partition_hash(text) % 1_021 == remainder

    @given(st.text())
    def test_it_has_64_bits(self, text: str) -> None:
        try:
            assert 0 <= partition_hash(text) < 2**64
        except UnicodeEncodeError:
            assert any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


class TestPlacement:
    @given(st.text())
    def test_every_session_that_can_be_kept_has_one_server(self, session_id: str) -> None:
        storable = "\x00" not in session_id and not any(0xD800 <= ord(letter) <= 0xDFFF for letter in session_id)
        assert (THREE.server_of(session_id) in THREE.servers) == storable

    def test_partitions_of_different_moduli_make_one_placement(self) -> None:
        halves = (Partition(server="large", modulus=2, remainder=0), Partition(server="b", modulus=4, remainder=1))
        whole = Placement(partitions=(*halves, Partition(server="c", modulus=4, remainder=3)))
        found = {whole.server_of(f"session {number}") for number in range(100)}
        assert found == set(whole.servers) == {"large", "b", "c"}

    def test_without_partitions_everything_lies_here(self) -> None:
        assert Placement(partitions=()).server_of("acme/outage") == HERE

    def test_what_a_server_tells_is_taken(self) -> None:
        assert placement_from(told(THREE)) == THREE
        assert placement_from([]) == Placement(partitions=())

    @pytest.mark.parametrize("lies", [1, 2, 9])
    def test_of_a_server_that_hashes_otherwise_nothing_is_known(self, lies: int) -> None:
        assert placement_from(told(THREE, lies=lies)) == Placement(partitions=())


class TestGrouping:
    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=30))
    def test_each_row_is_in_the_group_of_its_server_and_in_order(self, sessions: list[str]) -> None:
        groups = grouped(sessions, THREE)
        assert sorted(place for places in groups.values() for place in places) == list(range(len(sessions)))
        for server, places in groups.items():
            assert list(places) == sorted(places)
            assert {THREE.server_of(sessions[place]) for place in places} == {server}
