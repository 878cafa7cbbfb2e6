"""F-strings in f-strings, as deep as the quotes allow, with a width that nests too."""

def answer(n):
    return f"{f'{n:{n}}'}" + f"{n!r:>{n + 3}}" + f"""{f'''{f"{f'{n}'}"}'''}"""


def double(n):
    return 2 * n
