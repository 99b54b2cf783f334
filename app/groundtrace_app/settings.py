"""Settings from flags, then the environment (`GROUNDTRACE_...`), then `groundtrace.toml`; all checked alike.

A setting that does not exist or does not fit is one line that names it, the place it came from and the mend.
"""

import difflib
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from returns import result
from returns.result import Result

from groundtrace.decision import PassNeeds
from groundtrace.problem import Problem
from groundtrace.reply import ShowUnverified
from groundtrace_adapters.sources.log_files.formats import LogKind

PREFIX = "GROUNDTRACE_"
FILE_NAME = "groundtrace.toml"
LONGEST_FILE = 1_000_000
NAME_SHOWN = 80

# Read by the entry of the command and by the tests, not settings of ours.
NOT_SETTINGS = frozenset(
    {"GROUNDTRACE_DEBUG", "GROUNDTRACE_NO_NETWORK", "GROUNDTRACE_NO_SKIPS", "GROUNDTRACE_TEST_POSTGRES"}
)

_Seconds = Annotated[float, Field(gt=0, le=3_600)]


def _as_paths(value: object) -> object:
    if isinstance(value, str):
        return tuple(part for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


_Paths = Annotated[tuple[str, ...], BeforeValidator(_as_paths)]


class TelemetryTo(StrEnum):
    """Where rows and decisions are told besides: nowhere, or to an OTLP receiver (extra `otel`)."""

    OFF = "off"
    OTLP = "otlp"


class Settings(BaseModel):
    """Everything that can be set; times are seconds.

    `store` is a path, `memory:` or `postgresql://...`; `spool` a folder (default: beside a file store). `knowledge`
    is a folder of Markdown; `logs` and `metrics` are files or folders (in the environment: separated by commas).
    `log_format` says how all log files are written (None: each is recognised); only then `log_time_field` and
    `log_text_field` name the fields of JSON lines or columns of CSV that hold time and text. `model` is `rules` or
    `script:FILE`. `telemetry` is `off` or `otlp`; where it goes is said by the standard `OTEL_...` variables, and with
    `telemetry_content` redacted parameters and outputs go too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str = "groundtrace.db"
    spool: str | None = None
    knowledge: str | None = None
    logs: _Paths = ()
    metrics: _Paths = ()
    log_format: LogKind | None = None
    log_time_field: str | None = None
    log_text_field: str | None = None
    model: str = "rules"
    telemetry: TelemetryTo = TelemetryTo.OFF
    telemetry_content: bool = False
    pass_needs: PassNeeds = PassNeeds.ANY
    show_unverified: ShowUnverified = ShowUnverified.WHEN_LOW
    tool_seconds: _Seconds = 30
    verifier_seconds: _Seconds = 60
    turn_seconds: _Seconds = 180
    flush_seconds: _Seconds = 10
    max_steps: Annotated[int, Field(ge=1, le=20)] = 3
    max_calls: Annotated[int, Field(ge=1, le=200)] = 24
    verifier_retries: Annotated[int, Field(ge=0, le=5)] = 1


def load_settings(
    flags: Mapping[str, object], environment: Mapping[str, str], /, *, file: Path | None = None
) -> Result[Settings, Problem]:
    """Return the settings; `flags` whose value is None were not given. `file` must exist if given.

    Without `file`, `groundtrace.toml` of the current folder is read if it is there. An empty variable is not set.
    """
    given = {name: value for name, value in flags.items() if value is not None and value != []}
    return _from_file(file).bind(
        lambda from_file: _from_environment(environment).bind(
            lambda from_environment: _join(
                {
                    str(file or FILE_NAME): from_file,
                    "the environment": from_environment,
                    "the command line": given,
                }
            )
        )
    )


def _from_file(file: Path | None) -> Result[Mapping[str, object], Problem]:
    path = file or Path(FILE_NAME)
    if file is None and not path.is_file():
        return result.Success({})
    where = str(path)
    try:
        if path.stat().st_size > LONGEST_FILE or path.is_fifo():
            mend = "name a settings file"
            return result.Failure(Problem(what="is no file of at most 1 MB", where=where, mend=mend))
        return result.Success(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as refused:
        return result.Failure(
            Problem(what=f"cannot be read ({refused.strerror})", where=where, mend="name a file that can be read")
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        return result.Failure(Problem(what=f"is not TOML: {broken}", where=where, mend="mend that line"))


def _from_environment(environment: Mapping[str, str]) -> Result[Mapping[str, object], Problem]:
    return result.Success(
        {
            name.removeprefix(PREFIX).lower(): value
            for name, value in environment.items()
            if name.startswith(PREFIX) and name not in NOT_SETTINGS and value != ""
        }
    )


def _join(layers: Mapping[str, Mapping[str, object]]) -> Result[Settings, Problem]:
    joined: dict[str, object] = {}
    origin: dict[str, str] = {}
    for place, layer in layers.items():
        for name, value in layer.items():
            if name not in Settings.model_fields:
                return result.Failure(_unknown(name, place))
            joined[name] = value
            origin[name] = place
    try:
        return _consistent(Settings.model_validate(joined), origin)
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_input=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        words = f"setting {name}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        return result.Failure(Problem(what=words, where=origin.get(name, "settings"), mend="correct that value"))


def _consistent(settings: Settings, origin: Mapping[str, str]) -> Result[Settings, Problem]:
    named = [name for name in ("log_time_field", "log_text_field") if getattr(settings, name) is not None]
    if named and settings.log_format in {None, LogKind.PLAIN}:
        mend = "set log_format to json_lines or csv besides"
        what = f"setting {named[0]}: it names a field, and log_format does not say that there are any"
        return result.Failure(Problem(what=what, where=origin[named[0]], mend=mend))
    return result.Success(settings)


def _unknown(name: str, place: str) -> Problem:
    near = difflib.get_close_matches(name, list(Settings.model_fields), n=1)
    known = near or sorted(Settings.model_fields)
    shown, *rest = (PREFIX + one.upper() if place == "the environment" else one for one in (name, *known))
    mend = f"did you mean {rest[0]!r}?" if near else "known: " + ", ".join(rest)
    return Problem(what=f"unknown setting {shown[:NAME_SHOWN]!r}", where=place, mend=mend)
