"""Starts threads by every way that can be reached; the kernel refuses all of them, and those of `threading` run where they start."""

import queue
import sys
import threading
import time

# By the back door: their import may be refused.
_thread = sys.modules["_thread"]

RAN = []

def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def answer(n):
    def thread():
        threading.Thread(target=lambda: RAN.append(threading.get_ident())).start()
        if [threading.get_ident()] == RAN:
            raise RuntimeError("it has run in this one, which is no way to do more")

    def timer():
        threading.Timer(0, RAN.append, (1,)).start()

    def pool():
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor() as executor:
            executor.submit(RAN.append, 1)

    def loop():
        import asyncio

        asyncio.run(asyncio.to_thread(RAN.append, 1))

    return first_that_works(
        [
            ("_thread", lambda: _thread.start_new_thread(RAN.append, (1,))),
            ("threading", thread),
            ("timer", timer),
            ("pool", pool),
            ("asyncio", loop),
        ]
    )


def double(n):
    return 2 * n
