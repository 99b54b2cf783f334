"""What `groundtrace mcp-proxy` adds to a call of MCP: beside no proxy, and beside pumps alone that record nothing.

A client that is a loop over two pipes calls a server that is a loop over two lines, so that nothing else takes time;
rounds of the three sides alternate. An SDK's own client and server take over a millisecond a call by themselves.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2

CALLS, ROUNDS = 200, 15
AT_ONCE = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
PAUSED_CALLS, PAUSED_ROUNDS, PAUSE = 40, 10, 0.005
LARGE = 100_000_000
ANSWERS = {"200 bytes": 200, "100 KB": 100_000}

SERVER = """
import json, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    text = ("x" * 79 + "\\n") * (asked["params"]["arguments"]["size"] // 80)
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""

PUMPS = """
import subprocess, sys, threading
from groundtrace_app.mcp_proxy.pump import pump
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
def inward():
    pump(0, server.stdin.fileno(), lambda piece: None)
    server.stdin.close()
threading.Thread(target=inward, daemon=True).start()
pump(server.stdout.fileno(), 1, lambda piece: None)
"""


HTTP_SERVER = """
import json, socket, sys
async def app(scope, receive, send):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    asked = json.loads(body)
    result = {"content": [{"type": "text", "text": "x" * 200}], "isError": False}
    said = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
    events = sys.argv[1] == "events"
    kind = b"text/event-stream" if events else b"application/json"
    said = b"event: message\\r\\ndata: " + said + b"\\r\\n\\r\\n" if events else said
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
    await send({"type": "http.response.body", "body": said})
import uvicorn
listening = socket.create_server(("127.0.0.1", 0))
listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off")).run(sockets=[listening])
"""


class Peer:
    """One side: a process that answers calls over its pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._calls = 0

    def call(self, size: int) -> float:
        """Seconds of one call."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._calls += 1
        params = {"name": "read", "arguments": {"size": size}}
        asked = json.dumps({"jsonrpc": "2.0", "id": self._calls, "method": "tools/call", "params": params}).encode()
        began = time.perf_counter()
        self.process.stdin.write(asked + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        took = time.perf_counter() - began
        assert answer.endswith(b"}\n")
        return took

    def peak(self) -> int:
        """Bytes that the process itself has held at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024

    def close(self) -> None:
        """End the process by the end of its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def main() -> None:
    server = [sys.executable, "-I", "-S", "-c", SERVER]
    with tempfile.TemporaryDirectory() as folder:
        store = ["--store", str(Path(folder) / "trace.db"), "--session", "bench"]
        sides = {
            "no proxy": server,
            "pumps alone": [sys.executable, "-c", PUMPS, *server],
            "mcp-proxy": [sys.executable, "-m", "groundtrace_app", "mcp-proxy", *store, "--", *server],
        }
        with peers(sides) as ready:
            for size, count in ANSWERS.items():
                _calls(ready, f"answer of {size}, back to back", count, CALLS, ROUNDS, pause=0)
                _calls(ready, f"answer of {size}, 5 ms between", count, PAUSED_CALLS, PAUSED_ROUNDS, pause=PAUSE)
            _large(ready["mcp-proxy"])
        for kind in ("json", "events"):
            _http(kind, store)


@contextmanager
def peers(sides: dict[str, list[str]]) -> Iterator[dict[str, Peer]]:
    """All sides, started and asked once; prints how long each took to start."""
    with ExitStack() as stack:
        ready: dict[str, Peer] = {}
        for name, command in sides.items():
            began = time.perf_counter()
            ready[name] = Peer(command)
            stack.callback(ready[name].close)
            ready[name].call(80)
            print(f"first answer, {name}: {time.perf_counter() - began:.2f} s")
        yield ready


def _calls(ready: dict[str, Peer], what: str, size: int, calls: int, rounds: int, *, pause: float) -> None:
    took: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, peer in ready.items():
            for _ in range(calls):
                took[name].append(peer.call(size))
                time.sleep(pause)
    median = {name: statistics.median(times) for name, times in took.items()}
    late = {name: sorted(times)[len(times) * 99 // 100] for name, times in took.items()}
    for name in ready:
        added, share = median[name] - median["no proxy"], median[name] / median["no proxy"]
        words = "" if name == "no proxy" else f", {added * 1e6:+.0f} us ({share:.2f}x)"
        print(f"a call, {what}, {name}: {median[name] * 1e6:.0f} us{words}; p99 {late[name] * 1e6:.0f} us")
    print(f"a call, {what}: recording on top of pumps {median['mcp-proxy'] / median['pumps alone']:.2f}x")


def _large(peer: Peer) -> None:
    before = peer.peak()
    took = peer.call(LARGE)
    print(f"an answer of 100 MB through mcp-proxy: {took:.2f} s, peak memory {(peer.peak() - before) / 2**20:+.1f} MiB")


def _http(kind: str, store: Sequence[str]) -> None:
    command = [sys.executable, "-m", "groundtrace_app", "mcp-proxy", *store, "--listen", "127.0.0.1:0", "--url"]
    with (
        _printing([sys.executable, "-c", HTTP_SERVER, kind]) as server,
        _printing([*command, server]) as proxy,
        httpx2.Client(transport=httpx2.HTTPTransport(socket_options=AT_ONCE)) as client,
    ):
        took: dict[str, list[float]] = {server: [], proxy: []}
        for _ in range(ROUNDS):
            for url, times in took.items():
                times += [_post(client, url, len(times)) for _ in range(CALLS // 4)]
        bare, through = (statistics.median(times) for times in took.values())
        words = (
            f"{bare * 1e6:.0f} us without, {(through - bare) * 1e6:+.0f} us ({through / bare:.2f}x) through mcp-proxy"
        )
        print(f"a call over HTTP, {kind}: {words}")


def _post(client: httpx2.Client, url: str, number: int) -> float:
    params = {"name": "read", "arguments": {}}
    began = time.perf_counter()
    answer = client.post(url, json={"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    took = time.perf_counter() - began
    assert answer.status_code == 200
    return took


@contextmanager
def _printing(command: Sequence[str]) -> Iterator[str]:
    """A process that prints its address first; ended behind."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.terminate()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    main()
