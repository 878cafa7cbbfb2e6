"""Writes a flood to every descriptor but the one it answers on; 0 to 2 are /dev/null and the others are not there."""

import os


def answer(n):
    reached = []
    for fd in range(64):
        try:
            os.fstat(fd)
        except OSError:
            continue
        if fd <= 2:
            for _ in range(200):
                os.write(fd, b"ESCAPED: output on the descriptor of the judge\n" * 1000)
        reached.append(fd)
    surplus = [fd for fd in reached if fd > 15]
    return f"ESCAPED: descriptors {surplus}" if surplus or len(reached) > 4 else "contained"


def double(n):
    return 2 * n
