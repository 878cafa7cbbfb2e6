"""Takes our `open` apart, its methods, closures and globals; behind it are the session's own files and no way to the host."""

import io
import sys

PATH = "/etc/passwd"


def answer(n):
    files = open.__self__
    for path, data in files._files.items():
        if path not in ("attack.py", "said.txt", "README.md") and b"token-" in data:
            return f"ESCAPED: {path}"
    space = type(files).open.__globals__
    for opener in (space["io"].open, space["os"].open, vars(sys.modules["_io"])["open"], io.open_code):
        try:
            got = opener(PATH, space["os"].O_RDONLY) if opener is space["os"].open else opener(PATH)
        except OSError:
            continue
        return f"ESCAPED: {got}"
    files._files["etc/passwd"] = b"its own invention"
    return f"contained: {open(PATH).read()}"


def double(n):
    return 2 * n
