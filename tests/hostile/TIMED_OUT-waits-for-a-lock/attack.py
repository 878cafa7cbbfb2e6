"""Waits for a lock that it holds itself."""

import threading


def answer(n):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def double(n):
    return 2 * n
