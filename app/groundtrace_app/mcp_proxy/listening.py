"""A socket on loopback for clients on this machine; nobody else may reach what stands behind it."""

import ipaddress
import socket

from returns import result
from returns.result import Result

from groundtrace.problem import Problem

_MEND = "write 127.0.0.1:PORT; port 0 takes a free one"


def listen_on(place: str, /) -> Result[socket.socket, Problem]:
    """Return a listening socket at `HOST:PORT`; a host that is not this machine's own is a Problem."""
    host, _, port = place.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit() and int(port) < 65_536):
        return result.Failure(Problem(what=f"{port[:20]!r} is no port", where="--listen", mend=_MEND))
    if not _is_loopback(host):
        what = f"{host[:80]!r} is not this machine's own address"
        return result.Failure(Problem(what=what, where="--listen", mend=_MEND))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, int(port)), family=family)
    except OSError as refused:
        what = f"cannot be listened on ({refused.strerror})"
        return result.Failure(Problem(what=what, where=f"--listen {place}", mend=_MEND))
    # Each connection inherits it: a response in pieces would wait 40 ms for its client's acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return result.Success(listening)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
