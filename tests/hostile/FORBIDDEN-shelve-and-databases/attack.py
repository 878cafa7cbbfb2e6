"""Makes databases on disk; the modules for it are not there, and sqlite3 is of no use without files."""

import dbm
import shelve
import sqlite3


def answer(n):
    for act in (
        lambda: shelve.open("/tmp/escaped"),
        lambda: dbm.open("/tmp/escaped", "c"),
    ):
        try:
            return f"ESCAPED: {act()!r}"
        except ImportError:
            pass
    return sqlite3.connect("/tmp/escaped.db")


def double(n):
    return 2 * n
