"""Connects by the socket module; it is not there."""

import socket


def answer(n):
    with socket.create_connection(("127.0.0.1", 9), timeout=0.2) as connection:
        return f"ESCAPED: {connection!r}"


def double(n):
    return 2 * n
