"""Puts objects with hostile attributes in the place of functions, and names that are no identifiers; what is defined is told by name only."""

class Answer:
    def __getattribute__(self, name):
        raise SystemExit(name)

    def __call__(self, n):
        return "contained"


answer = Answer()
for name in ("</script>", "\x1b[2J", "\ud800", "a" * 100_000, "=1+1", ""):
    globals()[name] = 1
globals()[7] = globals()[None] = globals()[("x",)] = 1


def double(n):
    return 2 * n
