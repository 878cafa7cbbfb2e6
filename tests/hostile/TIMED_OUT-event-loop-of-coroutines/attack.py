"""Awaits itself in a coroutine that never yields, driven by hand."""

class Forever:
    def __await__(self):
        while True:
            yield


async def wait():
    await Forever()


def answer(n):
    coroutine = wait()
    while True:
        coroutine.send(None)


def double(n):
    return 2 * n
