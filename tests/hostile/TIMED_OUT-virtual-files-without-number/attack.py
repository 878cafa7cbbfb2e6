"""Makes empty files without end, which take no room and yet memory; the time of the step ends it before they fill the memory."""

def answer(n):
    number = 0
    while True:
        number += 1
        open(f"file-{number}", "w").close()


def double(n):
    return 2 * n
