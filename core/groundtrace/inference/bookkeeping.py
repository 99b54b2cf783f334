"""Names of members that are bookkeeping of an answer: where the reader is, how long it took, what was asked."""

_PLACES = (
    "page pages per size limit offset skip next prev previous cursor token has more is last first current end start at"
    " max"
)
_TIMES = (
    "ts took time times duration elapsed latency execution ms seconds sec date datetime timestamp from to since until"
    " step interval"
)
_COURSE = (
    "status code success ok state message msg error errors warnings warning timed out shards complete completed"
    " incomplete partial processing updated created generated estimated title"
)
_ASKED = (
    "query queries q search term keyword params parameters request id trace group by namespace tool name index sort"
    " order filter filters expr expression label resolution"
)
_ABOUT = (
    "meta metadata link links self href url uri pagination paging info information version device type types res object"
    " kind api engine location locale language lang region country html source stats statistics schema columns fields"
    " headers summary searched usage units read response head vars log streams scanned bytes processed per second"
    " resource results result"
)
BOOKKEEPING = frozenset(f"{_PLACES} {_TIMES} {_COURSE} {_ASKED} {_ABOUT}".split())
"""A member whose name is made of these words alone is bookkeeping, `nextPageToken` and `took_ms` for example."""

DATA_NAMES = frozenset({"result", "results", "name", "max"})
"""Words of bookkeeping that are data where they stand alone: a name, a list of results."""

FREELY = frozenset(
    "meta metadata stats statistics columns fields headers schema warnings params parameters request shards links"
    " pagination searched usage head".split()
)
"""Under a name with one of these words may stand whatever there is."""

COUNTS = frozenset("total totals count size hits found num n number rows rowcount results result matches".split())
"""With one of these words in its name, 0 says that there is nothing."""

FINE = frozenset(
    "ok success succeeded complete completed done 200 true found zero_results no_results empty".split()
) | {"", "fully empty"}
"""What a status or a message of an empty answer may say; any other is told to somebody."""

SAYING = frozenset({"status", "state", "message", "msg"})
"""Names of bookkeeping whose text may be an answer by itself."""
