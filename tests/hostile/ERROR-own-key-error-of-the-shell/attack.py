"""Raises exceptions that hosts give meaning to: KeyboardInterrupt with a message, a SystemExit with text, an OSError with a file name."""

def answer(n):
    if n == 1:
        raise OSError(2, "::error::no such file", "\x1b]0;x\x07/etc/passwd", None, "=1+1")
    raise KeyboardInterrupt("\n::stop-commands::x")


def double(n):
    return 2 * n
