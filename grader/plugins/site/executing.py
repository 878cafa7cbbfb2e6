"""An executor in a web worker: serves sessions like a forked one, but over messages.

Instead of forking, the worker restores the memory of the interpreter after each session. First, all
modules through which code could access the browser are removed.
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

_BROWSER_MODULES: Final = frozenset(
    {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip", "asyncio"}
)
"""Modules that give access to the browser, and `asyncio`, which does not work without them."""


def start(start_message: str, receive: Any, send: Any, leave: Any) -> Callable[[], None]:
    """Prepare the interpreter, and return a function that serves one session.

    `start_message` is JSON with the modules to preload and the packages to refuse. `receive`
    returns a promise for the next bytes from the judge, or for None once the judge has ended the
    session. `send` sends bytes to the judge. `leave` is called with an exit code, and
    returns a promise that never resolves.

    Channels and `os._exit` are redirected to these functions, and modules that give access to the
    browser are removed.
    """
    from pyodide.ffi import run_sync  # type: ignore[import-not-found]  # noqa: PLC0415

    _redirect_channels(receive, send)
    # There is no process to stop: code that exits is suspended forever.
    vars(os)["_exit"] = lambda code: run_sync(leave(code))
    from grader.executor.serving import serve  # noqa: PLC0415 - after `os._exit` is replaced
    from grader.executor.surroundings import load_surroundings  # noqa: PLC0415

    settings: dict[str, Any] = json.loads(start_message)
    for name in settings["preload"]:
        with suppress(ImportError):  # a browser has no `curses`
            importlib.import_module(name)
    _remove_browser_modules()
    # The modules have been preloaded above, so none must be imported again.
    surroundings = load_surroundings(json.dumps({**settings, "preload": []}), "{}")
    os.environ.clear()
    surroundings.record_state()

    def serve_once() -> None:
        """Receive the limits of a session and serve it, or return if the judge has ended it."""
        judge_channel = channel.Channel(1, 0)  # `read` and `write` ignore the descriptors
        limits = judge_channel.receive()
        if limits is not None:
            judge_channel.send({})
            serve(judge_channel, surroundings, limits)

    return serve_once


def _redirect_channels(receive: Any, send: Any) -> None:
    """Make all channels read and write with `receive` and `send`, the arguments of `start`."""
    from pyodide.ffi import run_sync, to_js  # noqa: PLC0415

    pending = bytearray()

    def read(_fd: int, count: int) -> bytes:
        """Return up to `count` bytes from the judge, waiting for a message; b"" at the end."""
        if not pending:
            data = run_sync(receive())
            pending.extend(b"" if data is None else data.to_bytes())
        part = bytes(pending[:count])
        del pending[:count]
        return part

    def write(_fd: int, data: bytes | memoryview) -> int:
        send(to_js(data))
        return len(data)

    vars(channel).update(_read=read, _write=write, _close=lambda _fd: None)


def _remove_browser_modules() -> None:
    """Remove the modules through which code could access the browser, so that it cannot."""
    # A list is made first, as deleting changes `sys.modules`.
    for name in [name for name in sys.modules if name.partition(".")[0] in _BROWSER_MODULES]:
        del sys.modules[name]
    for finder in sys.meta_path:  # Pyodide's finder would import `js` again
        getattr(finder, "jsproxies", {}).clear()
