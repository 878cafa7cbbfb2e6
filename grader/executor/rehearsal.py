"""Warms up what every executor runs, once, in the zygote.

The interpreter adapts bytecode while it runs, which writes to the pages that hold it. What has
adapted before the fork costs a child neither the work nor a copied page: a fifth of a session.
"""

from __future__ import annotations

import base64
import json
import marshal
import socket
import sys
from typing import Any, Final

from grader.executor.session import Channel, Session
from grader.executor.surroundings import Surroundings
from grader.protocol import NONCE_BYTES, pack_frame

_TIMES: Final = 10
"""The interpreter of CPython 3.11 specialises a function at its eighth call."""
_LIMITS: Final = {"output_chars": 10_000, "recursion": 10_000}
_MODULE: Final = "rehearsal"
_CHANGED: Final = (
    *("stdout", "stderr", "stdin", "__stdout__", "__stderr__", "__stdin__"),
    *("setrecursionlimit", "argv"),
)
_SOURCE: Final = """
class Greeter:
    def __str__(self): return "hello"
    def refuse(self): assert False, "no"
pairs = {(1, 2), (3, 4)}
"""
_STEPS: Final = ("pairs", "print(Greeter())", "Greeter().refuse()", "[1.5, {'a': None}, True]")


def rehearse(surroundings: Surroundings) -> None:
    """Go through a session of our own, and leave the process as it was."""
    ours, theirs = socket.socketpair()
    before = {name: getattr(sys, name) for name in _CHANGED}
    limit = sys.getrecursionlimit()
    with ours, theirs:
        for _ in range(_TIMES):
            _one_session(ours, Channel(theirs.fileno()), surroundings)
    for name, value in before.items():
        setattr(sys, name, value)
    sys.setrecursionlimit(limit)
    surroundings.clear()


def _one_session(ours: socket.socket, channel: Channel, surroundings: Surroundings) -> None:
    modules = {_MODULE: {"file": f"{_MODULE}.py", "source": _SOURCE}}
    _send(ours, {"modules": modules, "files": {}, "imports": [], "keep": True})
    session = Session(surroundings, _LIMITS, channel.receive() or {})
    channel.send(session.described())
    session.prepare()
    codes = tuple(compile(step, "<session>", "eval") for step in _STEPS)
    code = base64.b64encode(marshal.dumps(codes)).decode("ascii")
    _send(ours, {"import": [["*", _MODULE]], "code": code, "binds": [[] for _ in _STEPS]})
    channel.send(session.run(channel.receive() or {}))
    ours.recv(1 << 20)


def _send(ours: socket.socket, request: dict[str, Any]) -> None:
    ours.sendall(pack_frame(bytes(NONCE_BYTES), json.dumps(request).encode()))
