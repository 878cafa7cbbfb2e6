"""An executor in a web worker: serves sessions like a forked one, over messages.

Instead of forking, the worker restores the memory of the interpreter after each session. All ways
out of the interpreter, to the browser, are removed first.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from grader.executor import channel

_OF_THE_BROWSER: Final = frozenset(
    {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip", "asyncio"}
)
"""Modules that lead out of the interpreter, and `asyncio`, which does not work without them."""


def start(words: str, receive: Any, send: Any, leave: Any) -> Callable[[], None]:
    """Return a function that serves one session, after all imports.

    `words` is JSON: the modules to preload, and the packages to refuse. `receive` returns a promise
    of the next bytes from the judge, None at the end; `send` sends bytes to the judge; `leave`
    takes an exit code, and its promise never resolves.
    """
    from pyodide.ffi import run_sync, to_js  # type: ignore[import-not-found]  # noqa: PLC0415

    waiting = bytearray()

    def read(_fd: int, count: int) -> bytes:
        if not waiting:
            data = run_sync(receive())
            waiting.extend(b"" if data is None else data.to_bytes())
        part = bytes(waiting[:count])
        del waiting[:count]
        return part

    def write(_fd: int, data: bytes | memoryview) -> int:
        send(to_js(data))
        return len(data)

    vars(channel).update(_read=read, _write=write, _close=lambda _fd: None)
    # There is no process to end: whoever leaves is suspended for good.
    vars(os)["_exit"] = lambda code: run_sync(leave(code))
    from grader.executor.serving import serve  # noqa: PLC0415 - after `os._exit` is replaced
    from grader.executor.surroundings import warm  # noqa: PLC0415

    wanted: dict[str, Any] = json.loads(words)
    for name in wanted["preload"]:
        with suppress(ImportError):  # a browser has no `curses`
            importlib.import_module(name)
    # A list, as deleting changes `sys.modules`.
    for name in [name for name in sys.modules if name.partition(".")[0] in _OF_THE_BROWSER]:
        del sys.modules[name]
    for finder in sys.meta_path:  # the finder of Pyodide would import `js` again
        getattr(finder, "jsproxies", {}).clear()
    surroundings = warm(json.dumps({**wanted, "preload": []}), "{}")
    os.environ.clear()
    surroundings.remember()

    def serve_once() -> None:
        ours = channel.Channel(1, 0)  # any numbers: `read` and `write` ignore them
        limits = ours.receive()
        if limits is not None:
            ours.send({})
            serve(ours, surroundings, limits)

    return serve_once
