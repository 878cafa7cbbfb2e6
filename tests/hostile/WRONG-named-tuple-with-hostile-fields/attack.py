"""Returns named tuples whose fields, iterator and length lie; the tuple beneath is what travels."""

import collections
import os

Pair = collections.namedtuple("Pair", "left right")
Pair._fields = ("token",)
Pair.__iter__ = Pair.__len__ = Pair.__getitem__ = Pair.__repr__ = lambda *arguments: os._exit(9)
Pair.__name__ = "</code><script>alert(1)</script>"


def answer(n):
    return Pair(1, 2)


def double(n):
    return 2 * n
