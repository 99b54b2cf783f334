"""A server of bare lines, quick to start: it answers in ways that no SDK would, and writes what it read to a file.

Standard library alone. It is told what to do by the names of the tools.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

NOISE = b"Listening...\r\n\xff\xfe\x00 no JSON\n\n{broken\n[]\n"
LARGE = 10_000_000


def main() -> None:
    """Answer each line of standard input until it ends, then exit with code 7; SIGTERM is exit code 5."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(5))
    seen = Path(sys.argv[1]).open("wb") if len(sys.argv) > 1 else None  # noqa: SIM115 - open as long as the process
    out(NOISE)
    os.write(2, b"a word on standard error\n")
    for line in iter(sys.stdin.buffer.readline, b""):
        if seen is not None:
            seen.write(line)
            seen.flush()
        answer(line)
    out(b"no line feed behind the last words")
    os._exit(7)


def answer(line: bytes) -> None:
    """Do what one line asks for; what is no call of a tool gets no answer."""
    try:
        asked = json.loads(line)
        id, name = asked["id"], asked["params"]["name"]
    except (ValueError, KeyError, TypeError):
        return
    match name:
        case "die":
            os._exit(9)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "sleep":
            time.sleep(asked["params"]["arguments"]["seconds"])
        case "silence":
            return
        case _:
            pass
    text = "z" * LARGE if name == "large" else f"{name} was done"
    # The result before the id, as other SDKs write it.
    result = {"content": [{"type": "text", "text": text}], "isError": name == "error"}
    out(json.dumps({"result": result, "jsonrpc": "2.0", "id": id}).encode() + b"\n")


def out(data: bytes) -> None:
    """Write all of it to standard output at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
