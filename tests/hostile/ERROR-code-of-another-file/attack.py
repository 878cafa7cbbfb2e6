"""Raises in code that says to be of other files and lines: of the grader, of the machine, of the submission far beyond its end, with line numbers that are none."""

def fail(n, rest):
    if rest:
        rest[0](n, rest[1:])
    raise ValueError("elsewhere")


PLACES = (
    ("/etc/passwd", 1),
    ("<session>", 1),
    ("attack.py", 2_000_000_000),
    ("attack.py", 0),
    ("../../testsuites/target.yaml", 3),
    ("</script>", 1),
    ("attack.py", 1),
)


def answer(n):
    functions = [
        type(fail)(fail.__code__.replace(co_filename=file, co_firstlineno=line), globals())
        for file, line in PLACES
    ]
    functions[0](n, functions[1:])


def double(n):
    return 2 * n
