"""What the settings say about OpenTelemetry: the telemetry itself, and where it goes."""

import os

from returns import result
from returns.result import Result

from groundtrace.ports import Telemetry
from groundtrace.problem import Problem
from groundtrace_app.settings import Settings, TelemetryTo


def telemetry_in(settings: Settings, /) -> Result[Telemetry | None, Problem]:
    """Return what is told of each call and decision, None where it is off; it wants to be closed.

    A missing extra, and a variable `OTEL_...` that cannot be obeyed, are Problems.
    """
    if settings.telemetry is TelemetryTo.OFF:
        return result.Success(None)
    try:
        from groundtrace_adapters.telemetry.otel import OtelTelemetry
        from groundtrace_adapters.telemetry.otlp import otlp_providers
    except ImportError:
        mend = "pip install 'groundtrace[otel]'"
        return result.Failure(Problem(what="it needs an extra that is not installed", where="telemetry", mend=mend))
    return otlp_providers(os.environ).map(lambda made: OtelTelemetry(made, content=settings.telemetry_content))
