"""Which data server keeps a session, where the hash partitions of a store lie on several servers; asks no database."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.plain_values import as_flag, as_integer, as_text, is_storable
from groundtrace_adapters.stores.sharded.partition_hash import partition_hash

PROBES = ("", "acme/outage", "\U0001f525 a session of more than twelve bytes")
"""Sessions that the entry is asked about, to see that it and `partition_hash` agree."""

_SESSIONS_TRIED = 100_000

HERE = ""
"""The name of the entry itself, where a partition is a plain table of it."""

# A parameter of the partitions' own type, since PostgreSQL hashes each type in its own way.
READ_PARTITIONS = """SELECT server, modulus, remainder,
    satisfies_hash_partition('tool_invocation'::regclass, modulus, remainder, probe) AS holds, probe
FROM (SELECT COALESCE(srvname::text, '') AS server, bound[1]::int AS modulus, bound[2]::int AS remainder
    FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
    LEFT JOIN pg_foreign_table ON ftrelid = part.oid LEFT JOIN pg_foreign_server AS s ON s.oid = ftserver,
    regexp_match(pg_get_expr(relpartbound, part.oid), 'modulus (\\d+), remainder (\\d+)') AS bound
    WHERE inhparent = 'tool_invocation'::regclass AND bound IS NOT NULL) AS partitions,
    unnest(%(probes)s::text[]) AS probe"""
"""Asks where the partitions lie, and for each probe whether it belongs there. Parameter: `probes`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One hash partition: where it lies, and which sessions it holds."""

    server: str
    modulus: int
    remainder: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """All partitions of a store. It is a guess that saves asking: the server places each row itself."""

    partitions: tuple[Partition, ...]

    @property
    def servers(self) -> tuple[str, ...]:
        """Return the names of the servers, sorted."""
        return tuple(sorted({one.server for one in self.partitions}))

    def server_of(self, session_id: str, /) -> str:
        """Return the server that keeps a session; `HERE` for what no server can keep."""
        if not is_storable(session_id):
            return HERE
        place = partition_hash(session_id)
        found = (one.server for one in self.partitions if place % one.modulus == one.remainder)
        return next(found, HERE)

    def session_on(self, server: str, /) -> str | None:
        """Return the id of a session that a server would keep, if it can be found."""
        made = map("groundtrace/{}".format, range(_SESSIONS_TRIED))
        return next((session for session in made if self.server_of(session) == server), None)


def placement_from(answer: Answer, /) -> Placement:
    """Return the placement that `READ_PARTITIONS` tells: of no partition at all if the server hashes otherwise.

    Then nothing is known of where sessions lie, and every batch goes to the entry whole, which is right and slower.
    """
    partitions: dict[Partition, None] = {}
    for server, modulus, remainder, holds, probe in answer:
        one = Partition(server=as_text(server), modulus=as_integer(modulus), remainder=as_integer(remainder))
        if as_flag(holds) is not (partition_hash(as_text(probe)) % one.modulus == one.remainder):
            return Placement(partitions=())
        partitions[one] = None
    return Placement(partitions=tuple(partitions))


def grouped(sessions: Iterable[str], placement: Placement, /) -> dict[str, Sequence[int]]:
    """Return the positions of the rows whose sessions are given, by the server that keeps them, in order."""
    groups: dict[str, list[int]] = {}
    for position, session_id in enumerate(sessions):
        groups.setdefault(placement.server_of(session_id), []).append(position)
    return {server: tuple(groups[server]) for server in sorted(groups)}
