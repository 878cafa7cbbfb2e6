"""Trouble with a submission: the reasons why any test would fail, whatever it checks."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

from grader.protocol import NOT_ALLOWED, NOT_MOVED
from grader.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The reason why a test cannot pass, whatever the test itself does."""

    verdict: Verdict
    message: str
    """One sentence."""
    evidence: str
    """The facts behind the message, for staff."""


_MESSAGES: Final = {
    Verdict.TIMED_OUT: "the submission took too long",
    Verdict.EXITED: "the submission ended the program",
    Verdict.CRASHED: "the submission crashed the interpreter",
    Verdict.MEMORY: "the submission used too much memory",
    Verdict.OUTPUT: "the submission returned too much data",
    Verdict.FORBIDDEN: "the submission did something that is not allowed",
    Verdict.TAMPERED: "the submission interfered with the grader",
}
"""The usual message for each verdict."""
_HARMLESS_BUT_LACKING: Final = frozenset(
    {
        *("asyncio", "concurrent", "dbm", "email", "http", "mimetypes", "optparse", "plistlib"),
        *("shelve", "sqlite3", "tarfile", "tkinter", "tomllib", "turtle", "urllib", "xml"),
        *("xmlrpc", "zipfile", "zoneinfo"),
    }
)
"""Modules that executors lack although honest programs use them. The other modules that executors
lack would let a submission out of the sandbox."""
THREAD_TROUBLE: Final = Trouble(
    verdict=Verdict.FORBIDDEN,
    message="the submission starts a thread, and executors do not allow threads",
    evidence="can't start new thread",
)
_FOLDER_TROUBLE: Final = Trouble(
    verdict=Verdict.FORBIDDEN,
    message="the submission changes the current folder, which does not affect its tests",
    evidence="os.chdir",
)


def trouble_for(verdict: Verdict, evidence: str) -> Trouble:
    """Return the trouble with the usual message for `verdict`, and with `evidence` for staff."""
    return Trouble(verdict=verdict, message=_MESSAGES[verdict], evidence=evidence)


def trouble_from_executor_limit(error: BaseException) -> Trouble | None:
    """Return the trouble if `error` is due to something that executors lack, else None."""
    if isinstance(error, PermissionError) and error.args[1:2] == (NOT_MOVED,):
        return _FOLDER_TROUBLE
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = name.partition(".")[0] if type(name) is str else ""
    if package not in sys.stdlib_module_names or error.args != (NOT_ALLOWED.format(name),):
        return None
    message = f"the submission uses {package}, which executors do not have"
    if package in _HARMLESS_BUT_LACKING:
        message += "; such tests only run with pytest itself, without walls"
    return Trouble(verdict=Verdict.FORBIDDEN, message=message, evidence="refused")
