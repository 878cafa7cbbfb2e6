"""Runs an event loop, which wants sockets and descriptors; the module is not there."""

import asyncio


async def main():
    return "ESCAPED: an event loop"


def answer(n):
    return asyncio.run(main())


def double(n):
    return 2 * n
