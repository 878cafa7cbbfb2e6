"""Raises in code whose table of lines is empty or garbage, so that a frame has no line; a frame without a line is told as one."""

def fail(n):
    raise ValueError("nowhere")


def answer(n):
    type(fail)(fail.__code__.replace(co_linetable=b""), globals())(n)


def double(n):
    return 2 * n
