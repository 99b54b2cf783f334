"""What other processes do to a store: importable by name, so that a spawned child finds it in any run."""

from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.opening import open_store
from groundtrace_testing.records import a_row

ROWS = 100
BATCH = 5


def migrate_elsewhere(url: str) -> int:
    """Migrate a store and return how many steps this process applied."""
    return len(migrate(url).unwrap().applied)


def write_elsewhere(url: str) -> int:
    """Append the same hundred rows as every other process does, and return how many were answered for."""
    store = open_store(url).unwrap()
    answered = 0
    for start in range(0, ROWS, BATCH):
        answered += len(store.append([a_row(id=str(number)) for number in range(start, start + BATCH)]).unwrap())
    store.close()
    return answered
