"""Raises an exception whose text is a subclass of `str` that lies about itself; the text beneath is taken."""

import os


class Text(str):
    __getitem__ = __len__ = __str__ = __iter__ = lambda *arguments: os._exit(9)


class Odd(Exception):
    def __str__(self):
        return Text("</pre><script>alert(1)</script>\ud800\x1b[2J\0")


def answer(n):
    raise Odd


def double(n):
    return 2 * n
