"""Writes to a file of the session without end; the files in memory have room for one megabyte in all."""

def answer(n):
    with open("log.txt", "w") as log:
        while True:
            log.write("x" * 65536)


def double(n):
    return 2 * n
