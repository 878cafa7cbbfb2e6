"""Gets read and write access to all of its own memory through _ctypes and looks for secrets in it: the tokens that are expected, and the argument of the hidden step. They are not there."""

import gc
import sys

# In halves, so that this file does not hold what it looks for.
NEEDLES = tuple("".join(halves) for halves in (("token-1-8f1c", "6e0b7d"), ("token-3-5b9d", "20e7f4"), ("98765", "4321")))

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def texts():
    for found in gc.get_objects():
        for each in (found, *gc.get_referents(found)):
            if type(each) in (str, bytes):
                yield each if type(each) is str else each.decode("latin-1")


def answer(n):
    door = the_kernel()
    door.ctypes.string_at(id(door), 64)
    hits = [needle for text in texts() for needle in NEEDLES if needle in text and len(text) > 40]
    return f"ESCAPED: {len(hits)} secrets" if hits else "contained"


def double(n):
    return 2 * n
