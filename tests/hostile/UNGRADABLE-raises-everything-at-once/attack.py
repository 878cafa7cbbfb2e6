"""Raises a group of exceptions with hostile notes and causes while it is imported."""

try:
    raise KeyError("</script><script>alert(1)</script>")
except KeyError as error:
    error.add_note("\x1b[2J::error::")
    group = BaseExceptionGroup("]]>&<x>", [SystemExit(0), GeneratorExit(), error])
    raise group from error

def answer(n):
    return "contained"


def double(n):
    return 2 * n
