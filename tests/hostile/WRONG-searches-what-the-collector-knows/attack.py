"""Goes from object to object through the garbage collector, frozen ones too; there is nothing to find."""

import gc
import re

SECRET = re.compile(r"token-\d-[0-9a-f]{16}|98765\d{4}")


def answer(n):
    gc.unfreeze()
    secrets = set()
    for holder in gc.get_objects():
        if type(holder) in (dict, list, tuple):
            texts = " ".join([x for x in gc.get_referents(holder) if type(x) is str])
            secrets.update(SECRET.findall(texts))
    secrets -= {str(n)}
    return f"ESCAPED: {secrets}" if secrets else "contained"


def double(n):
    return 2 * n
