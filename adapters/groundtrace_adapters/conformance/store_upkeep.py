"""What every StoreUpkeep does: give `case`, get all of it."""

from groundtrace_adapters.conformance.upkeep_pages import LastingStats, Pages, SaveAll, Stats
from groundtrace_adapters.conformance.upkeep_pruning import LastingPrune, Prune


class StoreUpkeepSuite(Pages, SaveAll, Prune, Stats):
    """For the upkeep of every store."""


class LastingStoreUpkeepSuite(LastingPrune, LastingStats):
    """For that of a store that outlives its process besides."""
