"""One name for one thing: `PodName`, `pod_name` and `kubernetes.pod_name` are all `pod`, in logs and metrics alike.

Pure. A planner can then ask both sources about an entity under the same field.
"""

from collections.abc import Mapping

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "app": (
        "application",
        "application_name",
        "applicationname",
        "app_name",
        "appname",
        "app.kubernetes.io/name",
        "app_kubernetes_io_name",
        "kubernetes.labels.app",
    ),
    "component": ("component_name", "componentname", "app.kubernetes.io/component"),
    "container": ("containername", "container_name", "kubernetes.container_name", "k8s.container.name"),
    "deployment": ("deployment_name", "deploymentname", "kubernetes.deployment_name", "k8s.deployment.name"),
    "host": ("hostname", "host_name", "host.name"),
    "instance": ("instance_name", "instancename", "service.instance.id"),
    "job": ("job_name", "jobname", "k8s.job.name"),
    "level": ("severity", "severity_text", "loglevel", "log_level", "log.level", "levelname", "lvl"),
    "namespace": ("namespace_name", "podnamespace", "pod_namespace", "kubernetes.namespace_name", "k8s.namespace.name"),
    "node": ("nodename", "node_name", "kubernetes.node_name", "k8s.node.name"),
    "pod": ("podname", "pod_name", "kubernetes.pod_name", "kubernetes_pod_name", "kubernetes.pod.name", "k8s.pod.name"),
    "service": ("servicename", "service_name", "service.name", "svc", "kubernetes.service_name", "k8s.service.name"),
    "span_id": ("spanid", "span.id"),
    "trace_id": ("traceid", "trace.id"),
}
_CANONICAL = {spelling: name for name, others in _SPELLINGS.items() for spelling in (name, *others)}

ENTITY_FIELDS = frozenset(_SPELLINGS) - {"level", "span_id", "trace_id"}
"""Canonical fields that name a thing which runs."""


def canonical_name(name: str, /) -> str:
    """Return the one name for a field or label, whatever its case; a name that the table lacks stays as it is."""
    return _CANONICAL.get(name.casefold(), name)


def canonical_fields(fields: Mapping[str, str], /) -> dict[str, str]:
    """Return fields under their canonical names, in their order.

    Where two spellings meet in one record, the canonical spelling wins (else the first), and the other keeps its own
    name: nothing is lost.
    """
    found: dict[str, str] = {}
    for name, value in fields.items():
        canonical = canonical_name(name)
        free = canonical not in found and (canonical == name or canonical not in fields)
        found[canonical if free else name] = value
    return found
