"""What the code of a submission names that may differ from run to run."""

from types import CodeType

_SETS = frozenset({"set", "frozenset", "WeakSet", "keys", "items"})
_CHANCE = frozenset(
    "random secrets uuid urandom getrandom default_rng getpid time timeit datetime id hash"
    " __hash__".split()
)


def mentions(code):
    """Return whether code may make sets, and whether it names chance or a clock."""
    names, waiting, sets = set(), [code], False
    while waiting:
        part = waiting.pop()
        names.update(word for name in part.co_names for word in name.split("."))
        waiting += [each for each in part.co_consts if isinstance(each, CodeType)]
        sets = sets or any(type(each) is frozenset for each in part.co_consts)
    return sets or bool(names & _SETS), bool(names & _CHANCE)
