"""What a retrieval-aware call considered and delivered (DESIGN section 6): values only.

How the counts, the layer and the relevance decide the outcome is `relevance`; repeats are `dedup`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Layer(StrEnum):
    """How deep knowledge was delivered: an entry's abstract (L0), its sections (L1), the original text (L2)."""

    NONE = "none"
    L0 = "L0"
    L1 = "L1"
    L2 = "L2"


class Relevance(StrEnum):
    """Share of the query's IDF weight that the best hits cover, by the cut-offs in `relevance`."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


class Mode(StrEnum):
    """How knowledge was asked for: by words, or by the address of one entry."""

    SEARCH = "search"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One delivered or considered piece: `score` is the ranker's (higher is better), `coverage` a share 0 to 1."""

    uri: str
    layer: Layer
    score: float
    coverage: float
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What one knowledge call considered (`l0_count`) and delivered (`l1_count`, `hits`), under which rules.

    0 <= l1_count <= l0_count, except in mode `address`; else ValueError.
    """

    mode: Mode = Mode.SEARCH
    layer: Layer = Layer.NONE
    l0_count: int = 0
    l1_count: int = 0
    l2_count: int = 0
    relevance: Relevance = Relevance.NONE
    floor: float = 0.0
    hits: tuple[Hit, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    index_revision: str = ""

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if min(self.l0_count, self.l1_count, self.l2_count) < 0:
            raise ValueError("a retrieval count is negative")
        if self.mode is Mode.SEARCH and self.l1_count > self.l0_count:
            raise ValueError("l1_count is larger than l0_count: only considered entries can be delivered")
