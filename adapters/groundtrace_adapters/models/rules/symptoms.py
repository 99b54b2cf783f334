"""Words in which people describe trouble, and where logs and metrics would show it: one table, read by both roles."""

import re
from dataclasses import dataclass

from groundtrace_adapters.models.rules.words import tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A kind of trouble: `said` are the words of a question, `pattern` finds it in logs, `metrics` in metric names.

    `said` and `metrics` hold lower-case words; a metric fits if one of its name's words starts with one of them.
    """

    kind: str
    said: frozenset[str]
    pattern: str
    metrics: tuple[str, ...]


def _symptom(kind: str, said: str, pattern: str, metrics: str) -> Symptom:
    return Symptom(kind=kind, said=frozenset(said.split()), pattern=pattern, metrics=tuple(metrics.split()))


SEVERE = (
    r"(?i)\b(error|fatal|panic|critical|severe|exception|traceback|oom|killed|refused|denied|timed out|timeout"
    r"|deadlock)"
)
"""What is looked for in logs where a question names no symptom (RE2 and Python alike)."""

SYMPTOMS = (
    _symptom(
        "connections",
        "connection connections connect connecting clients client slots pool refused max_connections",
        r"(?i)connection|clients|slots|refused",
        "connection connections backend backends clients numbackends pool",
    ),
    _symptom(
        "locks",
        "lock locks locked locking blocked blocking deadlock deadlocks waiting contention",
        r"(?i)lock|waiting|blocked",
        "lock locks deadlock deadlocks wait waiting blocked",
    ),
    _symptom(
        "latency",
        "slow slower latency latencies duration durations delay delayed delays lag hang hanging hung stuck p90 p95 p99",
        r"(?i)duration|slow|latency|timed? ?out",
        "latency duration seconds delay lag response",
    ),
    _symptom("timeouts", "timeout timeouts timed", r"(?i)timed? ?-?out", "timeout timeouts latency duration"),
    _symptom("cpu", "cpu processor throttled throttling load", r"(?i)cpu|throttl", "cpu load throttled"),
    _symptom("memory", "memory ram heap oom oomkilled", r"(?i)\boom|out of memory|memory|heap", "memory heap rss mem"),
    _symptom(
        "disk",
        "disk disks storage space iops filesystem checkpoint checkpoints",
        r"(?i)disk|space left|i/o|checkpoint",
        "disk filesystem io read reads write writes syscall checkpoint checkpoints blks temp",
    ),
    _symptom(
        "network",
        "network packet packets dns bandwidth",
        r"(?i)network|packet|dns|unreachable|reset by peer",
        "network receive transmit packets",
    ),
    _symptom(
        "restarts",
        "restart restarts restarted restarting crash crashed crashes crashing crashloop killed shutdown",
        r"(?i)restart|crash|killed|terminat|starting|shut(ting)? down",
        "restart restarts up uptime start",
    ),
    _symptom(
        "errors",
        "error errors failed fail fails failing failure failures exception exceptions fatal panic 5xx 500",
        SEVERE,
        "error errors failure failures failed success rollback",
    ),
    _symptom(
        "load",
        "traffic requests throughput workload qps rps transactions commits rate",
        r"(?i)request",
        "workload ops requests request transactions xact commit qps",
    ),
)

VITAL = ("cpu", "connections", "locks", "latency", "errors", "memory")
"""Kinds whose metrics are looked at where a question names none, in this order."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def symptoms_in(text: str, /) -> tuple[Symptom, ...]:
    """Return the kinds of trouble that a text names, in the order of the table."""
    said = set(tokens(text))
    return tuple(symptom for symptom in SYMPTOMS if symptom.said & said)


def name_words(metric: str, /) -> tuple[str, ...]:
    """Return the lower-case words of a metric's name: `CpuUsageRate(%)` is cpu, usage, rate."""
    return tuple(word.lower() for word in re.findall(r"[A-Za-z]+\d*|\d+", _CAMEL.sub(" ", metric)))


def fits(metric: str, symptom: Symptom, /) -> bool:
    """Tell whether a metric's name speaks of a kind of trouble."""
    return any(word.startswith(stem) for word in name_words(metric) for stem in symptom.metrics)


def kinds_of(metric: str, /) -> frozenset[str]:
    """Return the kinds of trouble that a metric's name speaks of."""
    return frozenset(symptom.kind for symptom in SYMPTOMS if fits(metric, symptom))
