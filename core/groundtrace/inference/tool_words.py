"""Words by which a tool's name, or its command line, says what it does: read, print, check, change, name paths."""

LOG_WORDS = frozenset(
    "crash error errors exception exceptions incident issue journal log logging logs loki output sentry stderr stdout"
    " syslog trace traces transcript".split()
)

DOCUMENT_WORDS = frozenset(
    "article articles content doc docs document documents fetch file files notebook page pages read reader retrieve url"
    " view webpage".split()
)
"""Words of a tool's name that say that it hands on one document, by its name or address."""

READING_WORDS = (
    LOG_WORDS
    | (DOCUMENT_WORDS - {"fetch", "url"})
    | frozenset("grep knowledge note notes runbook runbooks wiki".split())
)
"""Words of a tool's name that say that it hands on texts of others."""

READING_COMMANDS = frozenset(
    "ack ag awk bat cat dmesg egrep fgrep grep head jq journalctl less log logcli logs more sed stern tail zcat zgrep"
    " rg jsonpath ojsonpath template go-template".split()
)
"""Programs, and subcommands such as `kubectl logs`, whose output is a text of others."""

ASKING_COMMANDS = frozenset("curl wget http https xh httpie grpcurl".split())
"""Programs that ask a service: what they are given is its reply, though a pipe may shorten it."""

PRINTING_COMMANDS = frozenset("cat head tail less more sed bat nl tac".split())
"""Programs that print files and do nothing else."""

CHECKING_WORDS = frozenset(
    "analyze audit check checker compare count diff doctor health healthcheck lint linter mypy plan ruff scan status"
    " test tests validate validator verify eslint shellcheck pytest vet".split()
)
"""Words of a tool's name, or programs, that say that faults are what is looked for."""

PROBING_WORDS = frozenset("check probe ping test health healthcheck monitor connectivity uptime".split())
"""Words of a tool's name that say that it tries whether something answers."""

ACTING_WORDS = frozenset(
    "add apply assign book buy cancel change close create delete deploy disable edit enable exchange insert invite"
    " modify move order pay place post publish purchase refund remove rename reply replace reserve reset restart return"
    " schedule send set start stop submit transfer update upgrade upload write".split()
)
"""Words of a tool's name that say that it changes something."""

PATH_WORDS = frozenset(
    "dir directory directories file files find folder glob list locate ls path paths pwd which url urls uri"
    " link".split()
)
"""Words of a tool's name, or of its command line, that say that a path is what was asked for."""
