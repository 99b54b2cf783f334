"""`mcp-proxy` and `mcp` before they serve: what cannot be meant or started is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace_app.cli import run

ANYWHERE = "http://127.0.0.1:1/mcp"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--url", "ftp://x/y"), 2, "--url: it is no address"),
        (("--url", ANYWHERE, "--", "server"), 2, "two servers"),
        (("--listen", "127.0.0.1:1", "--", "server"), 2, "it is for a server of HTTP"),
        (("--url", ANYWHERE, "--listen", "192.0.2.1:0"), 3, "is not this machine's own"),
        (("--url", ANYWHERE, "--listen", "127.0.0.1:x"), 3, "is no port"),
        (("--session", " ", "--", "server"), 2, "a session id has"),
        ((), 2, "no server is given"),
        (("--", "no-such-program-here", "--flag"), 127, "no-such-program-here: cannot be started"),
        (("--", "/etc"), 126, "/etc: cannot be started"),
    ],
)
def test_a_proxy_that_cannot_be_meant_or_started_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp-proxy", "--store", str(tmp_path / "t.db"), *words]) == code
    out, error = capfd.readouterr()
    assert told in error
    assert (out, error.count("\n")) == ("", 1)


def test_a_store_that_is_no_place_is_said_before_any_server_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "started"
    assert run(["mcp-proxy", "--store", str(tmp_path), "--", "touch", str(mark)]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not mark.exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "no source is set"),
        (("--session", ""), 2, "a session id has"),
        (("--metrics", "m.om", "--http", "--listen", "192.0.2.1:80"), 3, "is not this machine's own"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.om").write_text("# EOF\n")
    given = [str(tmp_path / word) if word == "m.om" else word for word in words]
    assert run(["mcp", "--store", str(tmp_path / "t.db"), *given]) == code
    out, error = capfd.readouterr()
    assert told in error
    assert (out, error.count("\n")) == ("", 1)
