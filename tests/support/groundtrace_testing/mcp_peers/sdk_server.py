"""A server of the official SDK with a tool for every way in which a call can end; over standard input and output.

Given a port it serves streamable HTTP on loopback instead, until it is killed.
"""

import logging
import os
import sys
from typing import Any

import anyio
from mcp.server import MCPServer

server = MCPServer("peer", log_level="CRITICAL")


@server.tool()
def pods(app: str) -> str:
    """Return a line."""
    return f"{app}-0 Running"


@server.tool()
def rows(count: int) -> dict[str, Any]:
    """Return structured content."""
    return {"rows": [{"n": number} for number in range(count)]}


@server.tool()
def names(count: int) -> list[str]:
    """Return a list, which may be empty."""
    return [f"name-{number}" for number in range(count)]


@server.tool()
def nothing() -> str:
    """Return no text."""
    return ""


@server.tool()
def broken() -> str:
    """Raise."""
    raise ValueError("disk sdb is full")


@server.tool()
def large(size: int) -> str:
    """Return a long text."""
    return "x" * size


@server.tool()
async def slow(seconds: float) -> str:
    """Return late."""
    await anyio.sleep(seconds)
    return f"after {seconds:g}"


@server.tool()
def die(code: int) -> str:
    """End the process in the middle of the call."""
    os._exit(code)


def main() -> None:
    """Serve until the client leaves."""
    logging.disable()
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
